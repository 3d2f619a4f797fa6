"""torch.func: transforms of functions, alone and in each other."""

import itertools
import warnings

import pytest

import torch
from torch import nn
from torch.func import (
    debug_unwrap,
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
    vmap,
)

close = torch.testing.assert_close


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# --- vmap ------------------------------------------------------------------------------------------------


def test_in_dims_and_out_dims():
    x, y = torch.randn(3, 4), torch.randn(4, 3)
    close(vmap(torch.mul, (0, 1), 1)(x, y), (x * y.T).T)
    close(vmap(torch.mul, (0, None))(x, y[:, 0]), x * y[:, 0])
    tree = {"a": x, "b": [y, 2.0]}
    out = vmap(lambda t: (t["a"] * t["b"][1], {"c": t["b"][0]}), ({"a": 0, "b": [1, None]},), (0, {"c": -1}))(tree)
    close(out[0], 2 * x)
    close(out[1]["c"], y)
    assert torch.vmap is vmap


def test_nested_levels():
    x, y = torch.randn(3, 5), torch.randn(4, 5)
    close(vmap(vmap(torch.dot, (None, 0)), (0, None))(x, y), x @ y.T)
    cube = torch.randn(2, 3, 4)
    close(vmap(vmap(vmap(torch.sin, 0, 0)), 1, 1)(cube), cube.sin())


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7, 10])
def test_chunks(chunk_size):
    x = torch.randn(7, 3)
    close(vmap(lambda r: r.cumsum(0), out_dims=1, chunk_size=chunk_size)(x), x.cumsum(1).T)


def test_results_that_are_the_same_for_all_examples():
    x = torch.randn(3, 2)
    close(vmap(lambda r: torch.ones(2))(x), torch.ones(3, 2))
    close(vmap(lambda r: torch.ones(2), out_dims=None)(x), torch.ones(2))
    with pytest.raises(ValueError, match="out_dims has None"):
        vmap(lambda r: r, out_dims=None)(x)


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda x: vmap(torch.sin)(), ValueError, "without positional arguments"),
        (lambda x: vmap(torch.sin, in_dims="a")(x), ValueError, "in_dims must be"),
        (lambda x: vmap(torch.sin, in_dims=(0, 0))(x), ValueError, "structure of the arguments"),
        (lambda x: vmap(torch.sin, in_dims=(None,))(x), ValueError, "at least one"),
        (lambda x: vmap(torch.sin, in_dims=2)(x), ValueError, "2 dimensions"),
        (lambda x: vmap(torch.mul)(x, x[:2]), ValueError, "one size"),
        (lambda x: vmap(torch.mul)(x, 2), ValueError, "None there"),
        (lambda x: vmap(lambda r: 1)(x), ValueError, "return tensors"),
        (lambda x: vmap(torch.sin, out_dims=(0, 0))(x), ValueError, "out_dims"),
        (lambda x: vmap(torch.sin, out_dims=5)(x), IndexError, "out_dims"),
        (lambda x: vmap(torch.sin, chunk_size=0), ValueError, "chunk_size"),
        (lambda x: vmap(torch.sin, randomness="a")(x), RuntimeError, "randomness"),
        (lambda x: vmap(lambda r: r.sum().item())(x), RuntimeError, "number"),
        (lambda x: vmap(lambda r: r if r.sum() > 0 else -r)(x), RuntimeError, "number"),
        (lambda x: vmap(lambda r: torch.zeros(2).add_(r))(x), RuntimeError, "in place"),
        (lambda x: vmap(lambda r: torch.nonzero(r))(x), RuntimeError, "shape of the result"),
        (lambda x: vmap(lambda r: torch.add(r, r, out=torch.empty(2)))(x), RuntimeError, "out="),
        (lambda x: vmap(lambda r: torch.rand(2))(x), RuntimeError, "randomness="),
        (lambda x: vmap(lambda r: r.numpy())(x), RuntimeError, "no memory of its own"),
        (lambda x: vmap(lambda r: r.resize_(3))(x), RuntimeError, "memory"),
    ],
)
def test_errors_of_vmap(call, error, match):
    with pytest.raises(error, match=match):
        call(torch.randn(3, 2))
    assert torch._C._functorch._current_level() == 0


def test_a_tensor_that_outlives_its_vmap():
    kept = []
    vmap(lambda r: kept.append(r) or r)(torch.ones(3))
    with pytest.raises(RuntimeError, match="after the vmap"):
        kept[0] + 1


def test_in_place_and_views():
    x = torch.randn(3, 4)

    def f(r):
        y = r.clone()
        y[1:3].mul_(2)
        y[0] = 5
        y.t_().unsqueeze_(0)
        return y

    expected = x.clone()
    expected[:, 1:3] *= 2
    expected[:, 0] = 5
    close(vmap(f)(x), expected[:, None])
    vmap(lambda r: r.add_(1))(x)
    close(x[:, 0], x[:, 0])


def test_masks_and_indices_that_differ():
    x, at = torch.randn(3, 5), torch.tensor([4, 0, 2])
    close(vmap(lambda r, k: r[k])(x, at), x[torch.arange(3), at])
    close(vmap(lambda r: torch.where(r > 0, r, 0 * r))(x), x.relu())

    def zero_negatives(r):
        r = r.clone()
        r[r < 0] = 0.0
        return r

    close(vmap(zero_negatives)(x), x.relu())


def test_type_promotion_is_that_of_one_example():
    numbers, doubles = torch.arange(3), torch.ones(3, dtype=torch.float64)
    row = torch.ones(4)
    assert vmap(torch.mul, (0, None))(doubles, row).dtype == torch.float32  # one example has no dimensions
    assert vmap(torch.mul, (0, None))(numbers, row).dtype == torch.float32
    assert vmap(lambda a: a * 2.5)(numbers).dtype == torch.float32
    assert vmap(torch.add, (0, None))(torch.ones(3), torch.tensor(1.0, dtype=torch.float64)).dtype == torch.float64


def test_an_operator_without_rule_says_so_once():
    x = torch.randn(3, 4, 5)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            out = vmap(lambda r: torch.ops.aten._pdist_forward(r, 2.0))(x)
    close(out, torch.stack([torch.pdist(r) for r in x]))
    assert sum("_pdist_forward has no batching rule" in str(w.message) for w in seen) <= 1


def test_how_a_batched_tensor_prints():
    texts = []
    vmap(lambda r: texts.append(repr(r)) or r)(torch.zeros(2, 3))
    assert texts[0].startswith("BatchedTensor(lvl=1, bdim=0") and "0., 0., 0." in texts[0]
    shapes = []
    vmap(vmap(lambda r: shapes.append((debug_unwrap(r).shape, debug_unwrap(r, recurse=False).shape)) or r))(torch.zeros(2, 3, 4))
    assert shapes == [((2, 3, 4), (3, 4))]


# --- random numbers -------------------------------------------------------------------------------------


def test_randomness_of_factories():
    x = torch.zeros(4, 3)
    torch.manual_seed(1)
    different = vmap(lambda r: r + torch.randn(3), randomness="different")(x)
    torch.manual_seed(1)
    close(different, torch.randn(4, 3))
    same = vmap(lambda r: r + torch.randn(3), randomness="same")(x)
    assert (same == same[0]).all() and same[0].unique().numel() == 3


@pytest.mark.parametrize(
    "draw",
    [
        lambda r: torch.rand_like(r), lambda r: torch.randn(3) + r, lambda r: r.clone().uniform_(), lambda r: r.clone().normal_(),
        lambda r: torch.nn.functional.dropout(r + 1, 0.5), lambda r: torch.randint(0, 1000, (3,)) + r,
        lambda r: torch.randperm(50)[:3] + r, lambda r: torch.nn.functional.dropout2d((r + 1).view(1, 3, 1, 1), 0.5).flatten(),
    ],
)  # fmt: skip
def test_randomness(draw):
    x = torch.zeros(50, 3)
    with pytest.raises(RuntimeError, match="randomness="):
        vmap(draw)(x)
    different, same = vmap(draw, randomness="different")(x), vmap(draw, randomness="same")(x)
    assert not (different == different[0]).all() and (same == same[0]).all()
    assert different.shape == same.shape == (50, 3)


def test_randomness_of_each_level():
    x = torch.zeros(4, 5)
    inner_same = vmap(vmap(lambda r: r + torch.randn(()), randomness="same"), randomness="different")(x)
    assert (inner_same == inner_same[:, :1]).all() and inner_same[:, 0].unique().numel() == 4


# --- derivatives ------------------------------------------------------------------------------------------


def test_grad_forms():
    x, y = torch.randn(3), torch.randn(3)
    f = lambda a, b: ((a * b).sum(), {"rest": a})  # noqa: E731
    gradients, aux = grad(f, (0, 1), has_aux=True)(x, y)
    close(gradients, (y, x))
    assert not aux["rest"].requires_grad and not gradients[0].requires_grad
    (g, (value, aux)) = grad_and_value(f, has_aux=True)(x, y)
    close((g, value, aux["rest"]), (y, (x * y).sum(), x))
    tree = grad(lambda p: (p["w"] * x).sum() + p["b"][0])({"w": y, "b": (torch.tensor(1.0), y)})
    close(tree, {"w": x, "b": (torch.tensor(1.0), torch.zeros(3))})


def test_gradients_of_what_a_function_captures():
    w = torch.randn(3, requires_grad=True)
    g = grad(lambda x: (w * x**2).sum())(torch.ones(3))
    g.sum().backward()
    close(w.grad, torch.full((3,), 2.0))
    x = torch.ones(3, requires_grad=True)
    grad(lambda x: (x**3).sum())(x).sum().backward()
    close(x.grad, torch.full((3,), 6.0))
    with torch.no_grad():
        assert not grad(lambda x: (w * x**2).sum())(x).requires_grad
        close(grad(lambda x: (x**2).sum())(x), 2 * x)


@pytest.mark.parametrize(
    "call, match",
    [
        (lambda x: grad(torch.sin)(x), "without dimensions"),
        (lambda x: grad(lambda x: 1.0)(x), "must return a tensor"),
        (lambda x: grad(torch.sum)(x.long()), "floating point"),
        (lambda x: grad(lambda z: z.square().sum())(x + 0j), "real floating point"),
        (lambda x: grad(torch.sum, argnums=3)(x), "argnums"),
        (lambda x: grad(torch.sum, argnums=())(x), "argnums"),
        (lambda x: vjp(lambda x: 3, x), "must return tensors"),
        (lambda x: vjp(torch.sin, x)[1](x[:2]), "shape"),
        (lambda x: vjp(torch.sin, x)[1]((x, x)), "structure"),
        (lambda x: jvp(torch.sin, (x,), (x[:1],)), "shape"),
        (lambda x: jvp(torch.sin, x, x), "tuples"),
        (lambda x: jvp(lambda x: torch.ones(2), (x,), (x,), strict=True), "strict"),
    ],
)
def test_errors_of_derivatives(call, match):
    with pytest.raises(RuntimeError, match=match):
        call(torch.randn(3))


def test_vjp_and_jvp_and_linearize():
    x, y, t = torch.randn(3), torch.randn(3), torch.randn(3)
    f = lambda a, b: {"p": a * b, "s": a.sin()}  # noqa: E731
    out, pull = vjp(f, x, y)
    close(out, f(x, y))
    weights = {"p": torch.randn(3), "s": torch.randn(3)}
    for _ in range(2):  # it may be called again
        close(pull(weights), (weights["p"] * y + weights["s"] * x.cos(), weights["p"] * x))
    value, derived = jvp(f, (x, y), (t, 2 * t))
    close(derived, {"p": t * y + 2 * t * x, "s": t * x.cos()})
    value, linear = linearize(f, x, y)
    close(value, f(x, y))
    close(linear(t, 2 * t), derived)
    close(vmap(linear)(torch.stack([t, y]), torch.stack([2 * t, x]))["p"][0], derived["p"])


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobians(jacobian):
    x, y = torch.randn(3, 2), torch.randn(2)
    f = lambda a, b: (a @ b, {"c": b.sin()})  # noqa: E731
    result = jacobian(f, argnums=(0, 1))(x, y)
    expected = torch.zeros(3, 3, 2)
    for k in range(3):
        expected[k, k] = y
    close(result[0], (expected, x))
    close(result[1]["c"], (torch.zeros(2, 3, 2), torch.diag(y.cos())))
    j, aux = jacobian(lambda a: (a.sin(), a), has_aux=True)(y)
    close((j, aux), (torch.diag(y.cos()), y))
    assert jacobian(lambda a: a[:0])(y).shape == (0, 2) and jacobian(lambda a: a.sum())(y[:0]).shape == (0,)
    close(jacrev(torch.sin, chunk_size=1)(y), jacrev(torch.sin)(y))


def _function(x):
    return (x.sin() * x.prod()).exp()


def _number(x):
    return _function(x).sum()


# Each maps a function of vectors to another such function, and says what it is as matrices of derivatives.
TRANSFORMS = {
    "vmap": lambda f: lambda x: vmap(f)(torch.stack([x, 2 * x])),
    "grad": lambda f: grad(lambda x: f(x).sum()),
    "jvp": lambda f: lambda x: jvp(f, (x,), (torch.linspace(1, 2, x.numel(), dtype=x.dtype).view_as(x),))[1],
    "vjp": lambda f: lambda x: vjp(f, x)[1](torch.ones_like(f(x)))[0],
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": hessian,
}


def _plain(name, f):
    """The same by autograd alone."""
    jacobian = lambda f: lambda x: torch.autograd.functional.jacobian(f, x, create_graph=True)  # noqa: E731

    def directional(x):
        j = jacobian(f)(x)
        return j @ torch.linspace(1, 2, x.numel(), dtype=x.dtype)

    total = lambda x: jacobian(lambda y: f(y).sum())(x)  # noqa: E731
    return {
        "vmap": lambda x: torch.stack([f(x), f(2 * x)]), "grad": total, "jvp": directional, "vjp": total, "jacrev": jacobian(f),
        "jacfwd": jacobian(f), "hessian": jacobian(jacobian(f)),
    }[name]  # fmt: skip


@pytest.mark.parametrize("outer, inner", list(itertools.product(TRANSFORMS, TRANSFORMS)))
def test_each_transform_in_each(outer, inner):
    x = torch.tensor([0.3, 0.7], dtype=torch.float64)
    close(TRANSFORMS[outer](TRANSFORMS[inner](_function))(x), _plain(outer, _plain(inner, _function))(x))


@pytest.mark.parametrize(
    "names",
    [
        "vmap grad vmap", "jvp jvp jvp", "vmap jvp grad", "jacfwd vmap jacrev", "vmap vmap hessian", "grad jvp vmap",
    ],
)  # fmt: skip
def test_three_deep(names):
    x, f, plain = torch.tensor([0.3, 0.7], dtype=torch.float64), _function, _function
    for name in reversed(names.split()):
        f, plain = TRANSFORMS[name](f), _plain(name, plain)
    close(f(x), plain(x))


# --- programs --------------------------------------------------------------------------------------------


def test_per_sample_gradients():
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 10))
    images, classes = torch.randn(5, 1, 8, 8), torch.randint(10, (5,))
    parameters = {k: v.detach() for k, v in model.named_parameters()}

    def loss(parameters, image, label):
        scores = functional_call(model, parameters, (image.unsqueeze(0),))
        return nn.functional.cross_entropy(scores, label.unsqueeze(0))

    found = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, images, classes)
    for k in range(5):
        model.zero_grad()
        nn.functional.cross_entropy(model(images[k : k + 1]), classes[k : k + 1]).backward()
        for name, p in model.named_parameters():
            close(found[name][k], p.grad, rtol=1e-4, atol=1e-5)


def test_hessian_vector_products():
    x, v = torch.randn(4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    expected = torch.autograd.functional.hessian(_number, x) @ v
    close(jvp(grad(_number), (x,), (v,))[1], expected)
    close(vjp(grad(_number), x)[1](v)[0], expected)
    close(grad(lambda x: (grad(_number)(x) * v).sum())(x), expected)


def test_ensembles():
    models = [nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 2)) for _ in range(4)]
    parameters, buffers = stack_module_state(models)
    x, each = torch.randn(6, 3), torch.randn(4, 6, 3)

    def call(parameters, buffers, x):
        return functional_call(models[0], (parameters, buffers), (x,))

    close(vmap(call, (0, 0, None))(parameters, buffers, x), torch.stack([m(x) for m in models]))
    close(vmap(call)(parameters, buffers, each), torch.stack([m(y) for m, y in zip(models, each)]))


def test_batch_norm_in_ensembles():
    models = [nn.Sequential(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3)) for _ in range(3)]
    x = torch.randn(4, 2, 5, 5)
    parameters, buffers = stack_module_state(models)
    out = vmap(lambda p, b, x: functional_call(models[0], (p, b), (x,)), (0, 0, None))(parameters, buffers, x)
    close(out, torch.stack([m(x) for m in models]), rtol=1e-4, atol=1e-5)
    close(buffers["1.running_mean"], torch.stack([m[1].running_mean for m in models]))


def test_meta_learning():
    def network(w, x):
        return torch.tanh(x @ w["a"]) @ w["b"]

    weights = {"a": torch.randn(1, 8, dtype=torch.float64), "b": torch.randn(8, 1, dtype=torch.float64)}
    x, y = torch.randn(5, 10, 1, dtype=torch.float64), torch.randn(5, 10, 1, dtype=torch.float64)

    def task_loss(w, x, y):
        inner = grad(lambda w: ((network(w, x[:5]) - y[:5]) ** 2).mean())(w)
        adapted = {k: w[k] - 0.1 * inner[k] for k in w}
        return ((network(adapted, x[5:]) - y[5:]) ** 2).mean()

    found = grad(lambda w: vmap(task_loss, (None, 0, 0))(w, x, y).mean())(weights)

    leaves = {k: v.clone().requires_grad_() for k, v in weights.items()}
    total = 0
    for k in range(5):
        loss = ((network(leaves, x[k, :5]) - y[k, :5]) ** 2).mean()
        steps = torch.autograd.grad(loss, list(leaves.values()), create_graph=True)
        adapted = {n: v - 0.1 * g for (n, v), g in zip(leaves.items(), steps)}
        total = total + ((network(adapted, x[k, 5:]) - y[k, 5:]) ** 2).mean() / 5
    expected = torch.autograd.grad(total, list(leaves.values()))
    close(tuple(found.values()), expected)


def test_physics_informed_network():
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    points = torch.linspace(0, 1, 7, dtype=torch.float64).unsqueeze(1)
    u = lambda p, x: functional_call(model, p, (x,)).squeeze()  # noqa: E731
    second = grad(lambda p, x: grad(u, 1)(p, x).squeeze(), 1)

    def residual(p):
        return (vmap(second, (None, 0))(p, points).squeeze() + vmap(u, (None, 0))(p, points)).square().mean()

    parameters = dict(model.named_parameters())
    residual(parameters).backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    x = points.clone().requires_grad_()
    y = model(x)
    first = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
    twice = torch.autograd.grad(first.sum(), x, create_graph=True)[0]
    (twice + y).square().mean().backward()
    close(found[0], model[0].weight.grad)


def test_names_that_packages_import():
    from torch._functorch.apis import vmap as vmap_of_apis
    from torch._functorch.eager_transforms import grad as grad_of_transforms
    from torch._functorch.eager_transforms import jacrev as jacrev_of_transforms

    assert vmap_of_apis is vmap and grad_of_transforms is grad and jacrev_of_transforms is jacrev
    seen = []
    c = torch._C._functorch
    vmap(
        lambda r: seen.append((c.is_batchedtensor(r), c.maybe_get_level(r), c.maybe_get_bdim(r), c.get_unwrapped(r).shape)) or r
    )(torch.zeros(2, 3))
    assert seen == [(True, 1, 0, (2, 3))]
    assert not c.is_batchedtensor(torch.ones(1)) and c.maybe_get_level(torch.ones(1)) == -1


# --- custom functions ------------------------------------------------------------------------------------


class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, scale):
        return x**3 * scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, scale = inputs
        ctx.save_for_backward(x, scale)
        ctx.save_for_forward(x, scale)

    @staticmethod
    def backward(ctx, gradient):
        x, scale = ctx.saved_tensors
        return 3 * x**2 * scale * gradient, (x**3 * gradient).sum()

    @staticmethod
    def jvp(ctx, t, t_scale):
        x, scale = ctx.saved_tensors
        t_scale = torch.zeros_like(scale) if t_scale is None else t_scale
        return 3 * x**2 * scale * t + x**3 * t_scale


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient

    @staticmethod
    def vmap(info, in_dims, x):
        assert info.batch_size == 3 and info.randomness == "error"
        return Doubled.apply(x), in_dims[0]


def test_custom_functions():
    x, scale = torch.randn(3, 2, dtype=torch.float64), torch.tensor(1.5, dtype=torch.float64)
    plain = lambda x, s: (x**3 * s).sum()  # noqa: E731
    custom = lambda x, s: Cube.apply(x, s).sum()  # noqa: E731
    for transform in (lambda f: vmap(f, (0, None)), lambda f: vmap(grad(f, (0, 1)), (0, None)), lambda f: grad(grad_sum(f)),
                      lambda f: vmap(grad(grad_sum(f)), (0, None))):  # fmt: skip
        close(transform(custom)(x, scale), transform(plain)(x, scale))
    close(vmap(Doubled.apply)(x), 2 * x)
    close(vmap(grad(lambda x: Doubled.apply(x).sum()))(x), torch.full_like(x, 2))


def grad_sum(f):
    return lambda *args: grad(f)(*args).sum()


def test_custom_functions_without_a_rule():
    class Plain(torch.autograd.Function):
        forward = staticmethod(lambda ctx, x: x.clone())
        backward = staticmethod(lambda ctx, g: g)

    with pytest.raises(RuntimeError, match="setup_context"):
        vmap(Plain.apply)(torch.ones(3))
    close(grad(lambda x: Plain.apply(x).sum())(torch.ones(3)), torch.ones(3))


@pytest.mark.parametrize("chunk_size", [None, 1, 2, 5])
def test_the_same_numbers_in_all_chunks(chunk_size):
    torch.manual_seed(0)
    drawn = vmap(lambda r: r + torch.randn(2), randomness="same", chunk_size=chunk_size)(torch.zeros(5, 2))
    torch.manual_seed(0)
    close(drawn, torch.randn(2).expand(5, 2))


def test_random_functions_have_no_jacobian_by_columns():
    x = torch.randn(3)
    with pytest.raises(RuntimeError, match="randomness='same' or 'different'"):
        jacfwd(lambda x: x * torch.rand(3))(x)
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(jacfwd(torch.nn.functional.dropout), randomness="different")(x[None])
    torch.manual_seed(0)
    same = jacfwd(lambda x: x * torch.rand(3), randomness="same")(x)
    torch.manual_seed(0)
    close(same, torch.diag(torch.rand(3)))
    torch.manual_seed(0)
    different, aux = jacfwd(lambda a, b: (a * torch.rand(3) + b.sum(), b), (0, 1), True, randomness="different")(x, x[:2])
    torch.manual_seed(0)
    close(different, (torch.diag(torch.rand(5, 3).diagonal()), torch.ones(3, 2)))
    close(aux, x[:2])
    assert torch.rand(2).shape == (2,)  # nothing is refused afterwards


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobians_are_of_real_functions(jacobian):
    with pytest.raises(RuntimeError, match="arguments to differentiate by must be real"):
        jacobian(lambda x: x.real)(torch.randn(2, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="results must be real"):
        jacobian(lambda x: x * 1j)(torch.randn(2))


def test_results_that_have_no_gradient():
    x = torch.randn(3)
    for transform in (lambda f: vjp(f, x), lambda f: jacrev(f)(x)):
        with pytest.raises(RuntimeError, match="must return floating point or complex tensors, got torch.int64"):
            transform(lambda x: x.long())
    whole, derived = jacfwd(lambda x: (x.long(), 2 * x))(x)
    assert whole.dtype == torch.int64 and not whole.any() and whole.shape == (3, 3)
    close(derived, 2 * torch.eye(3))
    with pytest.raises(ValueError, match="got float"):
        grad(lambda x: x)(3.0)
    with pytest.raises(RuntimeError, match="tangent 0 is torch.float64"):
        linearize(torch.sin, x)[1](x.double())


def test_neural_tangent_kernel():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    parameters = {name: p.detach() for name, p in model.named_parameters()}
    x, y = torch.randn(3, 1), torch.randn(2, 1)
    one = lambda p, x: functional_call(model, p, (x[None],))[0]  # noqa: E731

    def product(a, b):
        out, pull = vjp(lambda p: one(p, a), parameters)
        push = lambda v: jvp(lambda p: one(p, b), (parameters,), pull(v))[1]  # noqa: E731
        return vmap(push)(torch.eye(2))

    by_products = vmap(vmap(product, (None, 0)), (0, None))(x, y)
    j1, j2 = (list(vmap(jacrev(one), (None, 0))(parameters, points).values()) for points in (x, y))
    close(by_products, sum(torch.einsum("naf,mbf->nmab", a.flatten(2), b.flatten(2)) for a, b in zip(j1, j2)).mT)


def test_second_order_meta_learning_through_batch_norm():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2, track_running_stats=False), torch.nn.ReLU(inplace=True),
        torch.nn.Flatten(), torch.nn.Linear(32, 3),
    ).double()  # fmt: skip
    x, y = torch.randn(2, 4, 1, 6, 6, dtype=torch.float64), torch.randint(3, (2, 4))
    loss = lambda p, x, y: torch.nn.functional.cross_entropy(functional_call(model, p, x), y)  # noqa: E731

    def task(differentiate, x, y):
        parameters = dict(model.named_parameters())
        for _ in range(2):
            steps = differentiate(parameters, x, y)
            parameters = {k: p - 0.1 * steps[k] for k, p in parameters.items()}
        return loss(parameters, x, y)

    def by_hand(p, x, y):
        return dict(zip(p, torch.autograd.grad(loss(p, x, y), list(p.values()), create_graph=True)))

    batched = vmap(lambda x, y: task(grad(loss), x, y))(x, y).sum()
    one_by_one = sum(task(by_hand, a, b) for a, b in zip(x, y))
    close(batched, one_by_one)
    close(*(torch.autograd.grad(value, list(model.parameters())) for value in (batched, one_by_one)))


def test_the_names_that_packages_import_from_c():
    import torch._C._functorch as names

    assert vmap(lambda x: x * names.is_batchedtensor(x))(torch.ones(2)).sum() == 2 and not names.is_batchedtensor(torch.ones(1))
