"""Recording: what is done with proxies, leaf modules, constants, and what cannot be recorded."""

import math
import operator
from typing import Any, NamedTuple

import pytest

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx import PH


@fx.wrap
def wrapped(a, b=1):
    return a if b > 0 else -a


fx.wrap("len")


class Point(NamedTuple):
    x: Any
    y: Any


class Doubled(metaclass=fx.ProxyableClassMeta):
    def __init__(self, value):
        self.value = value

    def double(self):
        return self.value * 2


def lines(function, **concrete):
    """The lines of the body, without the assignments of None."""
    code = fx.symbolic_trace(function, concrete_args=concrete or None).code
    return [line.strip().split(";  ")[0] for line in code.strip("\n").split("\n") if line.startswith("    ") and line.strip()]


def starred(x, *args, **kw):
    return x + args[0] + kw["q"]


def unpacked(x):
    a, b = x.chunk(2)
    return a + b


def in_place(x, y):
    x += y
    x **= 2
    x @= y
    return x


CASES = [
    (lambda x: wrapped(x, b=len(x)), ["len_1 = len(x)", "wrapped = test_fx_trace_wrapped(x, b = len_1)", "return wrapped"]),
    (lambda x: math.sqrt(x), ["sqrt = math_sqrt(x)", "return sqrt"]),
    (lambda x: x.to(torch.float16).to(torch.device("cpu")),
     ["to = x.to(torch.float16)", "to_1 = to.to(device(type='cpu'))", "return to_1"]),
    (lambda x: x * float("inf") - float("nan"), ["mul = x * inf", "sub = mul - nan", "return sub"]),
    (lambda x: (2**x, 1 & x, 3 @ x, 1 < x, abs(x), +x, ~x),
     ["pow_1 = 2 ** x", "and_ = 1 & x", "matmul = 3 @ x", "gt = x > 1", "abs_1 = _operator_abs(x)", "pos = +x", "invert = ~x",
      "return (pow_1, and_, matmul, gt, abs_1, pos, invert)"]),
    (in_place, ["add = x + y", "pow_1 = add ** 2", "matmul = pow_1 @ y", "return matmul"]),
    (lambda x, i: x[i, :, None] + x[..., i:2],
     ["getitem = x[(i, slice(None, None, None), None)]", "getitem_1 = x[(Ellipsis, slice(i, 2, None))]",
      "add = getitem + getitem_1", "return add"]),
    (lambda x: (x.T.mT, x.foo.bar(1).baz),
     ["getattr_1 = x.foo", "bar = getattr_1.bar(1)", "getattr_2 = x.T", "getattr_3 = getattr_2.mT", "getattr_4 = bar.baz",
      "return (getattr_3, getattr_4)"]),
    (starred, ["_args = args", "_kw = kw", "getitem = _args[0]", "add = x + getitem", "getitem_1 = _kw['q']",
               "add_1 = add + getitem_1", "return add_1"]),
    (lambda x: Point(x, x + 1), ["add = x + 1", "point = test_fx_trace_Point(x, add)", "return point"]),
    (lambda x: {"a": x, "b": [x, (x,)], 1: None}, ["return {'a': x, 'b': [x, (x,)], 1: None}"]),
    (unpacked, ["chunk = x.chunk(2)", "getitem = chunk[0]", "getitem_1 = chunk[1]", "add = getitem + getitem_1", "return add"]),
    (lambda x: (F.relu(x), torch.max(x, 1)[0], torch.ops.aten.add.Tensor(x, x), torch.ops.aten.add(x, 1), torch.special.expit(x)),
     ["relu = torch.nn.functional.relu(x, inplace = False)", "max_1 = torch.max(x, 1)", "getitem = max_1[0]",
      "add_tensor = torch.ops.aten.add.Tensor(x, x)", "add = torch.ops.aten.add(x, 1)",
      "special_expit = torch._C._special.special_expit(x)", "return (relu, getitem, add_tensor, add, special_expit)"]),
    (lambda x: torch.ones(2) + x,
     ["_tensor_constant0 = self._tensor_constant0", "add = _tensor_constant0.add(x)", "return add"]),
    (lambda x: x(1, a=2), ["call = x.__call__(1, a = 2)", "return call"]),
    (lambda x: Doubled(x).double(),
     ["doubled = test_fx_trace_Doubled(x)", "double = doubled.double()", "return double"]),
    (lambda input, x_1: input.add(x_1).add(2),
     ["input_1 = input", "add = input_1.add(x_1)", "add_1 = add.add(2)", "return add_1"]),
    (lambda x: x.foo(range(3), [1, None, ...], torch.strided),
     ["foo = x.foo(range(0, 3), [1, None, Ellipsis], torch.strided)", "return foo"]),
]  # fmt: skip


@pytest.mark.parametrize("function, expected", CASES)
def test_code(function, expected):
    assert lines(function) == expected


def test_results():
    x, y = torch.randn(3, 3), torch.randn(3, 3)
    for function in (lambda x, y: torch.where(x > y, x, y @ x) / 2, lambda x, y: torch.cat([x, y])[1:-1].sum(0), in_place):
        assert torch.equal(fx.symbolic_trace(function)(x.clone(), y), function(x.clone(), y))
    assert fx.symbolic_trace(lambda x: wrapped(x, b=len(x)))([1]) == [1]


@pytest.mark.parametrize(
    "function, error, match",
    [
        (lambda x: x if x.sum() > 0 else -x, fx.proxy.TraceError, "control flow depends on the recorded value gt"),
        (lambda x: x and 1, ValueError, "control flow"),
        (lambda x: [i for i in x], fx.proxy.TraceError, "x cannot be iterated"),
        (lambda x: torch.cat([*x]), fx.proxy.TraceError, "cannot be iterated"),
        (lambda x: 1 in x, fx.proxy.TraceError, "cannot be iterated"),
        (lambda x: {x: 1}, RuntimeError, "keys must be constants"),
        (lambda x: b"bytes", NotImplementedError, "argument of type <class 'bytes'>"),
        (lambda x: int(x), TypeError, "int"),
        (lambda x: nn.Linear(2, 2)(x), NameError, "a module of type Linear"),
        (lambda x: x + nn.Parameter(torch.ones(1)), NameError, "a parameter is used"),
        (torch.relu, AssertionError, "expected a module or a Python function"),
    ],
)
def test_what_cannot_be_recorded(function, error, match):
    with pytest.raises(error, match=match):
        fx.symbolic_trace(function)
    assert not fx._symbolic_trace.is_fx_tracing()
    assert "__call__" not in vars(nn.Module) and "__getattribute__" not in vars(nn.Module)


def test_length_without_wrap_is_refused():
    space = {}
    exec("def f(x):\n    return len(x)", space)
    with pytest.raises(RuntimeError, match="the length of the recorded value x"):
        fx.symbolic_trace(space["f"])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.ModuleList([nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.BatchNorm1d(2))])
        self.plain = torch.ones(2)

    def forward(self, x):
        for m in self.b:
            x = m(x)
        y = self.a(x) * self.plain
        return self.a.weight @ y.T, self.a.weight


def test_modules_and_parameters():
    net = Net().eval()
    traced = fx.symbolic_trace(net)
    assert [n.name for n in traced.graph.nodes] == ("x b_0 b_1_0 b_1_1 a plain mul a_weight getattr_1 matmul output".split())
    stack = {n.name: n.meta.get("nn_module_stack") for n in traced.graph.nodes}
    assert (
        list(stack["b_1_0"].items()) == [("b.1", ("b.1", nn.Sequential)), ("b.1.0", ("b.1.0", nn.ReLU))] and stack["mul"] is None
    )
    x = torch.randn(3, 2)
    assert torch.equal(traced(x)[0], net(x)[0]) and traced(x)[1] is net.a.weight


def test_a_module_that_is_called_twice():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.m = nn.Sequential(nn.ReLU())

        def forward(self, x):
            return self.m(self.m(x))

    nodes = [n for n in fx.symbolic_trace(Twice()).graph.nodes if n.op == "call_module"]
    assert [list(n.meta["nn_module_stack"]) for n in nodes] == [["m", "m.0"], ["m@1", "m.0@1"]]


def test_hooks_are_recorded_inside_of_modules_only():
    net = nn.Sequential(nn.Linear(2, 2))
    net[0].register_forward_hook(lambda module, args, output: output + 1)
    assert [n.name for n in fx.symbolic_trace(net).graph.nodes] == ["input_1", "_0", "output"]


def test_tracer_options():
    class All(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return False

    names = [
        str(n.target) if n.op != "call_function" else n.target.__name__ for n in All().trace(nn.Sequential(nn.Linear(2, 2))).nodes
    ]
    assert names == ["input", "0.weight", "0.bias", "linear", "output"]

    class Shapes(nn.Linear):
        def forward(self, x):
            return x.view(-1) if self.weight.shape[0] > 1 and self.weight.size(1) == 2 and self.weight.dim() == 2 else x

    graph = fx.Tracer(param_shapes_constant=True).trace(Shapes(2, 2))
    assert [n.name for n in graph.nodes if n.op == "call_method"] == ["view"]

    class Buffers(fx.Tracer):
        proxy_buffer_attributes = True

    class Running(nn.BatchNorm1d):
        def forward(self, x):
            return x + self.running_mean + self.running_mean

    assert len(Buffers().trace(Running(2)).find_nodes(op="get_attr")) == 1
    assert len(fx.Tracer().trace(Running(2)).find_nodes(op="get_attr")) == 2

    class Asserts(fx.Tracer):
        trace_asserts = True

    space = {}  # pytest rewrites the asserts of this file
    exec("def checked(x):\n    assert x.shape[0] == 2, 'two'\n    assert x.dim() > 1\n    return x", space)
    graph = Asserts().trace(space["checked"])
    assert len(graph.find_nodes(op="call_function", target=fx.proxy.assert_fn)) == 2
    module = fx.GraphModule(nn.Module(), graph)
    assert module(torch.ones(2, 2)) is not None
    with pytest.raises(AssertionError):
        module(torch.ones(3, 2))

    class Pure(fx.Tracer):
        check_mutable_operations = True

    with pytest.raises(RuntimeError, match="changes its arguments"):
        Pure().trace(lambda x: torch.relu_(x))

    class Stacks(fx.Tracer):
        record_stack_traces = True

    node = next(n for n in Stacks().trace(lambda x: x.neg()).nodes if n.op == "call_method")
    assert "x.neg()" in node.stack_trace and "torch/fx" not in node.stack_trace
    called = fx.Tracer(autowrap_functions=(lines_of_nothing,)).trace(lambda x: lines_of_nothing(x))
    assert [n.name for n in called.nodes] == ["x", "lines_of_nothing", "output"]


def lines_of_nothing(value):
    return bool(value)


@pytest.mark.parametrize(
    "function, concrete, expected",
    [
        (lambda x, flag: x + 1 if flag else x, {"flag": True},
         ["eq = flag_1 == True",
          "_assert = torch._assert(eq, 'flag has been specialized to have value True but got another value')", "add = x + 1",
          "return add"]),
        (lambda x, flag=None: x + 1 if flag is None else x, {"flag": None},
         ["_assert_is_none = torch.fx._symbolic_trace._assert_is_none(flag_1, 'flag has been specialized to have value None "
          "but got another value')", "add = x + 1", "return add"]),
        (lambda x, d: x + d["a"] + d["b"][0], {"d": {"a": PH, "b": [PH, 3]}},
         ["x, d_1, d_2, d_3, = fx_pytree.tree_flatten_spec([x, d], self._in_spec)", "eq = d_3 == 3",
          "_assert = torch._assert(eq, 'd has been specialized to have value 3 but got another value')", "add = x + d_1",
          "add_1 = add + d_2", "return pytree.tree_unflatten([add_1], self._out_spec)"]),
    ],
)  # fmt: skip
def test_constants(function, concrete, expected):
    assert lines(function, **concrete) == expected


def test_constants_are_checked():
    traced = fx.symbolic_trace(lambda x, n: x + n, concrete_args={"n": 3})
    assert traced(1, 3) == 4 and fx.Interpreter(traced).run(1, 3) == 4
    with pytest.raises(AssertionError, match="n has been specialized to have value 3"):
        traced(1, 4)
    nested = fx.symbolic_trace(lambda x, d: {"q": (x, d["a"])}, concrete_args={"d": {"a": PH, "b": [PH, 3]}})
    assert nested(1, {"a": 2, "b": [3, 3]}) == {"q": (1, 2)} == fx.Interpreter(nested).run(1, {"a": 2, "b": [3, 3]})


def test_annotate_and_types():
    traced = fx.symbolic_trace(lambda x: fx.annotate.annotate(x + 1, int))
    assert "add : int = x + 1" in traced.code
    with pytest.raises(RuntimeError, match="already has the type"):
        fx.symbolic_trace(lambda x: fx.annotate.annotate(fx.annotate.annotate(x + 1, int), float))


def test_wrap_errors():
    with pytest.raises(NotImplementedError, match="top level"):
        fx.wrap(operator.add)
    with pytest.raises(RuntimeError, match="expected a function or its name"):
        fx.wrap(3)


def test_proxies_of_a_graph():
    graph = fx.Graph()
    x = fx.Proxy(graph.placeholder("x"))
    y = torch.relu(x) + x.size(0)
    graph.output(y.node)
    assert fx.GraphModule(nn.Module(), graph)(torch.ones(2)).tolist() == [3.0, 3.0] and repr(y) == "Proxy(add)"
    other = fx.Proxy(fx.Graph().placeholder("z"))
    with pytest.raises(RuntimeError, match="two recorders"):
        torch.add(fx.Proxy(x.node, fx.proxy.GraphAppendingTracer(graph)), other)


def test_tensors_hand_calls_over_to_recorded_arguments():
    x = torch.ones(2, 2)
    for function, name in (
        (lambda n: x.to(n), "to"),
        (lambda n: x[n], "__getitem__"),
        (lambda n: x[n, None], "__getitem__"),
        (lambda n: x.size(n), "size"),
        (lambda n: x.view((n, 1)), "view"),
        (lambda n: x.new_zeros((2, n)), "new_zeros"),
    ):
        assert fx.symbolic_trace(function).graph.find_nodes(op="call_method", target=name), name
    made = fx.symbolic_trace(lambda n: torch.full((n, 2), 1.0))
    assert made(3).shape == (3, 2)
    with pytest.raises(TypeError, match="expected a dtype"):
        x.to(object())
    with pytest.raises((TypeError, IndexError)):
        x[object()]  # noqa: B018
