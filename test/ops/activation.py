"""Activations."""

import numpy as np
import scipy.special as sp

import torch
import torch.nn.functional as F
from ops.common import ALL, ALL_FLOATS, BOOL, COMPLEX, FLOATS, INTS, LIB, REAL, REDUCED, VALUES, Op, Sample, internal, rand
from ops.shared.seeded import LOOSE, Words, seeded


def both_sides(dtype):
    """Numbers of both signs, away from the corners at whole numbers."""
    x = rand(3, 4, dtype=torch.float64, low=-3, high=3)
    x = torch.where((x - x.round()).abs() < 0.1, x + 0.2, x).to(dtype)
    return [Sample(x), Sample(rand(5, dtype=dtype, low=0.1, high=0.9)), Sample(rand(0, dtype=dtype))]


def activation(name, ref, call, *variants, dtypes=ALL_FLOATS, **kwargs):
    """`variants`: keyword arguments to try in addition to the defaults."""

    def samples(dtype):
        return [Sample(s.input, (), v) for s in both_sides(dtype) for v in ({}, *variants)]

    kwargs = {"make": samples, "method": False, "out": False, **kwargs}
    return Op(name, ref=ref, dtypes=dtypes, call=call, **kwargs)


def backward(name, ref, *args, dtypes=ALL_FLOATS, **kwargs):
    """aten::NAME(grad, x, *args): the operator that computes an activation's gradient."""

    def samples(dtype):
        return [Sample(rand(*s.input.shape, dtype=dtype, seed=1), (s.input, *args), kwargs) for s in both_sides(dtype)]

    return internal(name, samples, ref, dtypes, grad=False)


def silu_slope(g, x):
    s = 1 / (1 + np.exp(-x))
    return g * s * (1 + x * (1 - s))


def elu_backward_samples(dtype):
    """The input, or the result, stands behind the numbers."""
    return [Sample(rand(*s.input.shape, dtype=dtype, seed=1), (2.0, 1.0, 1.0, False, s.input)) for s in both_sides(dtype)]


def gelu(x, approximate="none"):
    if approximate == "none":
        return 0.5 * x * (1 + sp.erf(x / np.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softplus(x, beta=1, threshold=20):
    return np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(x))


def selu(x):
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


def glu(x, dim=-1):
    a, b = np.split(x, 2, dim)
    return a * sp.expit(b)


def prelu_samples(dtype):
    x = both_sides(dtype)[0].input
    return [Sample(x, (rand(1, dtype=dtype),)), Sample(x, (rand(4, dtype=dtype),))]


def grad_and_result(dtype):
    return [
        Sample(rand(3, 4, dtype=dtype), (rand(3, 4, dtype=dtype, low=0.1, high=0.9, seed=1),)),
        Sample(rand(0, dtype=dtype), (rand(0, dtype=dtype),)),
    ]


# --- random slopes -----------------------------------------------------------------------------------------


def rrelu_samples(dtype):
    return [Sample(rand(*s, dtype=dtype), (0.1, 0.3, True)) for s in ((), (5,), (3, 4), (0, 2))]


def slopes_of(x, lower, upper, training):
    words = Words()
    return (
        np.array([1.0 if v > 0 else words.uniform() * (upper - lower) + lower for v in x.ravel()])
        .reshape(x.shape)
        .astype(x.dtype)
    )


def rrelu(x, *args):
    return x * slopes_of(x, *args)


def noise_samples(dtype):
    return [Sample(s.input, (torch.zeros_like(s.input), *s.args)) for s in rrelu_samples(dtype)]


RRELU_ERRORS = (
    (lambda: torch.rrelu(torch.ones(2), 0.5, 0.2), RuntimeError, "Lower bound"),
    (lambda: torch.rrelu(torch.ones(2), float("nan"), 0.2), RuntimeError, "must be finite"),
    (lambda: torch.rrelu(torch.ones(2).int(), training=True), NotImplementedError, "not implemented for 'Int'"),
    (lambda: LIB.rrelu_with_noise(torch.ones(2), torch.ones(3), 0.1, 0.2, True), RuntimeError, "noise has shape"),
)


def glu_parts(x, dim):
    value, gate = np.split(x, 2, dim)
    s = 1 / (1 + np.exp(-gate))
    return value, s, s * (1 - s)


def glu_grad(grad, x, dim):
    value, s, slope = glu_parts(x, dim)
    return np.concatenate([grad * s, grad * value * slope], dim)


def glu_tangent(y, x, dx, dim):
    value, s, slope = glu_parts(x, dim)
    dvalue, dgate = np.split(dx, 2, dim)
    return dvalue * s + y * (1 - s) * dgate


def glu_grad_tangent(grad_x, grad, x, dgrad, dx, dim):
    value, s, slope = glu_parts(x, dim)
    dvalue, dgate = np.split(dx, 2, dim)
    curve = slope * (1 - 2 * s)
    return np.concatenate(
        [dgrad * s + grad * slope * dgate, (dgrad * value + grad * dvalue) * slope + grad * value * curve * dgate], dim
    )


def gelu_grad(grad, x):
    from scipy import stats

    return (grad * (stats.norm.cdf(x) + x * stats.norm.pdf(x))).astype(x.dtype)


OPS = [
    activation(
        "relu",
        lambda x: np.maximum(x, 0),
        torch.relu,
        method=True,
        inplace=True,
        dtypes=ALL_FLOATS + INTS,
        errors=[(lambda: torch.relu(torch.tensor([True])), RuntimeError, "Boolean inputs")],
    ),
    activation("relu6", lambda x: np.clip(x, 0, 6), F.relu6, dtypes=ALL_FLOATS + INTS),
    activation(
        "threshold",
        lambda x, threshold, value: np.where(x > threshold, x, value),
        F.threshold,
        make=lambda d: [Sample(s.input, (0.1 if d.is_floating_point else 1, 20)) for s in both_sides(d)],
        dtypes=ALL_FLOATS + INTS,
    ),
    activation(
        "leaky_relu", lambda x, negative_slope=0.01: np.where(x > 0, x, x * negative_slope), F.leaky_relu, {"negative_slope": 0.2}
    ),
    activation("elu", elu, F.elu, {"alpha": 2.0}),
    activation("selu", selu, torch.selu),
    activation(
        "celu", lambda x, alpha=1.0: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha)), F.celu, {"alpha": 2.0}
    ),
    activation(
        "gelu",
        gelu,
        F.gelu,
        {"approximate": "tanh"},
        errors=[(lambda: F.gelu(torch.ones(2), approximate="x"), RuntimeError, "none or tanh", VALUES)],
    ),
    activation("silu", lambda x: x / (1 + np.exp(-x)), F.silu, dtypes=ALL_FLOATS + COMPLEX),
    activation("mish", lambda x: x * np.tanh(np.log1p(np.exp(x))), F.mish),
    activation(
        "hardtanh",
        lambda x, min_val=-1.0, max_val=1.0: np.clip(x, x.dtype.type(min_val), x.dtype.type(max_val)),
        F.hardtanh,
        {"min_val": -0.55, "max_val": 0.45},
        dtypes=ALL_FLOATS + INTS[1:],
    ),
    activation("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6, F.hardswish),
    activation("hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6, F.hardsigmoid),
    activation(
        "hardshrink", lambda x, lambd=0.5: np.where(np.abs(x) > lambd, x, 0), torch.hardshrink, {"lambd": 1.05}, method=True
    ),
    activation(
        "softshrink",
        lambda x, lambd=0.5: np.sign(x) * np.maximum(np.abs(x) - lambd, 0),
        F.softshrink,
        {"lambd": 1.05},
        errors=[(lambda: F.softshrink(torch.ones(2), -1.0), RuntimeError, "lambda must be")],
    ),
    activation("softplus", softplus, F.softplus, {"beta": 2.0, "threshold": 1.0}),
    activation("log_sigmoid", lambda x: -np.log1p(np.exp(-x)), F.logsigmoid),
    Op(
        "prelu",
        prelu_samples,
        lambda x, w: np.where(x > 0, x, w * x),
        ALL_FLOATS,
        out=False,
        errors=[(lambda: torch.prelu(torch.ones(2, 3), torch.ones(2)), RuntimeError, "channel size")],
    ),
    Op(
        "glu",
        lambda d: [Sample(rand(4, 6, dtype=d)), Sample(rand(4, 6, dtype=d), (0,))],
        glu,
        ALL_FLOATS,
        call=F.glu,
        method=False,
        out=False,
        errors=[(lambda: F.glu(torch.ones(3)), RuntimeError, "must be even")],
    ),
    Op(
        "tanh_backward",
        grad_and_result,
        lambda g, y: g * (1 - np.conj(y) ** 2),
        ALL_FLOATS + COMPLEX,
        call=torch.ops.aten.tanh_backward,
        method=False,
        out=False,
    ),
    Op(
        "sigmoid_backward",
        grad_and_result,
        lambda g, y: g * np.conj((1 - y) * y),
        ALL_FLOATS + COMPLEX,
        call=torch.ops.aten.sigmoid_backward,
        method=False,
        out=False,
    ),
    Op(
        "logit_backward",
        grad_and_result,
        lambda g, x: g / (x * (1 - x)),
        ALL_FLOATS,
        call=torch.ops.aten.logit_backward,
        method=False,
        out=False,
        grad=False,
    ),
    internal(
        "_prelu_kernel",
        lambda d: [Sample(s.input, (rand(1, dtype=d),)) for s in both_sides(d)],
        lambda x, w: np.where(x > 0, x, w * x),
        ALL_FLOATS,
    ),
    internal(
        "log_sigmoid_forward",
        both_sides,
        lambda x: -np.log1p(np.exp(-x)),
        ALL_FLOATS,
        call=lambda x: torch.ops.aten.log_sigmoid_forward(x)[0],
    ),
    internal(
        "elu_backward",
        elu_backward_samples,
        lambda g, alpha, scale, input_scale, is_result, x: np.where(x > 0, g, g * alpha * np.exp(x)),
        ALL_FLOATS,
        grad=False,
    ),
    backward(
        "gelu_backward", lambda g, x: g * (0.5 * (1 + sp.erf(x / np.sqrt(2))) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi))
    ),
    backward("silu_backward", silu_slope, dtypes=ALL_FLOATS + COMPLEX),
    backward(
        "mish_backward", lambda g, x: g * (np.tanh(np.log1p(np.exp(x))) + x * sp.expit(x) / np.cosh(np.log1p(np.exp(x))) ** 2)
    ),
    backward("threshold_backward", lambda g, x, threshold: np.where(x > threshold, g, 0), 0.5, dtypes=REAL),
    backward("leaky_relu_backward", lambda g, x, slope, is_result: np.where(x > 0, g, g * slope), 0.2, False),
    backward("hardtanh_backward", lambda g, x, low, high: np.where((low < x) & (x < high), g, 0), -0.55, 0.45),
    backward("hardswish_backward", lambda g, x: np.where(x <= -3, 0, np.where(x >= 3, g, g * (x / 3 + 0.5)))),
    backward("hardsigmoid_backward", lambda g, x: np.where(np.abs(x) < 3, g / 6, 0)),
    backward("hardshrink_backward", lambda g, x, lambd: np.where(np.abs(x) > lambd, g, 0), 0.5),
    backward("softshrink_backward", lambda g, x, lambd: np.where(np.abs(x) > lambd, g, 0), 0.5),
    backward(
        "softplus_backward", lambda g, x, beta, threshold: np.where(x * beta > threshold, g, g * sp.expit(x * beta)), 2.0, 3.0
    ),
    internal(
        "log_sigmoid_backward",
        lambda d: [
            Sample(rand(5, dtype=d, seed=1), (x, buffer))
            for x in (rand(5, dtype=d),)
            for buffer in (torch.exp(-x.abs()), torch.empty(0, dtype=d))
        ],
        lambda g, x, buffer: g * sp.expit(-x),
        ALL_FLOATS,
        grad=False,
    ),
    Op(
        "log_sigmoid_forward",
        both_sides,
        None,
        ALL_FLOATS,
        call=torch.ops.aten.log_sigmoid_forward,
        method=False,
        out=False,
        grad=False,
        values=False,
    ),
    Op("rrelu", rrelu_samples, rrelu, FLOATS + REDUCED[1:], call=seeded(torch.rrelu), inplace=False, errors=RRELU_ERRORS, gradgrad=False, takes=REDUCED[:1], **LOOSE, out=False),
    Op("rrelu", lambda d: [Sample(rand(2, 3, dtype=d), (0.1, 0.3))], lambda x, a, b: np.where(x > 0, x, x * (a + b) / 2), ALL_FLOATS, method=False, out=False),
    Op("rrelu", rrelu_samples, rrelu, FLOATS, call=seeded(lambda x, *a: torch.rrelu_(x.clone(), *a)), out=False, gradgrad=False, **LOOSE),
    *(internal("rrelu_with_noise", noise_samples, lambda x, n, *a: rrelu(x, *a), FLOATS + REDUCED[1:], call=call, grad=False, noncontiguous=False, tolerance=1e-5) for call in (
        seeded(lambda x, n, *a: torch._C._nn.rrelu_with_noise(x, n.clone(), *a)), seeded(lambda x, n, *a: torch._C._nn.rrelu_with_noise_(x.clone(), n.clone(), *a)))),
    internal("rrelu_with_noise_functional", noise_samples, lambda x, n, *a: [rrelu(x, *a), slopes_of(x, *a)], FLOATS + REDUCED[1:], call=seeded(LIB.rrelu_with_noise_functional), grad=False,
             noncontiguous=False, tolerance=1e-5),
    internal("rrelu_with_noise_backward", lambda d: [Sample(rand(2, 3, dtype=d), (rand(2, 3, dtype=d, seed=1), rand(2, 3, dtype=d, seed=2), 0.1, 0.3, t, False)) for t in (True, False)],
             lambda g, x, n, a, b, t, r: g * n if t else g * np.where(x > 0, 1, (a + b) / 2), ALL_FLOATS, grad=False, takes=INTS + COMPLEX + BOOL),
    internal("glu_backward", lambda d: [Sample(rand(4, 3, dtype=d), (rand(4, 6, dtype=d, seed=1), -1)), Sample(rand(2, 6, dtype=d), (rand(4, 6, dtype=d, seed=1), 0))], glu_grad, ALL_FLOATS, call=lambda *a: torch._C._nn.glu_backward(*a), takes=ALL, errors=(
        (lambda: LIB.glu_backward(torch.ones(2), torch.ones(3), 0), RuntimeError, "must be even"),)),
    internal("glu_jvp", lambda d: [Sample(rand(4, 3, dtype=d), (rand(4, 6, dtype=d, seed=1), rand(4, 6, dtype=d, seed=2), 1))], glu_tangent, ALL_FLOATS, takes=ALL),
    internal("glu_backward_jvp", lambda d: [Sample(rand(4, 6, dtype=d), (*(rand(4, n, dtype=d, seed=k) for k, n in enumerate((3, 6, 3, 6))), 1))], glu_grad_tangent, ALL_FLOATS, takes=ALL),
    internal("infinitely_differentiable_gelu_backward", lambda d: [Sample(rand(4, 3, dtype=d), (rand(4, 3, dtype=d, seed=1),))], gelu_grad, ALL_FLOATS, takes=ALL),
    internal("rrelu_with_noise", noise_samples, lambda x, n, *a: rrelu(x, *a), FLOATS + REDUCED[1:], grad=False, noncontiguous=False, tolerance=1e-5,
             call=seeded(lambda x, n, *a: LIB.rrelu_with_noise.out(x, n.clone(), *a, out=torch.empty_like(x)))),
]  # fmt: skip
