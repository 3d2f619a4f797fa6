"""make_fx with tracing_mode="symbolic": sizes are symbols, decisions are conditions, and one graph holds for many sizes."""

import pytest

import torch
import torch.nn.functional as F
from torch import nn
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv, free_symbols, has_free_symbols


def record(f, *args, **options):
    return make_fx(f, tracing_mode="symbolic", **options)(*args)


def lines(f, *args):
    module = record(f, *args)
    return [line.strip().split(";")[0] for line in module.code.strip().splitlines()[1:]], module.shape_env.guards


def rand(*sizes):
    return torch.rand(*sizes)


def test_sizes_are_read_from_the_tensors():
    code, guards = lines(lambda x: x.view(x.shape[0] * 2, -1), rand(4, 6))
    assert code == [
        "sym_size_int = torch.ops.aten.sym_size.int(x_1, 0)", "mul = sym_size_int * 2",
        "view = torch.ops.aten.view.default(x_1, [mul, -1])", "return view",
    ] and guards == []  # fmt: skip
    code, guards = lines(lambda x: torch.zeros(x.shape[0], x.size(1) + 1), rand(4, 6))
    assert code[3:] == [
        "zeros = torch.ops.aten.zeros.default([sym_size_int, add], device = device(type='cpu'), pin_memory = False)",
        "return zeros",
    ]
    code, _ = lines(lambda x: (x.shape[0], x.numel(), x.t().stride(0)), rand(4, 6))
    assert code[-2:] == ["mul = sym_size_int * sym_size_int_1", "return (sym_size_int, mul, 1)"]


def test_values_in_meta():
    module = record(lambda x, y: torch.cat([x, y]).relu() + 1, rand(4, 6), rand(3, 6))
    shapes = [str(node.meta["val"].shape) for node in module.graph.nodes if node.op != "output"]
    assert shapes[:3] == ["torch.Size([s0, s1])", "torch.Size([s2, s1])", "torch.Size([s0 + s2, s1])"]
    assert free_symbols(list(module.graph.nodes)[2].meta["val"]) == {"s0", "s1", "s2"}


@pytest.mark.parametrize("f, x, shape", [
    (lambda x: F.conv2d(x, torch.ones(2, 3, 3, 3), stride=2, padding=1), (2, 3, 9, 9), "[s0, 2, (s2 + 1) // 2, (s2 + 1) // 2]"),
    (lambda x: F.max_pool2d(x, 3, 2), (2, 3, 9, 9), "[s0, s1, (s2 + 1) // 2 - 1, (s2 + 1) // 2 - 1]"),
    (lambda x: F.pad(x, (1, 2)), (4, 6), "[s0, s1 + 3]"),
    (lambda x: x[:, 1:-2], (4, 6), "[s0, s1 - 3]"),
    (lambda x: x[::3], (7, 6), "[(s0 + 2) // 3, s1]"),
    (lambda x: x.flatten(), (4, 6, 5), "[s0 * s1 * s2]"),
    (lambda x: x.repeat(3, 2), (4, 6), "[s0 * 3, s1 * 2]"),
    (lambda x: torch.stack([x, x]), (4, 6), "[2, s0, s1]"),
    (lambda x: x.unfold(0, 2, 1), (5, 6), "[s0 - 1, s1, 2]"),
    (lambda x: torch.cat([x, x, x[:1]]), (4, 6), "[s0 * 2 + 1, s1]"),
    (lambda x: F.interpolate(x, scale_factor=2), (2, 3, 5, 7), "[s0, s1, s2 * 2, s3 * 2]"),
    (lambda x: torch.arange(x.shape[0] * 2 - 1), (4, 6), "[s0 * 2 - 1]"),
    (lambda x: x.new_zeros(x.shape[1], 3), (4, 6), "[s1, 3]"),
    (lambda x: x @ x.t(), (4, 6), "[s0, s0]"),
    (lambda x: x.sum(0), (4, 6), "[s1]"),
])  # fmt: skip
def test_shapes_of_results(f, x, shape):
    module = record(f, rand(*x))
    val = list(module.graph.nodes)[-1].args[0].meta["val"]
    assert str(list(val.shape)) == shape
    # The graph gives the right results for other sizes too, and the expressions say which shapes these have.
    guards = module.shape_env
    other = rand(*(s + 2 if n != 3 or s != 3 else s for n, s in enumerate(x)))
    for y in (rand(*x), other, rand(*(2 * s + 1 for s in x))):
        sizes = dict(zip(dict.fromkeys(x), y.shape))
        values = {f"s{k}": size for k, (_, size) in enumerate(sizes.items())}
        if len({*zip(x, y.shape)}) != len({*x}) or (guards.guards and not guards.evaluate_guards(**{
            name: value for name, value in values.items() if any(name in guard for guard in guards.guards)
        })):  # fmt: skip
            continue
        assert torch.equal(module(y), f(y))
        assert [d if isinstance(d, int) else d.node.evaluate(values) for d in val.shape] == list(f(y).shape)


def test_gradients_and_transforms():
    def f(x):
        return torch.autograd.grad((x.sin() ** 2).mean() / x.shape[0], x)[0]

    module = record(f, rand(4, 6).requires_grad_())
    assert module.shape_env.guards == []
    for sizes in ((4, 6), (2, 9), (5, 3)):
        x = rand(*sizes).requires_grad_()
        torch.testing.assert_close(module(x), f(x))
    per_sample = torch.vmap(torch.func.grad(lambda w, x: (x @ w).sin().sum()), (None, 0))
    module = record(per_sample, rand(4), rand(3, 5, 4))
    for n, m, k in ((3, 5, 4), (7, 2, 9)):
        w, x = rand(k), rand(n, m, k)
        torch.testing.assert_close(module(w, x), per_sample(w, x))
    assert module.shape_env.guards == []


def test_modules():
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
    module = record(lambda x: net(x).softmax(-1), rand(5, 6), _allow_non_fake_inputs=True)
    assert module.shape_env.guards == ["s1 == 6"]
    for n in (5, 2, 31):
        x = rand(n, 6)
        torch.testing.assert_close(module(x), net(x).softmax(-1))
    attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    f = lambda x: attention(x, x, x, need_weights=False)[0]  # noqa: E731
    module = record(f, rand(3, 5, 8), _allow_non_fake_inputs=True)
    for n, m in ((3, 5), (2, 9)):
        x = rand(n, m, 8)
        torch.testing.assert_close(module(x), f(x))


def test_numbers_of_all_kinds():
    f = lambda x: x * x.shape[-1] ** -0.5 + x.sum() / x.shape[0] + torch.sym_max(x.shape[0], 3) - x.shape[0] % 3  # noqa: E731
    module = record(f, rand(4, 6))
    g = lambda x: torch.ones(torch.sym_min(x.shape[0], 7) // 2, 1) * torch.sym_sqrt(x.shape[1]) * torch.sym_float(x.shape[0])  # noqa: E731
    other = record(g, rand(4, 6))
    for sizes in ((4, 6), (5, 3)):
        x = rand(*sizes)
        torch.testing.assert_close(module(x), f(x))
        torch.testing.assert_close(other(x), g(x))


def test_decisions_are_conditions():
    def f(x):
        return x * 2 if x.shape[0] > 3 and x.shape[1] % 2 == 0 else x

    code, guards = lines(f, rand(4, 6))
    assert "aten.mul" in code[0] and guards == ["s0 > 3", "s1 % 2 == 0"]
    env = record(f, rand(4, 6)).shape_env
    assert (
        env.format_guards() == " - s0 > 3\n - s1 % 2 == 0" and env.evaluate_guards(s0=9, s1=2) and not env.evaluate_guards(s0=2)
    )
    assert lines(f, rand(3, 6)) == (["return x_1"], ["s0 <= 3"])


def test_values_that_are_used_are_numbers():
    assert lines(lambda x: sum(x[i] for i in range(x.shape[0])), rand(3, 6))[1] == ["s0 == 3"]
    assert lines(lambda x: [row * 2 for row in x], rand(3, 6))[1] == ["s0 == 3"]
    assert lines(lambda x: x.unbind(0), rand(3, 6))[1] == ["s0 == 3"]
    assert lines(lambda x: x.split(2), rand(6, 5))[1] == ["s0 == 6"]
    assert lines(lambda x: torch.full((2,), float(int(x.shape[1]))), rand(3, 6))[1] == ["s1 == 6"]
    # Operators that tie a size to others, or to a constant
    assert lines(lambda x: F.linear(x, torch.ones(5, 6)), rand(4, 6))[1] == ["s1 == 6"]
    assert lines(lambda x, y: x.view(y.shape), rand(4, 6), rand(2, 12))[1] == ["s0 == 4", "s1 == 6", "s2 == 2", "s3 == 12"]
    # Numbers that C++ computes out of sizes, and that are no product
    code, guards = lines(lambda q: F.scaled_dot_product_attention(q, q, q), rand(2, 3, 5, 4))
    assert guards in ([], ["s3 == 4"])


def test_two_expressions_with_one_value():
    f = lambda x: x * torch.sym_max(x.shape[0], x.shape[1])  # noqa: E731
    module = record(f, rand(3, 6))
    assert module.shape_env.guards == ["max(s0, s1) == s1"]
    x = rand(4, 5)
    assert module.shape_env.evaluate_guards(s0=4, s1=5) and torch.equal(module(x), f(x))
    assert not module.shape_env.evaluate_guards(s0=6, s1=5)
    module = record(torch.diagonal, rand(4, 6))
    assert module.shape_env.guards == ["min(s0, s1) == s0"] or "diagonal" not in module.code


def test_ints_among_the_inputs():
    f = lambda x, n: torch.cat([x, torch.zeros(n, x.shape[1])]) * n  # noqa: E731
    module = record(f, rand(4, 6), 3)
    x = rand(5, 2)
    assert torch.equal(module(x, 7), f(x, 7)) and module.shape_env.guards == []
    assert record(lambda x, n: x.view(n, -1), rand(4, 6), 2).shape_env.guards == ["v0 == 2"]


def test_small_sizes_stay_numbers():
    module = record(lambda x, y: x + y, rand(3, 6), rand(1, 6))
    assert str(list(module.graph.nodes)[1].meta["val"].shape) == "torch.Size([1, s1])"
    assert torch.equal(module(torch.ones(8, 2), torch.ones(1, 2)), torch.full((8, 2), 2.0))
    assert not has_free_symbols(record(lambda x: x, torch.ones(0, 1)).graph.find_nodes(op="placeholder")[0].meta["val"])


def test_sizes_that_depend_on_elements():
    module = record(lambda x: x.nonzero().float() * 2, torch.eye(3))
    assert str(list(module.graph.nodes)[1].meta["val"].shape) == "torch.Size([u0, 2])"
    assert torch.equal(module(torch.eye(5)), torch.eye(5).nonzero() * 2.0)
    f = lambda x: torch.ones(x[x > 0.5].shape[0] + 1) if False else torch.ones(torch.masked_select(x, x > 0.5).shape[0] + 1)  # noqa: E731
    module = record(f, torch.eye(3))
    assert module(torch.ones(2, 2)).shape == (5,)
    with pytest.raises(GuardOnDataDependentSymNode, match="u0 > 3, which depends on elements"):
        record(lambda x: x if x.nonzero().shape[0] > 3 else -x, torch.eye(3))


def test_assertions_about_sizes_that_depend_on_elements():
    def f(x):
        n = x.nonzero().shape[0]
        torch._check(n >= 2)
        torch._check(n < 9)
        return torch.zeros(n) if n >= 2 and n != 0 else x

    module = record(f, torch.eye(3))
    assert module.shape_env.deferred_runtime_asserts == ["u0 >= 2", "u0 < 9"] and module(torch.eye(4)).shape == (4,)


def test_elements_of_inputs():
    def f(x):
        n = x.item()
        torch._check(n >= 2)
        return torch.ones(n) * n

    module = record(f, torch.tensor(3))
    assert module.shape_env.guards == ["v0 >= 2"] and torch.equal(module(torch.tensor(5)), torch.full((5,), 5.0))
    code, guards = lines(lambda x: x.item() + x.item(), torch.tensor(3))
    assert guards == [] and code[-1].startswith("return add")


def test_fake_tensors_with_symbols():
    env = ShapeEnv()
    mode = FakeTensorMode(shape_env=env)
    x, y = mode.from_tensor(rand(4, 6)), mode.from_tensor(rand(5, 6), static_shapes=True)
    assert str(x.shape) == "torch.Size([s0, s1])" and y.shape == (5, 6) and isinstance(x.size(0), torch.SymInt)
    assert str(x.numel()) == "s0 * s1" and str(x.stride()) == "(s1, 1)" and x.dim() == 2 and str(x.nbytes) == "s0 * s1 * 4"
    with mode:
        z = (x * 2)[1:].sum(1)
    assert str(z.shape) == "torch.Size([s0 - 1])" and env.guards == [] and len(z) == 3 and env.guards == ["s0 - 1 == 3"]
    # Real tensors have real sizes, which are decisions.
    other = FakeTensorMode(shape_env=ShapeEnv())
    real = torch.zeros(other.from_tensor(rand(4, 6)).size(1), 2)
    assert real.shape == (6, 2) and other.shape_env.guards == ["s1 == 6"]
    joined, column = other.from_tensor(rand(4, 6)), other.from_tensor(torch.ones(6, 1), static_shapes=True)
    with other:
        flat = torch.cat([joined, joined[:2]]).view(-1)
        assert str(flat.shape) == "torch.Size([s1 * (s0 + 2)])"
        with pytest.raises(RuntimeError, match="s1 would have to be numbers, so that aten.mm.default takes these tensors"):
            joined @ column
    with pytest.raises(TypeError, match="shape_env must be a ShapeEnv, got int"):
        FakeTensorMode(shape_env=3)


def test_programs_of_several_kinds():
    norm = nn.GroupNorm(2, 8)
    lstm = nn.LSTM(8, 4, batch_first=True)
    cases = [
        (lambda x: x.clone().mul_(x.shape[0]).t_(), [(4, 6), (7, 3)], []),
        (torch.func.hessian(lambda x: (x**3).sum()), [(4,), (7,)], []),
        (lambda x: x.cumsum(0) / torch.arange(1, x.shape[0] + 1)[:, None], [(4, 6), (7, 3)], []),
        (lambda x: torch.tril(torch.ones(x.shape[0], x.shape[0])) @ x, [(4, 6), (7, 3)], []),
        (lambda x: x.masked_fill(torch.arange(x.size(1)) > x.size(1) // 2, 0.0), [(4, 6), (7, 3)], []),
        (lambda x: F.interpolate(x, size=(x.shape[2] * 2, x.shape[3] * 2), mode="bilinear"), [(2, 3, 5, 7), (4, 3, 6, 5)], []),
        (lambda x: F.pixel_shuffle(x, 2), [(2, 8, 5, 7), (3, 8, 6, 5)], []),
        (lambda x: torch.einsum("bij,bkj->bik", x, x), [(2, 3, 4), (5, 2, 6)], []),
        (lambda x: norm(x), [(2, 8, 5), (3, 8, 6)], ["s1 == 8"]),
        (lambda x: lstm(x)[0], [(2, 5, 8), (3, 5, 8)], ["s2 == 8"]),
        # Half a size that C++ computes may be rounded up or down
        (torch.fft.ifftshift, [(4, 6)], ["s0 == 4", "s1 == 6"]),
        # Numbers that C++ computes out of a size, 2 / (n - 1), and that no recorded node gives
        (torch.func.grad(lambda x: x.var(0).sum()), [(4, 6), (4, 3)], ["s0 == 4"]),
    ]
    for f, shapes, guards in cases:
        module = record(f, rand(*shapes[0]), _allow_non_fake_inputs=True)
        assert [guard for guard in module.shape_env.guards if guard.split()[1] == "=="] == guards
        for shape in shapes:
            x = rand(*shape)
            torch.testing.assert_close(module(x), f(x))


def test_tensors_with_gaps_keep_their_sizes():
    module = record(lambda x, y: x.sum() + y, rand(4, 6)[::2, ::2], rand(5))
    assert module.shape_env.guards == ["s0 == 2", "s1 == 3"]
    assert str(list(module.graph.nodes)[1].meta["val"].shape) == "torch.Size([s2])"
    module = record(lambda x: x * 2, torch.ones(0, 6))
    assert str(list(module.graph.nodes)[0].meta["val"].shape) == "torch.Size([0, s0])" and module(torch.ones(0, 3)).shape == (
        0,
        3,
    )


def test_errors_are_of_the_program():
    with pytest.raises(DataDependentOutputException, match="_local_scalar_dense"):
        record(lambda x: F.one_hot(torch.arange(x.shape[0])), rand(4))
    with pytest.raises(RuntimeError, match="4x6 and 5x3|4.*6.*5.*3"):
        record(lambda x, y: x @ y, rand(4, 6), rand(5, 3))
    with pytest.raises(ZeroDivisionError):
        record(lambda x: 1 / 0, rand(2))
    with pytest.raises(TypeError, match="SymFloat|float"):
        record(lambda x: torch.zeros(x.shape[0] / 2), rand(4))


def test_functions_run_more_than_once():
    calls = []
    record(lambda x: (calls.append(1), x + 1)[1], rand(2))
    assert len(calls) == 2


def test_pre_dispatch_with_symbols():
    module = record(lambda x: F.linear(x, x).reshape(-1), rand(4, 6), pre_dispatch=True)
    names = [str(node.target) for node in module.graph.nodes if node.op == "call_function"]
    assert names == ["aten.linear.default", "aten.reshape.default"]
    x = rand(3, 2)
    torch.testing.assert_close(module(x), (x @ x.t()).reshape(-1))
