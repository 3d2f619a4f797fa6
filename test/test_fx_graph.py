"""Graphs: nodes, users, names, code, printing, checks, copies and pickles."""

import copy
import operator
import pickle

import pytest

import torch
from torch import fx, nn
from torch.fx.immutable_collections import immutable_dict, immutable_list


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.seq = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.w = nn.Parameter(torch.randn(4))
        self.register_buffer("b", torch.ones(4))

    def forward(self, x, y=2, *args, z: torch.Tensor = None, **kw):
        a = self.lin(x) + self.w
        b = torch.relu(a).view(-1, 4)[..., 1:2]
        c = self.seq[0](a) * 2
        d = 2 - c
        e = -d
        e += 1
        g = torch.cat([a, c], dim=1)
        i, j = g.chunk(2, dim=1)
        k = i.add(j) / y
        m = nn.functional.relu(k @ self.b, inplace=True)
        return {"a": m, "b": (b, e.shape[0]), "c": [d.T, d.dtype]}


CODE = """


def forward(self, x, y = 2, z : torch.Tensor = None, *args, **kw):
    _args = args
    _kw = kw
    lin = self.lin(x);  x = None
    w = self.w
    add = lin + w;  lin = w = None
    relu = torch.relu(add)
    view = relu.view(-1, 4);  relu = None
    getitem = view[(Ellipsis, slice(1, 2, None))];  view = None
    seq_0 = getattr(self.seq, "0")(add)
    mul = seq_0 * 2;  seq_0 = None
    sub = 2 - mul
    neg = -sub
    add_1 = neg + 1;  neg = None
    cat = torch.cat([add, mul], dim = 1);  add = mul = None
    chunk = cat.chunk(2, dim = 1);  cat = None
    getitem_1 = chunk[0]
    getitem_2 = chunk[1];  chunk = None
    add_2 = getitem_1.add(getitem_2);  getitem_1 = getitem_2 = None
    truediv = add_2 / y;  add_2 = y = None
    b = self.b
    matmul = truediv @ b;  truediv = b = None
    relu_1 = torch.nn.functional.relu(matmul, inplace = True);  matmul = None
    getattr_1 = add_1.shape;  add_1 = None
    getitem_3 = getattr_1[0];  getattr_1 = None
    getattr_2 = sub.T
    getattr_3 = sub.dtype;  sub = None
    return {'a': relu_1, 'b': (getitem, getitem_3), 'c': [getattr_2, getattr_3]}
    """


def leaves(value):
    return torch.utils._pytree.tree_leaves(value)


def test_code_and_result():
    module = Small()
    traced = fx.symbolic_trace(module)
    assert traced.code == CODE
    x = torch.randn(3, 4)
    for ours, theirs in zip(leaves(traced(x, 3)), leaves(module(x, 3)), strict=True):
        assert ours is theirs or ours == theirs if not isinstance(ours, torch.Tensor) else torch.equal(ours, theirs)
    assert str(traced).endswith("\n".join(["", CODE, "# print_readable() also shows shapes and lines of the program"]))


def example():
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.placeholder("y", type_expr=int, default_value=3)
    add = graph.call_function(torch.add, (x, [y, 2]), {"alpha": 1})
    relu = graph.call_method("relu", (add,))
    called = graph.call_module("foo.bar", (relu,))
    read = graph.get_attr("foo.w")
    graph.output((called, read))
    return graph


TEXT = """graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : int [num_users=1] = placeholder[target=y](default=3)
    %add : [num_users=1] = call_function[target=torch.add](args = (%x, [%y, 2]), kwargs = {alpha: 1})
    %relu : [num_users=1] = call_method[target=relu](args = (%add,), kwargs = {})
    %foo_bar : [num_users=1] = call_module[target=foo.bar](args = (%relu,), kwargs = {})
    %foo_w : [num_users=1] = get_attr[target=foo.w]
    return (foo_bar, foo_w)"""


def test_text_and_users():
    graph = example()
    assert str(graph) == TEXT
    x, y, add, relu, called, read, output = graph.nodes
    assert len(graph.nodes) == 7 and list(reversed(graph.nodes))[0] is output is graph.output_node()
    assert add.users == {relu: None} and add.all_input_nodes == [x, y] and add.next is relu and relu.prev is add
    assert type(add.args[1]) is immutable_list and type(add.kwargs) is immutable_dict
    assert x < y < output and not y < x and sorted([output, x]) == [x, output]
    assert graph.find_nodes(op="call_function", target=torch.add) == [add] and graph.find_nodes(op="placeholder") == [x, y]
    with pytest.raises(TypeError, match="does not support mutation"):
        add.args[1].append(1)
    with pytest.raises(TypeError, match="does not support mutation"):
        add.kwargs["alpha"] = 2
    add.kwargs = {**add.kwargs, "alpha": 2}
    assert "alpha: 2" in str(graph)


def test_changes():
    graph = example()
    x, y, add, relu, called, read, output = graph.nodes
    with pytest.raises(RuntimeError, match="add is still used by relu"):
        graph.erase_node(add)
    assert add.replace_all_uses_with(x) == [relu] and x.users == {add: None, relu: None}
    graph.erase_node(add)
    assert add not in list(graph.nodes) and list(x.users) == [relu] and not y.users
    with graph.inserting_after(x):
        made = graph.call_function(operator.add, (x, 1))
    assert list(graph.nodes)[1] is made and made.name == "add_1"
    made._rename("foo")
    assert made.name == "foo"
    relu.update_arg(0, made)
    relu.insert_arg(1, 5)
    relu.update_kwarg("key", y)
    assert relu.args == (made, 5) and relu.kwargs == {"key": y} and relu in y.users
    relu.replace_input_with(y, x)
    assert relu.kwargs == {"key": x} and not y.users
    with pytest.raises(AssertionError, match="between 0 and 2"):
        relu.insert_arg(7, 1)
    y.prepend(x)
    x.append(y)
    assert [str(n) for n in graph.nodes][:3] == ["foo", "x", "y"]


def test_dead_code():
    graph = fx.symbolic_trace(lambda x: (x + 1, torch._assert(x, "no"), x)[2]).graph
    assert graph.eliminate_dead_code() and [n.name for n in graph.nodes] == ["x", "_assert", "output"]
    assert not graph.eliminate_dead_code()
    random = fx.symbolic_trace(lambda x: (torch.rand_like(x), x)[1]).graph
    assert not random.eliminate_dead_code() and random.eliminate_dead_code(lambda node: node.op in ("placeholder", "output"))


@pytest.mark.parametrize(
    "make, error, match",
    [
        (lambda g: g.call_function("foo"), ValueError, "must be a Callable"),
        (lambda g: g.call_method(torch.add), ValueError, "must be a str"),
        (lambda g: g.create_node("foo", "x"), AssertionError, "op must be one of"),
        (lambda g: g.create_node("call_method", "x", [1]), AssertionError, "args must be a tuple"),
        (lambda g: fx.Graph().call_function(torch.add, (next(iter(g.nodes)),)).graph.lint(), RuntimeError, "another graph"),
        (lambda g: fx.GraphModule({"foo.w": torch.ones(1)}, g), RuntimeError, "names 'foo.bar'"),
        (lambda g: fx.GraphModule(nn.Module(), g), AttributeError, "foo"),
        (lambda g: fx.GraphModule(3, g), RuntimeError, "expected root to be a Module or a dict, got int"),
        (lambda g: fx.map_arg((1,), 3), TypeError, "expected fn"),
        (lambda g: g.erase_node(fx.Graph().placeholder("x")), RuntimeError, "another graph"),
    ],
)
def test_errors(make, error, match):
    with pytest.raises(error, match=match):
        make(example())


def test_lint():
    graph = example()
    nodes = list(graph.nodes)
    nodes[0].prepend(nodes[3])
    with pytest.raises(RuntimeError, match="relu uses add before it is computed"):
        graph.lint()
    module = fx.GraphModule({"foo.bar": nn.Linear(2, 2), "foo.w": torch.ones(2)}, example())
    module.graph.lint()
    del module.foo.bar
    with pytest.raises(RuntimeError, match="has no 'foo.bar'"):
        module.graph.lint()


def test_names():
    names = fx.graph._Namespace()
    given = "a a a_1 a b_1 b b_1 c_2 c c_2 x.y x.y 3a if len len torch self a_ a_ _0 _0 a_01 a_01 print abs_1 abs".split()
    made = [names.create_name(name, None) for name in ["", *given]]
    expected = "_unnamed a a_1 a_2 a_3 b_1 b b_2 c_2 c c_3 x_y x_y_1 _3a if_1 len_1 len_2 torch_1 self a_ a__1 _0 _0_1"
    assert made == [*expected.split(), "a_01", "a_4", "print_1", "abs_1", "abs_2"]
    assert [fx.graph._snake_case(n) for n in ("ReLU", "BatchNorm2d", "LSTMCell")] == ["re_lu", "batch_norm2d", "lstmcell"]


def test_infix_and_in_place_code():
    graph = fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    graph.call_function(operator.iadd, (x, y))
    graph.call_function(operator.setitem, (x, y, 1))
    graph.call_function(operator.is_not, (x, y))
    graph.call_function(getattr, (x, "a b"))
    graph.call_method("a b", (x,), type_expr=int)
    graph.call_function(isinstance, (x, torch.Tensor))
    lines = graph.python_code("self").src.strip().split("\n")[1:]
    assert [line.strip().split(";  ")[0:2] for line in lines[:2]] == [["x += y", "iadd = x"], ["x[y] = 1", "setitem = x"]]
    assert [line.strip().split(";")[0] for line in lines[2:]] == [
        "is_not = _operator_is_not(x, y)", "getattr_1 = getattr(x, 'a b')", 'a_b : int = getattr(x, "a b")()',
        "isinstance_1 = isinstance(x, torch.Tensor)",
    ]  # fmt: skip


def test_copies_and_pickles():
    traced = fx.symbolic_trace(Small())
    traced.graph.output_node().meta["note"] = 1
    x = torch.randn(3, 4)
    expected = traced(x)["a"]
    for made in (copy.deepcopy(traced), pickle.loads(pickle.dumps(traced)), copy.copy(traced)):
        assert made.code == traced.code and torch.equal(made(x)["a"], expected) and type(made).__name__ == "Small"
        made.graph.lint()
    assert copy.deepcopy(traced).graph.output_node().meta == {"note": 1}
    changed = copy.deepcopy(traced)
    with torch.no_grad():
        changed.w.add_(1)
    assert torch.equal(traced(x)["a"], expected)
    graph = pickle.loads(pickle.dumps(example()))
    assert str(graph) == TEXT


def test_a_class_of_its_own():
    first, second = fx.symbolic_trace(lambda x: x + 1), fx.symbolic_trace(lambda x: x + 2)
    assert first(1) == 2 and second(1) == 3 and type(first) is not type(second) and isinstance(first, fx.GraphModule)


def test_errors_of_generated_code_show_its_lines(capfd):
    traced = fx.symbolic_trace(lambda x: x.view(7) + 1)
    with pytest.raises(RuntimeError):
        traced(torch.ones(3))
    assert "--> " in capfd.readouterr().err
    import traceback

    try:
        traced(torch.ones(3))
    except RuntimeError as error:
        text = "".join(traceback.format_exception(error))
    assert "view = x.view(7);  x = None" in text and "<eval_with_key>" in text


def test_codegen_can_be_changed():
    class Listed(fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
            return f"def forward(self, values){maybe_return_annotation}:\n    {', '.join(free_vars)} = values"

        def process_inputs(self, *inputs):
            return inputs[0]

        def additional_globals(self):
            return [("List", list)]

    traced = fx.symbolic_trace(lambda a, b: a - b)
    traced.graph.set_codegen(Listed())
    traced.recompile()
    assert traced([5, 3]) == 2 and fx.Interpreter(traced).run([5, 3]) == 2
    with traced.graph.on_generate_code(lambda before: lambda lines: ["print_ = 1\n", *lines]):
        assert "print_ = 1" in traced.recompile().src
    assert "print_ = 1" not in traced.recompile().src


def test_print_readable_with_shapes():
    from torch.fx.passes.shape_prop import ShapeProp

    traced = fx.symbolic_trace(nn.Linear(3, 2))
    ShapeProp(traced).propagate(torch.ones(4, 3))
    text = traced.print_readable(print_output=False, include_stride=True, expanded_def=True)
    assert "input : " not in text and 'input: "f32[4, 3][3, 1]"' in text and "class Linear(torch.nn.Module):" in text


def test_folder(tmp_path, monkeypatch):
    traced = fx.symbolic_trace(Small())
    traced.to_folder(tmp_path / "saved_module", "Saved")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib

    made = importlib.import_module("saved_module").Saved()
    x = torch.randn(3, 4)
    assert torch.equal(made(x)["a"], traced(x)["a"])


def test_submodules():
    traced = fx.symbolic_trace(Small())
    assert traced.add_submodule("extra.inner", nn.ReLU()) and traced.delete_submodule("extra.inner")
    assert not traced.delete_submodule("nosuch") and hasattr(traced, "extra")
    traced.delete_all_unused_submodules()
    assert not hasattr(traced, "extra") and traced(torch.ones(1, 4)) is not None


def test_hooks_see_changes():
    traced, seen = fx.symbolic_trace(lambda x: torch.relu(x)), []
    traced._register_create_node_hook(lambda node: seen.append(("create", node.name)))
    traced._register_erase_node_hook(lambda node: seen.append(("erase", node.name)))
    traced._register_replace_node_hook(lambda old, new, user: seen.append(("replace", old.name, new, user.name)))
    node = next(n for n in traced.graph.nodes if n.op == "call_function")
    with traced.graph.inserting_after(node):
        other = traced.graph.call_function(torch.tanh, node.args)
    node.replace_all_uses_with(other)
    traced.graph.erase_node(node)
    assert seen == [("create", "tanh"), ("replace", "relu", "tanh", "output"), ("erase", "relu")]


def test_light_import():
    import subprocess
    import sys

    program = (
        "import sys, torch, torch.fx; torch.fx.wrap; print([m for m in sys.modules if m.startswith(('torch.fx.', 'torch.nn'))])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "['torch.fx._wrap']"


def test_table_and_preserved_attributes(monkeypatch, capsys):
    import sys
    import types

    fake = types.ModuleType("tabulate")
    fake.tabulate = lambda rows, headers: "\n".join(" ".join(map(str, row)) for row in [headers, *rows])
    monkeypatch.setitem(sys.modules, "tabulate", fake)
    example().print_tabular()
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "opcode name target args kwargs" and len(printed) == 8
    assert printed[4] == "call_method relu relu (add,) {}"
    monkeypatch.setitem(sys.modules, "tabulate", None)
    with pytest.raises(ImportError, match="pip install tabulate"):
        example().print_tabular()
    traced = fx.symbolic_trace(lambda x: x + 1)
    traced.meta[fx.graph_module._USER_PRESERVED_ATTRIBUTES_KEY] = {"note": 3}
    assert copy.deepcopy(traced).note == 3
