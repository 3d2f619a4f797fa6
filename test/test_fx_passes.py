"""Interpreter, Transformer, replacement of subgraphs, and the passes."""

import operator

import pytest

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx import subgraph_rewriter
from torch.fx.passes.graph_drawer import FxGraphDrawer
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.infra.pass_manager import PassManager, pass_result_wrapper, this_before_that_pass_constraint
from torch.fx.passes.operator_support import OperatorSupport, OpSupports, any_chain, chain, create_op_support
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.split_module import split_module, split_module_simple


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.act = nn.Linear(2, 2), nn.ReLU()
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x, y=1):
        return self.act(self.lin(x)) * self.w + y


def test_interpreter():
    net = Net()
    traced, x = fx.symbolic_trace(net), torch.randn(3, 2)
    assert torch.equal(fx.Interpreter(traced).run(x), net(x)) and torch.equal(fx.Interpreter(traced).run(x, 5), net(x, 5))
    arguments = [x, 2]
    assert torch.equal(fx.Interpreter(traced).boxed_run(arguments), net(x, 2)) and arguments == []
    keep = fx.Interpreter(traced, garbage_collect_values=False)
    keep.run(x)
    assert len(keep.env) == len(traced.graph.nodes)
    lin = next(n for n in traced.graph.nodes if n.name == "lin")
    assert fx.Interpreter(traced).run(x, initial_env={lin: torch.ones(3, 2)}).tolist() == [[2.0, 2.0]] * 3
    with pytest.raises(RuntimeError, match="no argument is given for the parameter 'x'"):
        fx.Interpreter(traced).run()
    with pytest.raises(RuntimeError, match="While executing %lin : .num_users=1. = call_module"):
        fx.Interpreter(traced).run(torch.ones(5))


def test_transformer():
    class Other(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(torch.sub if target is operator.add else target, args, kwargs)

    net = Net()
    made = Other(fx.symbolic_trace(net)).transform()
    x = torch.randn(3, 2)
    assert torch.equal(made(x, 2), net(x, -2)) and made.w is net.w
    assert [n.name for n in fx.Transformer(made).transform().graph.nodes] == "x y lin act w mul sub output".split()


def replaced(function, pattern, replacement):
    module = fx.symbolic_trace(function)
    places = fx.replace_pattern(module, pattern, replacement)
    module.graph.lint()
    body = module.code.strip().split("\n")[1:]
    return len(places), [line.strip().split(";  ")[0] for line in body]


@pytest.mark.parametrize(
    "function, pattern, replacement, expected",
    [
        (lambda x, y: torch.add(x, y) + torch.add(y, x), lambda a, b: torch.add(a, b), lambda a, b: torch.mul(a, b),
         (2, ["mul = torch.mul(x, y)", "mul_1 = torch.mul(y, x)", "add_2 = mul + mul_1", "return add_2"])),
        (lambda x: x.relu().relu().relu(), lambda a: a.relu().relu(), lambda a: a.neg(),
         (1, ["neg = x.neg()", "relu_2 = neg.relu()", "return relu_2"])),
        (lambda x, w: torch.cat([x, w]).sum(), lambda a, b: torch.cat([a, b]), lambda a, b: torch.stack([a, b]),
         (1, ["stack = torch.stack([x, w])", "sum_1 = stack.sum()", "return sum_1"])),
        (lambda x: (x + 2) * 3, lambda a, b: a + b, lambda a, b: a - b, (1, ["sub = x - 2", "mul = sub * 3", "return mul"])),
        (lambda x: x * 1 + 2, lambda x: x * 1, lambda x: x, (1, ["add = x + 2", "return add"])),
        (lambda x: x + 1, lambda x: x * 1, lambda x: x, (0, ["add = x + 1", "return add"])),
        (lambda x: F.relu(x) + 1, lambda x: F.relu(x), lambda x: F.gelu(x),
         (1, ["gelu = torch._C._nn.gelu(x)", "add = gelu + 1", "return add"])),
        (lambda x: (lambda a: a + a.neg())(x.relu()), lambda x: x.relu().neg(), lambda x: x.abs(),
         (0, ["relu = x.relu()", "neg = relu.neg()", "add = relu + neg", "return add"])),
        (lambda x, y: (lambda a: a - a * 2)(x + y), lambda x, y: (lambda a: (a, a * 2))(x + y),
         lambda x, y: (lambda a: (a, a * 3))(x - y),
         (1, ["sub_1 = x - y", "mul_1 = sub_1 * 3", "sub = sub_1 - mul_1", "return sub"])),
    ],
)  # fmt: skip
def test_replace_pattern(function, pattern, replacement, expected):
    assert replaced(function, pattern, replacement) == expected


def test_replace_modules_and_filters():
    class Pattern(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.act = nn.Linear(2, 2), nn.ReLU()

        def forward(self, x):
            return self.act(self.lin(x))

    class Replacement(Pattern):
        def __init__(self):
            super().__init__()
            self.act = None
            self.tanh = nn.Tanh()

        def forward(self, x):
            return self.tanh(self.lin(x))

    traced = fx.symbolic_trace(Net())
    assert len(fx.replace_pattern(traced, Pattern(), Replacement())) == 1
    assert isinstance(traced.tanh, nn.Tanh) and not hasattr(traced, "act")
    x = torch.randn(3, 2)
    assert torch.equal(traced(x), torch.tanh(traced.lin(x)) * traced.w + 1)
    module = fx.symbolic_trace(lambda x: (x + 1) * (x + 2))
    places = subgraph_rewriter.replace_pattern_with_filters(
        module, lambda a, b: a + b, lambda a, b: a - b, [lambda place, graph, pattern: 1 in place.placeholder_nodes]
    )
    assert len(places) == 1 and [n.name for n in places[0].replacements] == ["sub"] and module(5) == 4 * 7
    module = fx.symbolic_trace(lambda x: (x + 1) * (x + 2))
    assert (
        len(subgraph_rewriter.replace_pattern_with_filters(module, lambda a: a + 7, lambda a: a - 8, ignore_literals=True)) == 2
    )
    with pytest.raises(ValueError, match="does not use neg"):
        fx.replace_pattern(module, lambda x: (x.neg(), x + 1)[1], lambda x: x)


def test_shape_prop():
    traced = fx.symbolic_trace(Net())
    ShapeProp(traced).propagate(torch.ones(3, 2))
    metas = {n.name: n.meta["tensor_meta"] for n in traced.graph.nodes if "tensor_meta" in n.meta}
    assert metas["lin"].shape == (3, 2) and metas["lin"].stride == (2, 1) and metas["lin"].requires_grad
    assert metas["w"].shape == (2,) and metas["x"].memory_format is torch.contiguous_format and "y" not in metas
    with pytest.raises(RuntimeError, match="ShapeProp: %lin"):
        ShapeProp(traced).propagate(torch.ones(5))


def test_split_module():
    def function(x, y):
        a = x + y
        b = a * x
        c = b - y
        return c + a, b

    traced, paths = fx.symbolic_trace(function), {}
    groups = {"add": 0, "mul": 1, "sub": 2, "add_1": 2}
    split = split_module(traced, None, lambda node: groups[node.name], paths)
    assert split(2, 3) == function(2, 3) and [name for name, _ in split.named_children()] == ["submod_0", "submod_1", "submod_2"]
    assert split.code.strip() == (
        "def forward(self, x, y):\n    submod_0 = self.submod_0(x, y)\n    submod_1 = self.submod_1(submod_0, x);  x = None\n"
        "    submod_2 = self.submod_2(submod_1, y, submod_0);  y = submod_0 = None\n    return (submod_2, submod_1)"
    )
    table = {node: groups[node.name] for node in traced.graph.nodes if node.name in groups}
    assert split_module_simple(traced, table, partition_affix="a").submod_a_0(1, 2) == 3
    with pytest.raises(RuntimeError, match="there is a cycle between the groups 0, 1"):
        split_module(traced, None, lambda node: {"mul": 1, "add_1": 1}.get(node.name, 0))
    net = Net()
    split = split_module(fx.symbolic_trace(net), None, lambda node: int(node.name not in ("lin", "act")), paths)
    x = torch.randn(3, 2)
    assert torch.equal(split(x), net(x)) and paths == {"submod_0.lin": "lin", "submod_0.act": "act"}


def test_drawing(monkeypatch):
    traced = fx.symbolic_trace(Net())
    ShapeProp(traced).propagate(torch.ones(3, 2))
    picture = FxGraphDrawer(traced, "net").get_dot_graph()
    text = picture.to_string()
    assert text.startswith('digraph "net" {') and '"x" -> "lin";' in text and "shape=(3, 2)" in text and "params: weight" in text
    assert '"w"' not in FxGraphDrawer(traced, "net", ignore_getattr=True).get_dot_graph().to_string()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RuntimeError, match="the program dot of graphviz draws png"):
        picture.create_png()


def test_drawing_svg(monkeypatch, tmp_path):
    """Without graphviz: a box for each node with its text, below those of the nodes that it uses, and a line for each use."""
    from xml.etree import ElementTree

    monkeypatch.setenv("PATH", "/nowhere")
    traced = fx.symbolic_trace(Net())
    assert FxGraphDrawer(traced, "net <1>").get_dot_graph().write_svg(tmp_path / "net.svg")
    picture = ElementTree.parse(tmp_path / "net.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    boxes = {g.find(f"{space}title").text: g for g in picture.iter(f"{space}g")}
    nodes = list(traced.graph.nodes)
    assert picture.find(f"{space}title").text == "net <1>" and list(boxes) == [node.name for node in nodes]
    top = {name: float(g.find(f"{space}rect").get("y")) for name, g in boxes.items()}
    uses = [(used, node) for node in nodes for used in node.all_input_nodes]
    assert all(top[used.name] < top[node.name] for used, node in uses)
    assert len([p for p in picture.iter(f"{space}path") if p.get("marker-end")]) == len(uses)
    for node in nodes:
        texts = [t.text for t in boxes[node.name].iter(f"{space}text")]
        assert texts[:2] == [f"name=%{node.name}", f"op_code={node.op}"]
    corners = {(g.find(f"{space}rect").get("x"), g.find(f"{space}rect").get("y")) for g in boxes.values()}
    assert len(corners) == len(nodes)


def test_pass_manager():
    def add_to_mul(module):
        for node in module.graph.nodes:
            if node.target is operator.add:
                node.target = operator.mul
        module.recompile()

    def mul_to_sub(module):
        for node in module.graph.find_nodes(op="call_function", target=operator.mul):
            node.target = operator.sub
        module.recompile()

    first, second = pass_result_wrapper(add_to_mul), pass_result_wrapper(mul_to_sub)
    manager = PassManager([second, first], [this_before_that_pass_constraint(first, second)])
    with pytest.raises(RuntimeError, match="forbids"):
        manager.validate_constraints()
    result = manager(fx.symbolic_trace(lambda x, y: x + y))
    assert result.modified and result.graph_module(5, 3) == 2
    with pytest.raises(RuntimeError, match="contradict"):
        PassManager([first, second], [lambda a, b: False])(result.graph_module)
    with pytest.raises(TypeError, match="must return a PassResult"):
        PassManager([add_to_mul])(result.graph_module)


def test_partitioner_and_support():
    traced = fx.symbolic_trace(lambda x: ((x + 1) * 2).relu() - 1 + (x + 1))
    only = create_op_support(lambda modules, node: node.target in (operator.add, operator.mul))
    partitioner = CapabilityBasedPartitioner(traced, only, allows_single_node_partition=True)
    groups = partitioner.propose_partitions()
    assert [sorted(n.name for n in group.nodes) for group in groups] == [["add", "add_1", "mul"], ["add_2"]]
    before = ((torch.ones(2) + 1) * 2).relu() - 1 + 2
    fused = partitioner.fuse_partitions(groups)
    assert torch.equal(fused(torch.ones(2)), before) and {name for name, _ in fused.named_children()} == {"fused_0", "fused_1"}
    ShapeProp(traced := fx.symbolic_trace(lambda x: torch.relu(x))).propagate(torch.ones(2))
    node = next(n for n in traced.graph.nodes if n.op == "call_function")
    support = OperatorSupport({"torch.relu": (((torch.float32,),), {})})
    assert support.is_node_supported({}, node) and not OperatorSupport({}).is_node_supported({}, node)
    refuse = OpSupports.decline_if_input_dtype(torch.float32)
    assert not chain(support, refuse).is_node_supported({}, node) and any_chain(support, refuse).is_node_supported({}, node)
    assert not OpSupports.decline_if_node_in_names({"relu"}).is_node_supported({}, node)


def test_fuse_and_remove_dropout():
    from torch.fx.experimental.optimization import fuse, optimize_for_inference, remove_dropout

    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout())
    for _ in range(3):
        model(torch.randn(4, 1, 5, 5))
    model.eval()
    x = torch.randn(2, 1, 5, 5)
    assert [name for name, _ in fuse(model).named_children()] == ["0", "2", "3"] and len(model) == 4
    torch.testing.assert_close(optimize_for_inference(model)(x), model(x))
    assert "3" not in dict(remove_dropout(model).named_children())


def test_normalized_arguments():
    from torch.fx.operator_schemas import create_type_hint, get_signature_for_torch_op, normalize_function, type_matches

    tensor = torch.ones(1)
    assert normalize_function(F.relu, (tensor,)) == ((tensor,), {"inplace": False})
    assert normalize_function(torch.relu, (1,), normalize_to_only_use_kwargs=True) == ((), {"input": 1})
    with pytest.raises(RuntimeError, match="several overloads of add"):
        normalize_function(torch.add, (1, 2))
    found = normalize_function(torch.add, (1, 2), arg_types=(torch.Tensor, torch.Tensor), normalize_to_only_use_kwargs=True)
    assert found.kwargs == {"input": 1, "other": 2, "alpha": 1}
    assert normalize_function(len, (1,)) is None and str(get_signature_for_torch_op(torch.relu)[0]) == (
        "(input: torch.Tensor) -> torch.Tensor"
    )
    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    node = next(n for n in traced.graph.nodes if n.op == "call_module")
    assert list(node.normalized_arguments(traced, normalize_to_only_use_kwargs=True).kwargs) == ["input"]
    assert create_type_hint([int, int]) == list[int] and type_matches(float, float) and not type_matches(int, float)


def test_order_is_repaired():
    from torch.fx.passes.tools_common import get_node_target, legalize_graph

    traced = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    x, relu, add, output = traced.graph.nodes
    output.append(relu)
    legalize_graph(traced).graph.lint()
    assert [n.name for n in traced.graph.nodes] == ["x", "relu", "add", "output"] and get_node_target({}, relu) == "torch.relu"
    relu.args = (add,)
    with pytest.raises(RuntimeError, match="circle"):
        legalize_graph(traced)


def test_meta_is_preserved():
    from torch.fx import traceback

    traced = fx.symbolic_trace(lambda x: torch.relu(x))
    next(n for n in traced.graph.nodes if n.op == "call_function").meta["note"] = 7
    made = fx.Transformer(traced).transform()
    assert [n.meta.get("note") for n in made.graph.nodes] == [None, 7, None]
    assert not traceback.has_preserved_node_meta()
    with traceback.preserve_node_meta(), traceback.annotate({"stage": 1}):
        graph = fx.symbolic_trace(lambda x: x + 1).graph
    assert [n.meta["custom"] for n in graph.nodes if n.op == "call_function"] == [{"stage": 1}]


def test_sizes_are_numbers():
    from torch.fx.experimental import symbolic_shapes as shapes

    assert shapes.guard_int(3) == 3 and shapes.guard_scalar(2.5) == 2.5 and shapes.hint_int(4) == 4 and shapes.is_concrete_int(1)
    assert shapes.statically_known_true(1 < 2) and shapes.statically_known_false(2 < 1) and shapes.sym_or(False, True)
    assert shapes.sym_eq([1, 2], (1, 2)) and not shapes.sym_eq([1], [2]) and not shapes.sym_and(True, False)
    assert not shapes.has_free_symbols(torch.ones(2)) and shapes.free_symbols(3) == set() and not shapes.is_symbolic(3)
    shapes.constrain_range(3, min=1, max=5)
    for call, error in (
        (lambda: shapes.constrain_range(9, min=1, max=5), ValueError),
        (lambda: shapes.check_consistent(torch.ones(2), torch.ones(3)), AssertionError),
        (lambda: shapes.constrain_unify(1, 2), AssertionError),
        (lambda: shapes.expect_true(False), AssertionError),
        (lambda: shapes.StatelessSymbolicContext([]), NotImplementedError),
    ):
        with pytest.raises(error):
            call()


def test_numbers_that_record():
    from torch.fx.experimental.symbolic_shapes import ShapeEnv, free_symbols, guard_scalar, hint_int, is_symbolic

    env = ShapeEnv()
    n, x, flag = env.create_symint(8), env.create_symfloat(1.5, "x"), env.create_symbool(True, "flag")
    assert [type(v) for v in (n, x, flag)] == [torch.SymInt, torch.SymFloat, torch.SymBool]
    assert type(n + 1) is torch.SymInt and type(n / 2) is torch.SymFloat and type(n > 2) is torch.SymBool
    texts = [n * (n + 1), (n * n) + 1, 2 - n, -(n + 1), n // 2 % 3, 2**n, torch.sym_max(n, 3), torch.sym_min(n, 1.5), x * n,
             torch.sym_sqrt(n), torch.sym_float(n), torch.sym_int(x), torch.sym_not(flag), torch.sym_ite(flag, n, n + 1),
             torch.sym_sum([n, 1, n]), n - (n - 1)]  # fmt: skip
    assert [str(t) for t in texts] == [
        "s0 * (s0 + 1)", "s0 * s0 + 1", "2 - s0", "-(s0 + 1)", "s0 // 2 % 3", "2 ** s0", "max(s0, 3)", "min(float(s0), 1.5)",
        "x * s0", "sqrt(s0)", "float(s0)", "int(x)", "not flag", "ite(flag, s0, s0 + 1)", "s0 + 1 + s0", "s0 - (s0 - 1)",
    ]  # fmt: skip
    assert [hint_int(t) for t in (texts[0], texts[6], texts[15])] == [72, 8, 1] and env.guards == []
    assert free_symbols([x * n, 3]) == {"s0", "x"} and is_symbolic(n) and not is_symbolic(3)
    assert n > 3 and not n == 5 and not (n % 2 == 1) and flag and not torch.sym_not(flag)
    assert env.guards == ["s0 > 3", "s0 != 5", "s0 % 2 != 1", "flag"]
    assert env.format_guards() == " - s0 > 3\n - s0 != 5\n - s0 % 2 != 1\n - flag"
    assert env.evaluate_guards(s0=6) and not env.evaluate_guards(s0=7) and not env.evaluate_guards(s0=2)
    assert torch.zeros(n).shape == (8,) and list(range(n - 6)) == [0, 1] and guard_scalar(x) == 1.5
    assert env.guards[4:] == ["s0 == 8", "s0 - 6 == 2", "x == 1.5"] and not env.evaluate_guards(s0=6)
    for call, error in (
        (lambda: torch.SymInt(3), TypeError),
        (lambda: n + "a", TypeError),
        (lambda: env.create_symint(1, "no name"), ValueError),
        (lambda: env.evaluate_guards(other=1), ValueError),
        (lambda: torch.sym_ite(True, 1, 2.0), TypeError),
    ):
        with pytest.raises(error):
            call()
