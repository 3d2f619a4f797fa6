"""FunctionalTensor and FunctionalTensorMode, and rules for them."""

import pytest

import torch
from torch._subclasses.functional_tensor import (
    CppFunctionalizeAPI,
    FunctionalTensor,
    FunctionalTensorMode,
    PythonFunctionalizeAPI,
    disable_functional_mode,
    dispatch_functionalize,
)
from torch.fx.experimental.proxy_tensor import make_fx


def changes(x):
    y = x.clone()
    y.add_(1)
    v = y.view(-1)
    v.mul_(2)
    y.t_()
    return y, v


def pure(x):
    with FunctionalTensorMode():
        x = FunctionalTensor.to_functional(x)
        out = changes(x)
        assert [type(o) for o in out] == [FunctionalTensor] * 2 and [tuple(o.shape) for o in out] == [(3, 2), (6,)]
        for o in out:
            torch._sync(o)
        return tuple(map(FunctionalTensor.from_functional, out))


def test_recorded_operators_change_nothing():
    module = make_fx(pure)(torch.ones(2, 3))
    names = [str(node.target) for node in module.graph.nodes if node.op == "call_function"]
    assert (
        names[:4] == ["aten.clone.default", "aten.add.Tensor", "aten.view.default", "aten.mul.Tensor"]
        or "aten.mul.Tensor" in names
    )
    assert not [name for name in names if "_." in name]
    x = torch.arange(6.0).view(2, 3)
    for got, expected in zip(module(x), changes(x)):
        assert torch.equal(got, expected)


def test_values():
    x = torch.zeros(2)
    with FunctionalTensorMode() as mode:
        f = FunctionalTensor.to_functional(x)
        view = f[:1]
        view.add_(1)
        made = torch.zeros(2)
        made.add_(f)
        assert type(made) is FunctionalTensor and f.is_base_tensor() and not view.is_base_tensor() and f.tolist() == [1, 0]
        with disable_functional_mode() as off:
            assert off is mode and type(torch.ones(1)) is torch.Tensor
        f.replace_(torch.full((2,), 7.0))
        f.commit_update()
        f.sync()
    assert FunctionalTensor.from_functional(view).tolist() == [7] and FunctionalTensor.from_functional(made).tolist() == [1, 0]
    assert x.tolist() == [0, 0] and repr(f) == "FunctionalTensor(tensor([7., 7.]))"


def test_gradients_are_of_the_outer_tensors():
    x = torch.ones(2, requires_grad=True)
    with FunctionalTensorMode():
        f = FunctionalTensor.to_functional(x)
        assert f.requires_grad and f.is_leaf
        y = f * 3
        y.mul_(2)
        (gradient,) = torch.autograd.grad(y.sum(), f)
    assert FunctionalTensor.from_functional(gradient).tolist() == [6, 6]


def test_functions():
    x = torch.zeros(2)
    assert dispatch_functionalize(lambda x: x.add_(1))(x).tolist() == [1, 1] and x.tolist() == [0, 0]
    for api in (PythonFunctionalizeAPI(), CppFunctionalizeAPI()):
        inner = api.functionalize(lambda x: x.mul_(2) + 1)
        assert inner(torch.ones(1)).item() == 3
    api = PythonFunctionalizeAPI()
    wrapped = api.wrap_tensors([x, 3])
    assert type(wrapped[0]) is FunctionalTensor and wrapped[1] == 3 and api.unwrap_tensors(wrapped)[0] is x
    with api.redispatch_to_next():
        api.replace(wrapped[0], torch.ones(2))
        api.sync(wrapped[0])
    assert api.unwrap_tensors(wrapped[0]).tolist() == [1, 1]


def test_rules():
    neg = torch.ops.aten.neg.default
    try:

        @neg.py_functionalize_impl
        def rule(api, x):
            return api.wrap_tensors(api.unwrap_tensors(x) * 10)

        with FunctionalTensorMode():
            y = -FunctionalTensor.to_functional(torch.ones(1))
        assert FunctionalTensor.from_functional(y).item() == 10
    finally:
        neg.python_key_table.clear()


def test_refusals():
    with pytest.raises(AssertionError, match="no FunctionalTensorMode"):
        FunctionalTensor.to_functional(torch.ones(1))
    with FunctionalTensorMode() as mode:
        f = FunctionalTensor.to_functional(torch.ones(1))
    with pytest.raises(RuntimeError, match="outside of a FunctionalTensorMode"):
        f + 1
    with pytest.raises(AssertionError, match="_to_functional_tensor"):
        FunctionalTensor(torch.ones(1), mode)
    with pytest.raises(TypeError, match="got Tensor"):
        FunctionalTensor.from_functional(torch.ones(1))
    with pytest.raises(NotImplementedError, match="pre_dispatch=True"):
        FunctionalTensorMode(pre_dispatch=True)
    with pytest.raises(RuntimeError, match="expected a functional tensor"):
        torch._sync(torch.ones(1))
