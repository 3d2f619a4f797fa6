"""TorchDispatchMode, and what is built on it: ModuleTracker and FlopCounterMode. Also hooks on several gradients."""

import operator
import re

import pytest

import torch
from torch import fx, nn
from torch.autograd.graph import register_multi_grad_hook
from torch.utils._python_dispatch import (
    BaseTorchDispatchMode,
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode,
    is_in_torch_dispatch_mode,
    is_traceable_wrapper_subclass,
)
from torch.utils.flop_counter import FlopCounterMode, flop_registry, register_flop_formula
from torch.utils.module_tracker import ModuleTracker


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def test_a_mode_sees_forward_and_backward():
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3, 4)
    with Names() as names:
        torch.mm(x, w).sum().backward()
    assert names.seen[:2] == ["aten.mm.default", "aten.sum.default"] and names.seen.count("aten.mm.default") == 2
    assert torch.equal(x.grad, torch.full((2, 3), 4.0))
    torch.ones(1) + 1
    assert "aten.add.Tensor" not in names.seen


def test_a_mode_answers():
    class Sevens(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            return torch.full_like(out, 7) if func is torch.ops.aten.add.Tensor else out

    x = torch.ones(2)
    with Sevens():
        assert torch.equal(x + 1, torch.full((2,), 7.0)) and torch.equal(x * 3, torch.full((2,), 3.0))


def test_modes_are_nested():
    x = torch.ones(2)
    with Names() as outer, Names() as inner, BaseTorchDispatchMode():
        assert isinstance(_get_current_dispatch_mode(), BaseTorchDispatchMode) and is_in_torch_dispatch_mode()
        x + 1
        with _disable_current_modes():
            assert not is_in_torch_dispatch_mode()
            x * 1
    assert outer.seen == inner.seen == ["aten.add.Tensor"] and _get_current_dispatch_mode() is None


def test_errors_leave_the_mode():
    class Fails(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ValueError("from the mode")

    x = torch.ones(1)
    with pytest.raises(ValueError, match="from the mode"), Fails():
        x + 1
    with pytest.raises(NotImplementedError, match="TorchDispatchMode defines no __torch_dispatch__"), TorchDispatchMode():
        x + 1
    assert (x + 1).item() == 2 and not is_in_torch_dispatch_mode() and not is_traceable_wrapper_subclass(x)


def test_results_that_were_not_asked_for():
    """A kernel in Python returns None for them: convolution_backward for an image without a gradient."""
    conv = nn.Conv1d(1, 1, 2)
    with BaseTorchDispatchMode():
        conv(torch.ones(1, 1, 3)).sum().backward()
    assert torch.equal(conv.weight.grad, torch.full((1, 1, 2), 2.0))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.b(self.a(x).relu())


def test_module_tracker():
    seen = []

    class Note(nn.Module):
        def forward(self, x):
            inside = x * 3
            inside.register_hook(lambda gradient: seen.append(("backward", tracker.is_bw, frozenset(tracker.parents))))
            seen.append(("forward", tracker.is_bw, frozenset(tracker.parents)))
            return inside * 2

    net = nn.Sequential(nn.Linear(2, 2), Note())
    with ModuleTracker() as tracker:
        net(torch.ones(1, 2)).sum().backward()
        assert tracker.parents == {"Global"}
    names = {"Global", "Sequential", "Sequential.1"}
    assert seen == [("forward", False, names), ("backward", True, names)]


def test_flops_by_module():
    net = Net()
    with FlopCounterMode(display=False) as counter:
        net(torch.ones(3, 4)).sum().backward()
    counts = {name: sum(numbers.values()) for name, numbers in counter.get_flop_counts().items()}
    # 2 * 3 * 4 * 4 for each of: two products forward, two for b's gradients, one for a's weight
    assert counts == {"Global": 480, "Net": 480, "Net.a": 192, "Net.b": 288} and counter.get_total_flops() == 480


@pytest.mark.parametrize("call, flops", [
    (lambda: torch.mm(torch.ones(2, 3), torch.ones(3, 5)), 60),
    (lambda: torch.bmm(torch.ones(4, 2, 3), torch.ones(4, 3, 5)), 240),
    (lambda: torch.baddbmm(torch.ones(5), torch.ones(4, 2, 3), torch.ones(4, 3, 5)), 240),
    (lambda: torch.einsum("ik,kj->ij", torch.ones(2, 3), torch.ones(3, 5)), 60),
    (lambda: torch.conv2d(torch.ones(2, 3, 5, 5), torch.ones(4, 3, 3, 3)), 2 * 2 * 9 * 4 * 27),
    (lambda: torch.conv_transpose2d(torch.ones(2, 3, 5, 5), torch.ones(3, 4, 3, 3), stride=2), 2 * 2 * 25 * 3 * 36),
    (lambda: torch.ones(2) + 1, 0),
])  # fmt: skip
def test_flops_of_operators(call, flops):
    with FlopCounterMode(display=False) as counter:
        call()
    assert counter.get_total_flops() == flops


def test_flops_of_backward():
    x, w = torch.ones(2, 3, 5, 5, requires_grad=True), torch.ones(4, 3, 3, 3, requires_grad=True)
    y = torch.conv2d(x, w)
    with FlopCounterMode(display=False) as counter:
        y.sum().backward()
    assert counter.get_total_flops() == 2 * (2 * 2 * 9 * 4 * 27)


def test_table(capsys):
    with FlopCounterMode(depth=1):
        nn.Linear(2000, 3000)(torch.ones(1000, 2000))
    lines = capsys.readouterr().out.splitlines()
    assert re.split(r"  +", lines[2]) == ["Linear", "12.000B", "100.00%"] and len(lines) == 4 and len({*map(len, lines)}) == 1
    with FlopCounterMode(display=False) as counter:
        torch.ones(1) + 1
    assert counter.get_table().splitlines()[-1].split() == ["Global", "0", "0%"]


def test_formulas_of_programs():
    custom = {torch.ops.aten.relu: lambda shape, out_shape=None: shape.numel()}
    with FlopCounterMode(display=False, custom_mapping=custom) as counter:
        torch.relu(torch.ones(2, 3))
    assert counter.get_total_flops() == 6

    @register_flop_formula(torch.ops.aten.sign, get_raw=True)
    def sign_flop(x, out_val=None):
        return x.numel() + out_val.numel()

    try:
        with FlopCounterMode(display=False) as counter:
            torch.sign(torch.ones(2))
        assert counter.get_total_flops() == 4
        with pytest.raises(RuntimeError, match="already"):
            register_flop_formula(torch.ops.aten.sign)(sign_flop)
    finally:
        del flop_registry[torch.ops.aten.sign]
    with pytest.raises(ValueError, match="got 3"):
        register_flop_formula(3)(sign_flop)


def test_hook_on_all_gradients():
    seen = []
    a, b, c = (torch.ones(1, requires_grad=True) for _ in range(3))
    handle = register_multi_grad_hook((a, b, c), lambda gradients: seen.append([g and g.item() for g in gradients]))
    (2 * a + 3 * b).backward()
    (2 * a + 3 * b + 4 * c).backward()
    torch.autograd.grad(5 * a + b, a)
    assert seen == [[2, 3, None], [2, 3, 4], [5, None, None]]
    handle.remove()
    (2 * a).backward()
    assert len(seen) == 3


def test_hook_on_any_gradient():
    seen = []
    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    y = 2 * a
    register_multi_grad_hook((y, b), lambda gradient: seen.append(gradient.item()), mode="any")
    (3 * y + 4 * b).backward()
    (3 * b).backward()
    assert len(seen) == 2 and seen[0] in (3, 4) and seen[1] == 3
    with pytest.raises(ValueError, match="got 'some'"):
        register_multi_grad_hook((a,), print, mode="some")


def test_questions_about_a_running_backward():
    with pytest.raises(RuntimeError, match="during a backward"):
        torch._C._will_engine_execute_node((2 * torch.ones(1, requires_grad=True)).grad_fn)
    a = torch.ones(1, requires_grad=True)
    a.register_hook(lambda gradient: torch._C._will_engine_execute_node(3))
    with pytest.raises(TypeError, match="got int"):
        (2 * a).backward()


class ToGraph(TorchDispatchMode):
    """Writes the operators of a block into a graph, as a program would do it."""

    def __init__(self, *inputs):
        super().__init__()
        self.graph = fx.Graph()
        self.kept = list(inputs)  # so that no other tensor gets the same id
        self.nodes = {id(x): self.graph.placeholder(f"x{k}") for k, x in enumerate(inputs)}
        self.root = {}

    def node_of(self, value):
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.node_of, value))
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self.nodes:  # a constant of the program
            name = f"constant{len(self.root)}"
            self.root[name] = value.clone()
            self.nodes[id(value)] = self.graph.get_attr(name)
            self.kept.append(value)
        return self.nodes[id(value)]

    def note(self, out, node):
        if isinstance(out, torch.Tensor):
            self.nodes[id(out)] = node
            self.kept.append(out)
        elif isinstance(out, (list, tuple)):
            for k, each in enumerate(out):
                self.note(each, self.graph.call_function(operator.getitem, (node, k)))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        named = {name: self.node_of(value) for name, value in (kwargs or {}).items()}
        node = self.graph.call_function(func, self.node_of(tuple(args)), named)
        out = func(*args, **(kwargs or {}))
        self.note(out, node)
        return out

    def module(self, out):
        self.graph.output(self.node_of(out))
        return fx.GraphModule(self.root, self.graph)


TARGETS = "mm.default arange.default add.Tensor max.dim sin.default mul.Tensor ones.default sum.default mul_.Tensor".split()


def test_a_mode_that_writes_a_graph():
    weight = torch.rand(3, 3)

    def f(x):
        values, places = torch.max(x @ weight + torch.arange(3.0), 1)
        return values.sin() * 2, places, torch.ones(2).mul_(x.sum())

    x = torch.rand(2, 3)
    with ToGraph(x) as recorder:
        out = f(x)
    module = recorder.module(out)
    targets = [str(node.target) for node in module.graph.nodes if node.op == "call_function" and "aten" in str(node.target)]
    assert targets == [f"aten.{name}" for name in TARGETS]
    for given in (x, torch.rand(2, 3)):
        assert all(torch.equal(a, b) for a, b in zip(module(given), f(given)))


def test_a_mode_sees_every_factory():
    calls = {
        "empty": lambda: torch.empty(2), "zeros": lambda: torch.zeros(2), "ones": lambda: torch.ones(2),
        "full": lambda: torch.full((2,), 3.0),
        "arange": lambda: torch.arange(3), "linspace": lambda: torch.linspace(0, 1, 3), "eye": lambda: torch.eye(2),
        "rand": lambda: torch.rand(2), "randn": lambda: torch.randn(2), "randint": lambda: torch.randint(3, (2,)),
        "randperm": lambda: torch.randperm(3), "tril_indices": lambda: torch.tril_indices(2, 2),
        "lift_fresh": lambda: torch.tensor(3.0),
        "hann_window": lambda: torch.hann_window(3), "logspace": lambda: torch.logspace(0, 1, 3),
        "scalar_tensor": lambda: torch.scalar_tensor(2),
        "zeros_like": lambda: torch.zeros_like(X), "new_ones": lambda: X.new_ones(2),
        "empty_strided": lambda: torch.empty_strided((2,), (1,)),
    }  # fmt: skip
    for name, call in calls.items():
        with Names() as names:
            call()
        assert any(seen.split(".")[1] == name for seen in names.seen) or name == "hann_window" and names.seen, (name, names.seen)


X = torch.ones(2)


def test_a_mode_replaces_the_device_of_factories():
    class OnMeta(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if "device" in kwargs:
                kwargs["device"] = torch.device("meta")
            return func(*args, **kwargs)

    x = torch.ones(2)
    with OnMeta():
        made = [torch.ones(2), torch.empty(2, 3), torch.rand(2), torch.arange(3), torch.eye(2), nn.Linear(2, 3).weight]
        like = torch.zeros_like(x)
    assert all(t.is_meta for t in made) and not like.is_meta


def test_options_of_factories():
    seen = []

    class Note(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(kwargs or {})
            return func(*args, **(kwargs or {}))

    with Note():
        x = torch.ones(2, 3)
        torch.ones((2, 3), device=None, dtype=torch.float64)
        torch.zeros_like(x)
        torch.ops.aten.ones([2])
    cpu = torch.device("cpu")
    stated = {"device": cpu, "pin_memory": False}
    assert seen == [stated, {**stated, "dtype": torch.float64}, {"pin_memory": False}, {}]
