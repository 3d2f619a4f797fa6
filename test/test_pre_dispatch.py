"""Modes and recordings above autograd, autocast and transforms."""

import pytest

import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

KEY = torch._C.DispatchKey.PreDispatch


class Names(TorchDispatchMode):
    def __init__(self, key=KEY):
        super().__init__(key)
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append((str(func).removeprefix("aten."), torch.is_grad_enabled()))
        return func(*args, **(kwargs or {}))


def code(f, *args):
    return [line.strip().split(";")[0] for line in make_fx(f, pre_dispatch=True)(*args).code.strip().splitlines()[1:]]


def test_composite_operators_come_whole():
    x = torch.ones(2, 3, requires_grad=True)
    with Names() as before, Names(None) as below:
        with torch.no_grad():
            y = F.linear(x, x)
        z = torch.matmul(y, y).reshape(-1)
    assert before.seen == [("linear.default", False), ("matmul.default", True), ("reshape.default", True)]
    assert [name for name, _ in below.seen][:2] == ["t.default", "mm.default"] and not z.requires_grad
    torch.ones(1) + 1
    assert len(before.seen) == 3


def test_modes_are_above_autograd_autocast_and_vmap():
    x = torch.ones(2, 3, requires_grad=True)
    with Names() as names, torch.autocast("cpu"):
        y = x @ x.t()
    assert names.seen == [("t.default", True), ("matmul.default", True)] and y.requires_grad and y.dtype == torch.bfloat16
    with Names() as outer, Names() as inner:
        torch.vmap(lambda v: v * 2)(torch.ones(3))
        assert torch._C._len_pre_dispatch_stack() == 2
    assert ("mul.Tensor", True) in outer.seen and outer.seen == inner.seen and torch._C._len_pre_dispatch_stack() == 0


def test_a_mode_answers_or_leaves_the_call():
    class Tens(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return torch.full((1,), 10.0) if func is torch.ops.aten.linear.default else NotImplemented

    with Tens(KEY):
        assert F.linear(torch.ones(1, 1), torch.ones(1, 1)).item() == 10 and (torch.ones(1) + 1).item() == 2


def test_errors():
    with pytest.raises(ValueError, match="PreDispatch only"):
        Names(torch._C.DispatchKey.CPU)
    with pytest.raises(RuntimeError, match="there is none"):
        torch._C._pop_pre_dispatch_mode()
    with pytest.raises(TypeError, match="expected a mode"):
        torch._C._push_pre_dispatch_mode(3)

    class Fails(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), Fails(KEY):
        torch.ones(1)
    assert torch._C._len_pre_dispatch_stack() == 0 and torch.ones(1).item() == 1


def test_recorded_operators_and_grad_mode():
    def f(x, w):
        y = F.linear(x, w)
        with torch.no_grad():
            z = y.relu()
        return torch.matmul(z, w) + y.chunk(2)[0].sum()

    x, w = torch.rand(4, 3), torch.rand(3, 3)
    assert code(f, x, w)[:5] == [
        "linear = torch.ops.aten.linear.default(x_1, w_1)", "_set_grad_enabled = torch._C._set_grad_enabled(False)",
        "relu = torch.ops.aten.relu.default(linear)", "_set_grad_enabled_1 = torch._C._set_grad_enabled(True)",
        "matmul = torch.ops.aten.matmul.default(relu, w_1)",
    ]  # fmt: skip
    module = make_fx(f, pre_dispatch=True)(x, w)
    assert torch.equal(module(x, w), f(x, w)) and torch.is_grad_enabled()
    a = torch.rand(4, 3, requires_grad=True)
    assert torch.equal(*(torch.autograd.grad(g(a, w).sum(), a)[0] for g in (module, f)))


def test_recorded_autocast_regions():
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
        return y, x @ x

    assert code(f, torch.ones(2, 2)) == [
        "_enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, False)",
        "matmul = torch.ops.aten.matmul.default(x_1, x_1)",
        "_exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast)",
        "matmul_1 = torch.ops.aten.matmul.default(x_1, x_1)", "return (matmul, matmul_1)",
    ]  # fmt: skip
    a, b = make_fx(f, pre_dispatch=True)(torch.ones(2, 2))(torch.ones(2, 2))
    assert (a.dtype, b.dtype) == (torch.bfloat16, torch.float32) and not torch.is_autocast_enabled("cpu")


def test_recorded_gradients_and_constants():
    def f(x):
        start = torch.tensor(0.0)
        start.add_(1)
        return torch.autograd.grad((x * x).sum() * start, x)[0]

    module = make_fx(f, pre_dispatch=True)(torch.ones(3, requires_grad=True))
    for _ in range(2):
        x = torch.rand(3, requires_grad=True)
        assert torch.equal(module(x), 2 * x)


def test_vmap_is_refused():
    with pytest.raises(NotImplementedError, match="under vmap, which pre_dispatch=True"):
        make_fx(torch.vmap(lambda x: x.sum()), pre_dispatch=True)(torch.ones(2, 2))
