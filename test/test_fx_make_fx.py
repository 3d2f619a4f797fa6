"""make_fx: graphs of operators, recorded by running a function."""

import itertools
import math

import ops
import pytest
from table_exceptions import FAKE, LIFTS, MAKE_FX, SYMBOLS, left_out
from vmap_samples import examples_of, tensors_in

import torch
import torch.nn.functional as F
from torch import nn
from torch.fx.experimental.proxy_tensor import (
    DecompositionInterpreter,
    PythonKeyTracer,
    decompose,
    disable_proxy_modes_tracing,
    get_isolated_graphmodule,
    get_proxy_mode,
    make_fx,
)
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten


def lines(function, *args, **options):
    code = make_fx(function, **options)(*args).code
    return [line.strip().split(";  ")[0] for line in code.strip("\n").split("\n") if line.startswith("    ") and line.strip()]


CPU_OPTIONS = "device = device(type='cpu'), pin_memory = False)"  # of a factory that Python calls
W = torch.ones(3)


def in_two_steps(x, y):
    b = torch.add(x, y, alpha=2).relu_().sum(0, keepdim=True) + W
    values, places = torch.max(b, 0)
    return {"q": values.view(-1), "r": [places, 3]}


CASES = [
    (in_two_steps, (torch.ones(2, 3), torch.ones(3)),
     ["add = torch.ops.aten.add.Tensor(x_1, y_1, alpha = 2)", "relu_ = torch.ops.aten.relu_.default(add)",
      "sum_1 = torch.ops.aten.sum.dim_IntList(relu_, [0], True)", "_tensor_constant0 = self._tensor_constant0",
      "add_1 = torch.ops.aten.add.Tensor(sum_1, _tensor_constant0)", "max_1 = torch.ops.aten.max.dim(add_1, 0)",
      "getitem = max_1[0]", "getitem_1 = max_1[1]",
      "view = torch.ops.aten.view.default(getitem, [-1])", "return {'q': view, 'r': [getitem_1, 3]}"]),
    (lambda x, n: x + n, (torch.ones(3), 2), ["add = torch.ops.aten.add.Tensor(x_1, 2)", "return add"]),
    (lambda x: x.add_(1).mul_(x), (torch.ones(3),),
     ["add_ = torch.ops.aten.add_.Tensor(x_1, 1)", "mul_ = torch.ops.aten.mul_.Tensor(add_, add_)", "return mul_"]),
    (lambda d: d["a"][0] + d["b"], ({"a": [torch.ones(3)], "b": 2},),
     ["d_1, d_2, = fx_pytree.tree_flatten_spec([d], self._in_spec)", "add = torch.ops.aten.add.Tensor(d_1, 2)",
      "return pytree.tree_unflatten([add], self._out_spec)"]),
    (lambda *a: a[0] + a[1], (torch.ones(2), torch.ones(2)), ["add = torch.ops.aten.add.Tensor(arg0_1, arg1_1)", "return add"]),
    (lambda: torch.ones(3), (), ["ones = torch.ops.aten.ones.default([3], " + CPU_OPTIONS, "return ones"]),
    (lambda x: F.linear(x, x).matmul(x), (torch.ones(3, 3),),
     ["t = torch.ops.aten.t.default(x_1)", "mm = torch.ops.aten.mm.default(x_1, t)", "mm_1 = torch.ops.aten.mm.default(mm, x_1)",
      "return mm_1"]),
    (lambda x: (x + 1, x)[1], (torch.ones(3),), ["add = torch.ops.aten.add.Tensor(x_1, 1)", "return x_1"]),
    (lambda x: None, (torch.ones(3),), ["return None"]),
    (lambda x: x * torch.tensor([1.0, 2.0, 3.0]), (torch.ones(3),),
     ["_tensor_constant0 = self._tensor_constant0", "lift_fresh_copy = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0)",
      "mul = torch.ops.aten.mul.Tensor(x_1, lift_fresh_copy)", "return mul"]),
]  # fmt: skip


@pytest.mark.parametrize("function, args, expected", CASES)
def test_code(function, args, expected):
    assert lines(function, *args) == expected


def test_modules_and_their_weights():
    module = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    x = torch.randn(3, 2)
    made = make_fx(module)(x)
    assert dict(made.named_parameters())["_param_constant0"] is module[0].weight
    count = module[1].num_batches_tracked.item()
    torch.testing.assert_close(made(x), module(x))
    assert module[1].num_batches_tracked.item() == count + 2
    text = made.print_readable(print_output=False)
    assert 'addmm: "f32[3, 2]"' in text and '_param_constant1: "f32[2]"' in text


def test_gradients_are_recorded():
    x = torch.randn(3, requires_grad=True)
    made = make_fx(lambda x: torch.autograd.grad((x.sigmoid() * x).sum(), x))(x)
    y = torch.randn(3)
    expected = torch.autograd.grad((y.requires_grad_().sigmoid() * y).sum(), y)
    torch.testing.assert_close(made(y.detach()), expected)
    assert made(y.detach())[0].grad_fn is None
    assert not [n for n in made.graph.nodes if n.op == "get_attr"]


def test_transforms_are_recorded():
    function = torch.vmap(torch.func.grad(lambda x, w: (x @ w).sin().sum()), in_dims=(0, None))
    x, w = torch.randn(3, 2), torch.randn(2, 4)
    made = make_fx(function)(x, w)
    torch.testing.assert_close(made(x + 1, w * 2), function(x + 1, w * 2))
    assert not [n for n in made.graph.nodes if n.op == "get_attr"]


def test_a_training_step():
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    names = [name for name, _ in model.named_parameters()]

    def step(parameters, x, y):
        loss = F.mse_loss(torch.func.functional_call(model, dict(zip(names, parameters)), (x,)), y)
        gradients = torch.autograd.grad(loss, parameters)
        return loss, [p - 0.1 * g for p, g in zip(parameters, gradients)]

    parameters = [p.detach().requires_grad_() for p in model.parameters()]
    x, y = torch.randn(5, 2), torch.randn(5, 1)
    made = make_fx(step)(parameters, x, y)
    for _ in range(3):
        expected, got = step(parameters, x, y), made(parameters, x, y)
        torch.testing.assert_close(got, expected)
        parameters = [p.detach().requires_grad_() for p in expected[1]]


def test_fake_tensors():
    model = nn.Linear(2, 3)
    made = make_fx(lambda x: model(x).relu(), tracing_mode="fake", _allow_non_fake_inputs=True)(torch.ones(4, 2))
    x = torch.randn(5, 2)
    torch.testing.assert_close(made(x), model(x).relu())
    values = {n.name: n.meta["val"] for n in made.graph.nodes if "val" in n.meta}
    assert type(values["relu"]).__name__ == "FakeTensor" and values["relu"].shape == (4, 3)
    text = made.print_readable(print_output=False, include_stride=True, include_device=True)
    assert 'relu: "f32[4, 3][3, 1]cpu"' in text
    with pytest.raises(AssertionError, match="allow_non_fake_inputs"):
        make_fx(lambda x: x + W, tracing_mode="fake")(torch.ones(3))


def test_decompositions():
    table = {torch.ops.aten.sigmoid.default: lambda x: 1 / (1 + torch.exp(-x))}
    expected = [
        "neg = torch.ops.aten.neg.default(x_1)", "exp = torch.ops.aten.exp.default(neg)",
        "add = torch.ops.aten.add.Tensor(exp, 1)",
        "reciprocal = torch.ops.aten.reciprocal.default(add)", "mul = torch.ops.aten.mul.Tensor(reciprocal, 1)", "return mul",
    ]  # fmt: skip
    assert lines(torch.sigmoid, torch.ones(3)) == ["sigmoid = torch.ops.aten.sigmoid.default(arg0_1)", "return sigmoid"]
    assert lines(lambda x: torch.sigmoid(x), torch.ones(3), decomposition_table=table) == expected
    with decompose(table):
        assert lines(lambda x: torch.sigmoid(x), torch.ones(3)) == expected
    assert len(lines(lambda x: torch.sigmoid(x), torch.ones(3))) == 2
    module, graph = make_fx(lambda x: torch.sigmoid(x) * 2)(torch.ones(3)), torch.fx.Graph()
    DecompositionInterpreter(module, graph, table).run(torch.ones(3))
    again = torch.fx.GraphModule(module, graph)
    torch.testing.assert_close(again(torch.zeros(2)), torch.ones(2))
    assert len(graph.find_nodes(op="call_function", target=torch.ops.aten.exp.default)) == 1


def test_pausing_and_asking():
    seen = []

    def function(x):
        seen.append(get_proxy_mode())
        with disable_proxy_modes_tracing():
            seen.append(get_proxy_mode())
            hidden = x + 1
        inner = get_isolated_graphmodule(lambda a, b: a * b, (x,), {"b": x})
        seen.append([n.name for n in inner.graph.nodes if n.op == "call_function"])
        return x + hidden

    made = make_fx(function)(torch.ones(2))
    assert seen[0] is not None and isinstance(seen[0].tracer, PythonKeyTracer) and seen[1] is None and seen[2] == ["mul"]
    assert [n.name for n in made.graph.nodes if n.op != "output"] == ["x_1", "_tensor_constant0", "add"]
    assert get_proxy_mode() is None


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: make_fx(lambda x: x * x.sum().item())(W), RuntimeError, "the recorded tensor sum_1"),
        (lambda: make_fx(lambda x: x if x.sum() > 0 else -x)(W), RuntimeError, "control flow and .item.. cannot depend"),
        (lambda: make_fx(lambda x: x, tracing_mode="other")(W), ValueError, "got 'other'"),
        (lambda: make_fx(lambda x, y: x)(W), RuntimeError, "expected 2 arguments but got 1"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
    assert get_proxy_mode() is None and not torch.utils._python_dispatch.is_in_torch_dispatch_mode()


def test_numbers_of_constants_are_known():
    three = torch.tensor(3.0)
    assert lines(lambda x: x * three.item(), W) == ["mul = torch.ops.aten.mul.Tensor(x_1, 3.0)", "return mul"]


# --- the operator table ---------------------------------------------------------------------------

TABLE = [op for op in ops.all_ops() if not left_out("make_fx", op)]


def is_expected(op, error):
    return op.name in MAKE_FX and MAKE_FX[op.name][1] in str(error)


def function_of(op, sample):
    """(function of the tensors of a sample, the tensors)."""
    flat, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    where = [k for k, x in enumerate(flat) if isinstance(x, torch.Tensor)]

    def function(*given):
        filled = list(flat)
        for k, x in zip(where, given):
            filled[k] = x
        first, args, kwargs = tree_unflatten(filled, spec)
        return tensors_in(op.fn(first, *args, **kwargs))

    return function, [flat[k].detach() for k in where]


def copies(tensors):
    return [x.detach().clone() for x in tensors]


def seeded(function, tensors, sample):
    """Run it with all generators in one state."""
    torch.manual_seed(0)
    for x in tree_leaves((sample.input, sample.args, sample.kwargs)):
        if isinstance(x, torch.Generator):
            x.manual_seed(0)
    return function(*copies(tensors))


@pytest.mark.parametrize("op", TABLE, ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_replay_equals_eager(op):
    """The recorded graph computes what the operator does, for the inputs of the recording and for others."""
    dtype = torch.float64 if torch.float64 in op.dtypes else op.dtypes[0]
    for sample in itertools.islice(op.samples(dtype), 4):
        function, tensors = function_of(op, sample)
        if not tensors or sum(x.numel() for x in tensors) > 2000:
            continue
        compare(op, sample, function, tensors)


def compare(op, sample, function, tensors):
    try:
        made = seeded(make_fx(function), tensors, sample)
    except (RuntimeError, TypeError) as error:
        assert is_expected(op, error), error
        return
    others = [tensors] if op.name in MAKE_FX else [tensors, [examples_of(x)[1] for x in tensors]]
    for inputs in others:
        try:
            expected = seeded(function, inputs, sample)
        except Exception:  # the other values are not valid ones of this operator
            continue
        for got, want in zip(seeded(made, inputs, sample), expected, strict=True):
            torch.testing.assert_close(got, want, equal_nan=True)


@pytest.mark.parametrize("op", TABLE, ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_replay_of_graphs_with_symbols(op):
    """The graph whose sizes are symbols computes what the operator does, and the conditions hold for the recorded sizes."""
    dtype = torch.float64 if torch.float64 in op.dtypes else op.dtypes[0]
    for sample in itertools.islice(op.samples(dtype), 2):
        function, tensors = function_of(op, sample)
        if not tensors or sum(x.numel() for x in tensors) > 2000:
            continue
        try:
            made = seeded(make_fx(function, tracing_mode="symbolic", _allow_non_fake_inputs=True), tensors, sample)
        except (RuntimeError, TypeError) as error:
            assert op.name in FAKE or is_expected(op, error), error
            continue
        assert made.shape_env.evaluate_guards()
        if op.name in SYMBOLS:
            continue
        for inputs in (tensors, larger(tensors, made.shape_env, 1), larger(tensors, made.shape_env, 2)):
            try:
                expected = seeded(function, inputs, sample) if inputs else []
            except Exception:  # these sizes are not valid ones of the operator
                continue
            if inputs:
                for got, want in zip(seeded(made, inputs, sample), expected, strict=True):
                    torch.testing.assert_close(got, want, equal_nan=True)


def larger(tensors, env, step):
    """Tensors of other sizes, for which the graph holds; None if its conditions do not allow these."""
    names = {}
    for size in (size for x in tensors for size in x.shape if size >= 2):
        names.setdefault(size, f"s{len(names)}")
    values = {name: size + step * (1 + k % 2) for k, (size, name) in enumerate(names.items())}
    used = {name for node in env.nodes for name in node.symbols()}
    if used - set(values) or not env.evaluate_guards(**{name: value for name, value in values.items() if name in used}):
        return None
    made = []
    for x in tensors:
        shape = [values[names[size]] if size >= 2 else size for size in x.shape]
        flat = x.resolve_conj().resolve_neg().reshape(-1)
        count = math.prod(shape)
        made.append((flat[torch.arange(count) % flat.numel()] if flat.numel() else flat.new_empty(count)).reshape(shape))
    return made


DIFFERENTIABLE = [op for op in TABLE if op.grad and torch.float64 in op.dtypes and op.name not in LIFTS]


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_recorded_gradients(op):
    """The graph of the gradients of an operator computes these gradients."""
    for sample in itertools.islice(op.samples(torch.float64), 2):
        function, tensors = function_of(op, sample)
        if not any(x.is_floating_point() for x in tensors) or sum(x.numel() for x in tensors) > 500:
            continue

        def gradients(*given, function=function):
            inputs = [x.requires_grad_() if x.is_floating_point() or x.is_complex() else x for x in given]
            results = [r for r in function(*inputs) if r.requires_grad]
            wrt = [x for x in inputs if x.requires_grad]
            if not results:
                return []
            found = torch.autograd.grad(
                sum(r.abs().sum() if r.is_complex() else r.sum() for r in results), wrt, allow_unused=True
            )
            return [g for g in found if g is not None]

        compare(op, sample, gradients, tensors)


def test_constants_that_the_program_changes():
    def function(x):
        start = torch.tensor(0.0)
        start.add_(1)
        return x * start

    for options in ({}, {"pre_dispatch": True}):
        made = make_fx(function, **options)(torch.ones(2))
        assert made._tensor_constant0.item() == 0 and all(torch.equal(made(W), W) for _ in range(2))
