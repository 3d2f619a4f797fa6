"""torch.autograd.graph: saved tensors that are changed, edges, nodes; batched gradients and Jacobians at once."""

import pytest

import torch
from torch.autograd import graph
from torch.autograd.functional import hessian, jacobian


def test_saved_tensors_may_be_changed():
    x = torch.ones(2, requires_grad=True)
    with graph.allow_mutation_on_saved_tensors():
        a = x.clone()
        y = a * a
        a.mul_(3)
        z = a.sin()
        a.zero_()
        (y.sum() + z.sum()).backward()
    torch.testing.assert_close(x.grad, 2 + 3 * torch.full((2,), 3.0).cos())


def test_views_of_saved_tensors_may_be_changed():
    x = torch.ones(4, requires_grad=True)
    with graph.allow_mutation_on_saved_tensors():
        a = x.clone()
        b = a.view(2, 2)
        y = (b * b).sum()
        a[0] = 5.0
        z = (a * a).sum()
        b.mul_(2)
        (y + z).backward()
    assert x.grad.tolist() == [2, 4, 4, 4]


def test_only_what_is_changed_is_copied():
    x = torch.ones(3, requires_grad=True)
    with graph.allow_mutation_on_saved_tensors() as saved:
        a, b = x.clone(), x.clone()
        y = (a * a).sum() + (b * b).sum()
        held = {id(s): s for places in saved.by_storage.values() for s in places}
        b.zero_()
        assert sorted(s.copy is None for s in held.values()) == [False, False, True, True]
        y.backward()
    assert x.grad.tolist() == [4, 4, 4]


def test_block_of_changes_is_left():
    x = torch.ones(2, requires_grad=True)
    with graph.allow_mutation_on_saved_tensors():
        a = x.clone()
        y = a * a
        a.mul_(3)
    with pytest.raises(AssertionError, match="outside of the block"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="cannot be nested"), graph.allow_mutation_on_saved_tensors():
        with graph.allow_mutation_on_saved_tensors():
            pass
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        a = x.clone()
        y = a * a
        a.mul_(3)
        y.sum().backward()


def test_nodes():
    x = torch.ones(2, requires_grad=True)
    node = (x * 2 + 1).sin().grad_fn
    assert isinstance(node, graph.Node) and issubclass(type(node), graph.Node) and node.name() == "SinBackward0"
    assert [type(n).__name__ for n, _ in node.next_functions] == ["AddBackward0"] and node.metadata == {}
    node.metadata["note"] = 1
    seen = []
    node.register_prehook(lambda grads: seen.append(("pre", grads[0].tolist())))
    node.register_hook(lambda inputs, outputs: seen.append(("post", outputs[0].tolist())))
    node.metadata.clear()
    y = (x * 2 + 1).sin()
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 0,))
    y.sum().backward()
    assert x.grad.tolist() == [0, 0] and seen == []


def test_edges():
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    edge = graph.get_gradient_edge(y)
    assert torch.autograd.grad((y * y).sum(), edge, retain_graph=True)[0].tolist() == [6, 6]
    assert graph.get_gradient_edge(x).node.name().endswith("AccumulateGrad")
    with pytest.raises(RuntimeError, match="does not require"):
        graph.get_gradient_edge(torch.ones(1))


def test_hooks_on_saved_tensors():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="not here"), graph.disable_saved_tensors_hooks("not here"), graph.save_on_cpu():
        pass
    with graph.save_on_cpu(pin_memory=False):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_refused():
    with pytest.raises(RuntimeError, match="compiles nothing"):
        graph.region_activation_memory_budget(0.5)
    with pytest.raises(NotImplementedError, match="the containers by"):
        type("Nested", (torch.autograd.NestedIOFunction,), {})
    with pytest.raises(ValueError, match="'all' or 'any'"):
        graph.register_multi_grad_hook((torch.ones(1, requires_grad=True),), print, mode="some")


def test_anomaly_names_the_forward_call():
    with pytest.warns(UserWarning) as warned, pytest.raises(RuntimeError, match="SqrtBackward0"):
        with torch.autograd.detect_anomaly():
            root = torch.tensor(-1.0, requires_grad=True).sqrt()  # the line that is shown
            root.backward()
    assert any("the line that is shown" in str(w.message) for w in warned)


def test_batched_gradients():
    x = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    unused = torch.ones(1, dtype=torch.float64, requires_grad=True)
    y, z = x.sin().prod(1), (x * x).sum(0)
    weights = torch.randn(4, 3, dtype=torch.float64), torch.randn(4, 2, dtype=torch.float64)
    found = torch.autograd.grad((y, z), (x, unused), weights, retain_graph=True, allow_unused=True, is_grads_batched=True)
    for k in range(4):
        one = torch.autograd.grad((y, z), x, (weights[0][k], weights[1][k]), retain_graph=True)[0]
        torch.testing.assert_close(found[0][k], one)
    assert found[1] is None
    calls = []
    x.register_hook(lambda g: calls.append(1))
    twice = torch.autograd.grad((x**3).sum(), x, torch.eye(1, dtype=torch.float64)[0], create_graph=True, is_grads_batched=True)[
        0
    ]
    torch.testing.assert_close(torch.autograd.grad(twice.sum(), x)[0], 6 * x.detach())
    assert len(calls) == 2


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_jacobians_at_once(strategy):
    def function(x, y):
        return x.sin() * y.sum(), (x @ x.T).sum() + y

    inputs = torch.randn(2, 2, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    options = {"vectorize": True, "strategy": strategy}
    torch.testing.assert_close(jacobian(function, inputs, **options), jacobian(function, inputs))
    single = inputs[0]
    torch.testing.assert_close(jacobian(torch.sin, single, **options), jacobian(torch.sin, single))
    torch.testing.assert_close(
        hessian(lambda x: (x**3).sum() * x.sum(), single, vectorize=True, outer_jacobian_strategy=strategy),
        hessian(lambda x: (x**3).sum() * x.sum(), single),
    )
    assert jacobian(lambda x: torch.ones(2), single, vectorize=True).shape == (2, 2, 2)


def test_jacobians_that_are_refused():
    x = torch.ones(2)
    for options, error in (
        ({"strategy": "other"}, ValueError),
        ({"strict": True, "vectorize": True}, RuntimeError),
        ({"strategy": "forward-mode"}, NotImplementedError),
        ({"strategy": "forward-mode", "vectorize": True, "create_graph": True}, NotImplementedError),
    ):
        with pytest.raises(error):
            jacobian(torch.sin, x, **options)
    made = jacobian(lambda x: x**3, x.requires_grad_(), create_graph=True, vectorize=True)
    assert torch.autograd.grad(made.sum(), x)[0].tolist() == [6, 6]


# --- saved-tensor hooks through all layers --------------------------------------------------------------------------------------


def _cube(x):
    return (x * x * x).sum()


def _by_backward(call):
    def gradient(x):
        x = x.detach().requires_grad_()
        call(x).backward()
        return x.grad

    return gradient


def _layered(name):
    from torch.overrides import BaseTorchFunctionMode
    from torch.utils._python_dispatch import BaseTorchDispatchMode
    from torch.utils.checkpoint import checkpoint

    def within(block):
        def gradient(x):
            with block():
                return _by_backward(_cube)(x)

        return gradient

    return {
        "autograd": _by_backward(_cube),
        "autocast": within(lambda: torch.autocast("cpu")),
        "__torch_function__": within(BaseTorchFunctionMode),
        "__torch_dispatch__": within(BaseTorchDispatchMode),
        "checkpoint": _by_backward(lambda x: checkpoint(_cube, x, use_reentrant=False)),
        "functionalize": _by_backward(torch.func.functionalize(_cube)),
        "vmap": _by_backward(lambda x: torch.vmap(lambda v: v * v * v)(x).sum()),
        "grad of vmap": torch.func.grad(lambda x: torch.vmap(lambda v: v * v * v)(x).sum()),
        "vmap of grad": lambda x: torch.vmap(torch.func.grad(lambda v: v * v * v))(x),
        "jacrev": lambda x: torch.func.jacrev(_cube)(x),
    }[name]


LAYERS = [
    "autograd", "autocast", "__torch_function__", "__torch_dispatch__", "checkpoint", "functionalize", "vmap", "grad of vmap",
    "vmap of grad", "jacrev",
]  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_hooks_on_saved_tensors_through_layers(layer):
    x = torch.tensor([1.0, 2.0])
    packed, unpacked = [], []

    def pack(t):
        packed.append(t)
        return t.detach().clone().numpy() if not torch._is_functional_tensor(t) and t.dim() == 1 else t

    def unpack(held):
        unpacked.append(held)
        return held if isinstance(held, torch.Tensor) else torch.from_numpy(held)

    with graph.saved_tensors_hooks(pack, unpack):
        gradient = _layered(layer)(x)
    assert gradient.tolist() == [3, 12] and packed and unpacked


def test_gradients_of_several_tensors_need_tensors_with_gradients():
    with pytest.raises(AssertionError, match="must require a gradient"):
        torch.autograd.graph.register_multi_grad_hook((torch.ones(1),), print)
