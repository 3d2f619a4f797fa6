"""Batch, layer, group, instance and root-mean-square normalization."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL_FLOATS, COMPLEX, FLOATS, LIB, REDUCED, Op, Sample, internal, rand
from ops.shared.gradients import gradient
from ops.shared.outs import into


def standard(x, axes, eps):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + eps)


def channels(v, x):
    """A vector over dimension 1."""
    return v.reshape(1, -1, *[1] * (x.ndim - 2))


def affine(y, weight, bias, over=None):
    over = over or (lambda v: channels(v, y))
    y = y if weight is None else y * over(weight)
    return y if bias is None else y + over(bias)


def batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
    mean, var = running_mean, running_var
    axes = (0, *range(2, x.ndim))
    if x.size == 0:
        return x
    y = standard(x, axes, eps) if training else (x - channels(mean, x)) / np.sqrt(channels(var, x) + eps)
    return affine(y, weight, bias)


def native_batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps):
    axes = (0, *range(2, x.ndim))
    saved = (x.mean(axes), 1 / np.sqrt(x.var(axes) + eps)) if training else (np.zeros(0), np.zeros(0))
    return batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps), *saved


def instance_norm(x, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    mean, var, own = running_mean, running_var, use_input_stats
    y = standard(x, tuple(range(2, x.ndim)), eps) if own else (x - channels(mean, x)) / np.sqrt(channels(var, x) + eps)
    return affine(y, weight, bias)


def layer_norm(x, shape, weight=None, bias=None, eps=1e-5, *_):
    return affine(standard(x, tuple(range(-len(shape), 0)), eps), weight, bias, lambda v: v)


def native_layer_norm(x, shape, weight, bias, eps):
    axes = tuple(range(-len(shape), 0))
    return layer_norm(x, shape, weight, bias, eps), x.mean(axes, keepdims=True), 1 / np.sqrt(x.var(axes, keepdims=True) + eps)


def group_norm(x, groups, weight=None, bias=None, eps=1e-5, *_):
    y = x.reshape(len(x), groups, int(np.prod(x.shape[1:])) // groups)
    return affine(standard(y, (2,), eps).reshape(x.shape), weight, bias)


def native_group_norm(x, weight, bias, n, c, hxw, groups, eps):
    y = x.reshape(n, groups, c * hxw // groups)
    return group_norm(x, groups, weight, bias, eps), y.mean(2), 1 / np.sqrt(y.var(2) + eps)


def rms_norm(x, shape, weight=None, eps=None):
    axes = tuple(range(-len(shape), 0))
    eps = np.finfo(x.dtype).eps if eps is None else eps
    y = x / np.sqrt((x**2).mean(axes, keepdims=True) + eps)
    return y if weight is None else y * weight


def vectors(n, dtype):
    return rand(n, dtype=dtype, seed=1), rand(n, dtype=dtype, seed=2)


def tail(mean, var, training, *cudnn, name="training"):
    """What follows weight and bias; by keyword, since the running statistics have no gradients."""
    rest = {"cudnn_enabled": cudnn[0]} if cudnn else {}
    return {"running_mean": mean, "running_var": var, name: training, "momentum": 0.1, "eps": 1e-3, **rest}


def batch_samples(*last):
    """last: what follows eps."""

    def samples(dtype):
        for shape in ((3, 2), (3, 2, 2), (2, 3, 4, 5), (2, 2, 3, 2, 2), (2, 33, 7)):
            x, (w, b), mean, var = (
                rand(*shape, dtype=dtype),
                vectors(shape[1], dtype),
                rand(shape[1], dtype=dtype, seed=3),
                rand(shape[1], dtype=dtype, low=0.5),
            )
            for args in (
                (w, b, None, None, True),
                (None, None, None, None, True),
                (w, None, mean, var, False),
                (None, b, mean, var, False),
            ):
                # In training, the running statistics are updated; test_nn_modules.py checks them.
                yield Sample(x, args[:2], tail(*args[2:], *last))
        x = rand(2, 3, 4, 5, dtype=dtype).contiguous(memory_format=torch.channels_last)
        yield Sample(x, vectors(3, dtype), tail(None, None, True, *last))

    return samples


def instance_samples(dtype):
    for shape in ((1, 2, 3), (2, 3, 4, 5), (2, 2, 3, 2, 2)):
        mean, var = rand(shape[1], dtype=dtype, seed=3), rand(shape[1], dtype=dtype, low=0.5)
        for args in (
            (*vectors(shape[1], dtype), None, None, True),
            (None, None, None, None, True),
            (*vectors(shape[1], dtype), mean, var, False),
        ):
            yield Sample(rand(*shape, dtype=dtype), args[:2], tail(*args[2:], True, name="use_input_stats"))


def layer_samples(*given):
    def samples(dtype):
        for shape, n in (((2, 3), 1), ((3, 4), 2), ((2, 3, 4), 1), ((2, 3, 4), 2), ((5, 37), 1), ((0, 3), 1), ((5,), 1)):
            own = shape[len(shape) - n :]
            w, b = rand(*own, dtype=dtype, seed=1), rand(*own, dtype=dtype, seed=2)
            for args in ((w, b), (None, None), (None, b)):
                yield Sample(rand(*shape, dtype=dtype), (own, *args, 1e-3))
            if not given:
                yield Sample(rand(*shape, dtype=dtype), (own,))

    return samples


def filled(samples):
    """Without empty inputs."""
    return lambda dtype: [s for s in samples(dtype) if s.input.numel()]


def group_samples(dtype):
    for shape, groups in (((2, 4), 2), ((1, 2, 3), 1), ((2, 6, 3, 2), 3), ((2, 4, 35), 2), ((0, 4, 2), 2)):
        for args in ((*vectors(shape[1], dtype), 1e-3), (None, vectors(shape[1], dtype)[0]), ()):
            yield Sample(rand(*shape, dtype=dtype), (groups, *args))


def native_group_samples(dtype):
    for shape, groups in (((2, 4), 2), ((1, 2, 3), 1), ((2, 6, 3, 2), 3)):
        n, c, *rest = shape
        for w, b in (vectors(c, dtype), (None, None)):
            yield Sample(rand(*shape, dtype=dtype), (w, b, n, c, int(np.prod(rest)), groups, 1e-3))


def rms_samples(dtype):
    for shape, n in (((2, 3), 1), ((3, 4), 2), ((2, 3, 4), 2), ((5, 37), 1), ((0, 3), 1)):
        own = shape[len(shape) - n :]
        for args in ((rand(*own, dtype=dtype, seed=1), 1e-3), (None, 1e-3), ()):
            yield Sample(rand(*shape, dtype=dtype), (own, *args))


X, W3 = torch.zeros(3, 2, 4), torch.ones(3)

STATS = (torch.zeros(2), torch.ones(2))

TAIL = (0.1, 1e-5, True)

NONE = {"method": False, "out": False, "tolerance": 1e-4}

BOTH = FLOATS + REDUCED


def without(samples, *names):
    """The same samples without some keywords."""
    return lambda dtype: [Sample(s.input, s.args, {k: v for k, v in s.kwargs.items() if k not in names}) for s in samples(dtype)]


def running_samples(dtype):
    """Calls that use running statistics and leave them as they are."""
    return [s for s in batch_samples()(dtype) if s.kwargs["running_mean"] is not None]


def own_samples(dtype):
    return [s for s in batch_samples()(dtype) if s.kwargs["running_mean"] is None]


def updated(x, w, b, running_mean, running_var, **kwargs):
    return torch.ops.aten._batch_norm_with_update(x, w, b, running_mean.clone(), running_var.clone(), **kwargs)


def with_own(x, w, b, training=True, **kwargs):
    return native_batch_norm(x, w, b, None, None, training, kwargs["momentum"], kwargs["eps"])


def on_copies(overload):
    """Calls that change running statistics, with copies of them."""
    return lambda x, w, b, running_mean, running_var, **k: overload(x, w, b, running_mean.clone(), running_var.clone(), **k)


def moved(ref):
    """The same with the running statistics afterwards."""

    def call(x, w, b, running_mean, running_var, training=True, **kwargs):
        axes, n = (0, *range(2, x.ndim)), x.size // x.shape[1]
        rate = kwargs["momentum"]
        mean, var = x.mean(axes), x.var(axes) * n / max(n - 1, 1)
        statistics = [(1 - rate) * running_mean + rate * mean, (1 - rate) * running_var + rate * var]
        return [
            *ref(x, w, b, running_mean=running_mean, running_var=running_var, training=True, **kwargs),
            np.zeros(0, np.uint8),
            *statistics,
        ]

    return call


def statistics(x, running_mean=None, running_var=None, momentum=0.1):
    axes = (0, *range(2, x.ndim))
    return [x.mean(axes), x.var(axes)]


def statistics_samples(dtype):
    for shape in ((4, 3), (2, 3, 5), (2, 3, 2, 2)):
        yield Sample(rand(*shape, dtype=dtype), (rand(3, dtype=dtype, seed=1), rand(3, dtype=dtype, seed=2), 0.3))
        yield Sample(rand(*shape, dtype=dtype), (None, None, 0.1))


def update_stats(x, mean, var, momentum):
    """The running statistics are compared as well."""
    copies = [None if v is None else v.clone() for v in (mean, var)]
    found = LIB.batch_norm_update_stats(x, *copies, momentum)
    if mean is not None and not x.is_meta:
        n = x.numel() // x.shape[1]
        torch.testing.assert_close(copies[0], mean * (1 - momentum) + found[0] * momentum)
        torch.testing.assert_close(copies[1], var * (1 - momentum) + found[1] * momentum * n / (n - 1))
    return found


def fused_rms(x, *args):
    y = rms_norm(x, *args)
    axes = tuple(range(-len(args[0]), 0))
    eps = args[2] if len(args) > 2 and args[2] is not None else np.finfo(x.dtype).eps
    return [y, 1 / np.sqrt((x * x).mean(axes, keepdims=True) + eps)]


BN_GRADIENT = (
    rand(3, 2, 4),
    rand(3, 2, 4, seed=1),
    rand(2, seed=2),
    rand(2, seed=3),
    rand(2, seed=4, low=0.5),
    rand(2, seed=5),
    rand(2, seed=6, low=0.5),
)


def same_gradients(fn):
    """The results are those of native_batch_norm_backward."""

    def call(g, x):
        w, running_mean, running_var, mean, invstd = (t.to(g) for t in BN_GRADIENT[2:])
        found = fn(g, x, w, running_mean, running_var, mean, invstd)
        expected = LIB.native_batch_norm_backward(g, x, w, running_mean, running_var, mean, invstd, True, 1e-5, [True] * 3)
        assert all(torch.equal(a, b) for a, b in zip(found, expected)) or g.is_meta
        return found

    return call


OPS = [
    Op("batch_norm", batch_samples(True), batch_norm, BOTH, **NONE,
       errors=((lambda: torch.batch_norm(X, W3, None, None, None, True, *TAIL), RuntimeError, "weight should contain 2 elements not 3"),
               (lambda: torch.batch_norm(X, None, W3, None, None, True, *TAIL), RuntimeError, "bias should contain 2 elements not 3"),
               (lambda: torch.batch_norm(X, None, None, W3, W3, True, *TAIL), RuntimeError, "running_mean should contain 2 elements not 3"),
               (lambda: torch.batch_norm(X, None, None, STATS[0], W3, True, *TAIL), RuntimeError, "running_var should contain 2 elements not 3"),
               (lambda: torch.batch_norm(X, None, None, None, None, False, *TAIL), RuntimeError, "running_mean must be defined in evaluation mode"),
               (lambda: torch.batch_norm(X, STATS[0].double(), None, None, None, True, *TAIL), RuntimeError, "mixed dtype"),
               (lambda: torch.batch_norm(X.int(), None, None, None, None, True, *TAIL), NotImplementedError, "not implemented for 'Int'"),
               (lambda: F.batch_norm(X[:1, :, :1], None, None, training=True), ValueError, "more than 1 value per channel"))),
    Op("native_batch_norm", batch_samples(), native_batch_norm, ALL_FLOATS, **NONE),
    Op("instance_norm", instance_samples, instance_norm, BOTH, **NONE,
       errors=((lambda: torch.instance_norm(X, None, None, None, None, False, *TAIL), RuntimeError, "running_mean and running_var to be defined"),
               (lambda: torch.instance_norm(X, W3, None, None, None, True, *TAIL), RuntimeError, "weight"),
               (lambda: F.instance_norm(X[..., :1]), ValueError, "more than 1 spatial element"))),
    Op("layer_norm", layer_samples(), layer_norm, BOTH, **NONE,
       errors=((lambda: torch.layer_norm(X, (3,)), RuntimeError, r"Given normalized_shape=\[3\]"),
               (lambda: torch.layer_norm(X, ()), RuntimeError, "at least 1-dimensional"),
               (lambda: torch.layer_norm(X, (4,), W3), RuntimeError, "weight to be of same shape"),
               (lambda: torch.layer_norm(X, (4,), None, W3), RuntimeError, "bias to be of same shape"),
               (lambda: torch.layer_norm(X, (4,), torch.ones(4, dtype=torch.float64)), RuntimeError, "mixed dtype"),
               (lambda: torch.layer_norm(X.int(), (4,)), NotImplementedError, "not implemented for 'Int'"))),
    Op("native_layer_norm", filled(layer_samples(True)), native_layer_norm, ALL_FLOATS, **NONE),
    Op("group_norm", group_samples, group_norm, BOTH, **NONE,
       errors=((lambda: torch.group_norm(X, 3), RuntimeError, "divisible by num_groups"),
               (lambda: torch.group_norm(X, 0), RuntimeError, "greater than 0"),
               (lambda: torch.group_norm(X[0, 0], 1), (RuntimeError, IndexError), "at least 2 dimensions|out of range"),
               (lambda: torch.group_norm(X, 2, W3), RuntimeError, "weight to be a vector"),
               (lambda: torch.group_norm(X, 2, None, W3), RuntimeError, "bias to be a vector"),
               (lambda: torch.group_norm(X.int(), 2), NotImplementedError, "not implemented for 'Int'"))),
    Op("native_group_norm", native_group_samples, native_group_norm, ALL_FLOATS, **NONE,
       errors=((lambda: torch.native_group_norm(X, None, None, 3, 2, 5, 2, 1e-5), RuntimeError, "N.*C.*HxW"),
               (lambda: torch.native_group_norm(X, None, None, 3, 2, 4, 0, 1e-5), RuntimeError, "num groups to be greater than 0"))),
    Op("rms_norm", rms_samples, rms_norm, BOTH + COMPLEX, **NONE,
       errors=((lambda: torch.rms_norm(X, (3,)), RuntimeError, r"Given normalized_shape=\[3\]"),
               (lambda: torch.rms_norm(X, ()), RuntimeError, "at least 1-dimensional"),
               (lambda: torch.rms_norm(X, (4,), W3), RuntimeError, "weight to be of same shape"),
               (lambda: torch.rms_norm(X.int(), (4,)), NotImplementedError, "not implemented for 'Int'"))),
    gradient("native_batch_norm_backward", (3, 2, 4), (3, 2, 4), (2,), None, None, (2,), (2,), True, 1e-5, [True, True, True]),
    gradient("native_layer_norm_backward", (3, 4), (3, 4), [4], (3, 1), (3, 1), (4,), (4,), [True, True, True]),
    gradient("_fused_rms_norm_backward", (3, 4), (3, 4), [4], (3, 1), (4,), [True, True], takes=REDUCED + COMPLEX),
    gradient("native_group_norm_backward", (2, 4, 3), (2, 4, 3), (2, 2), (2, 2), (4,), 2, 4, 3, 2, [True, True, True]),
    internal("_native_batch_norm_legit", without(own_samples, "running_mean", "running_var"), with_own, ALL_FLOATS, gradgrad=False),
    internal("_native_batch_norm_legit", without(own_samples, "running_mean", "running_var"), with_own, ALL_FLOATS, grad=False,
             call=into(torch.ops.aten._native_batch_norm_legit.no_stats_out, torch.ops.aten._native_batch_norm_legit)),
    internal("_native_batch_norm_legit", running_samples, native_batch_norm, ALL_FLOATS, grad=False),
    internal("_native_batch_norm_legit_no_training", without(running_samples, "training"), lambda *a, **k: native_batch_norm(*a, training=False, **k), ALL_FLOATS, grad=False),
    internal("_native_batch_norm_legit_functional", running_samples, lambda *a, **k: [*native_batch_norm(*a, **k), k["running_mean"], k["running_var"]], ALL_FLOATS, grad=False),
    internal("_batch_norm_no_update", without(running_samples, "training"), lambda *a, **k: [*native_batch_norm(*a, training=False, **k), np.zeros(0, np.uint8)], ALL_FLOATS, grad=False),
    internal("_batch_norm_with_update", without(running_samples, "training"), lambda *a, **k: [*with_own(*a, **k), np.zeros(0, np.uint8)], ALL_FLOATS, grad=False, call=updated),
    internal("_native_batch_norm_legit", running_samples, native_batch_norm, ALL_FLOATS, grad=False,
             call=lambda *a, **k: on_copies(lambda *b, **m: into(LIB._native_batch_norm_legit.out, LIB._native_batch_norm_legit.default)(*b, **m))(*a, **k)),
    internal("_batch_norm_with_update", without(running_samples, "training"), lambda *a, **k: [*with_own(*a, **k), np.zeros(0, np.uint8)], ALL_FLOATS, grad=False,
             call=on_copies(lambda *a, **k: into(LIB._batch_norm_with_update.out, updated)(*a, **k))),
    internal("_batch_norm_with_update_functional", without(running_samples, "training"), moved(lambda *a, **k: with_own(*a, momentum=k["momentum"], eps=k["eps"])), FLOATS, grad=False, takes=REDUCED),
    internal("_batch_norm_impl_index", running_samples, lambda *a, **k: native_batch_norm(*a, **k), ALL_FLOATS, grad=False,
             call=lambda *a, **k: on_copies(LIB._batch_norm_impl_index)(*a, **k, cudnn_enabled=False)[:3]),
    internal("_batch_norm_impl_index_backward", lambda dtype: [Sample(BN_GRADIENT[0].to(dtype), (BN_GRADIENT[1].to(dtype),))], None, FLOATS, grad=False, meta=False, noncontiguous=False, takes=REDUCED, call=same_gradients(
        lambda g, x, w, m, v, mean, invstd: LIB._batch_norm_impl_index_backward(0, x, g, w, m, v, mean, invstd, True, 1e-5, [True] * 3, torch.empty(0, dtype=torch.uint8))),
        errors=((lambda: LIB._batch_norm_impl_index_backward(1, X, X, None, None, None, None, None, True, 1e-5, [True] * 3, X), RuntimeError, "impl_index must be 0"),)),
    internal("batch_norm_backward", lambda dtype: [Sample(BN_GRADIENT[0].to(dtype), (BN_GRADIENT[1].to(dtype),))], None, FLOATS, grad=False, meta=False, noncontiguous=False, takes=REDUCED, call=same_gradients(
        lambda g, x, w, m, v, mean, invstd: LIB.batch_norm_backward(g, x, w, m, v, mean, invstd, True, 1e-5, [True] * 3, torch.empty(0, dtype=torch.uint8)))),
    internal("batch_norm_update_stats", statistics_samples, statistics, FLOATS, call=update_stats, takes=REDUCED, grad=False, noncontiguous=False, tolerance=1e-4, errors=(
        (lambda: LIB.batch_norm_update_stats(torch.ones(3), None, None, 0.1), RuntimeError, "at least 2 dimensions"),
        (lambda: LIB.batch_norm_update_stats(torch.ones(0, 3), None, None, 0.1), RuntimeError, "must have elements"),
        (lambda: LIB.batch_norm_update_stats(torch.ones(4, 3), torch.ones(2), None, 0.1), RuntimeError, "must have 3 elements"))),
    internal("batch_norm_update_stats", lambda dtype: list(statistics_samples(dtype))[1::2], statistics, FLOATS, call=into(LIB.batch_norm_update_stats.out, LIB.batch_norm_update_stats), takes=REDUCED, grad=False,
             noncontiguous=False, tolerance=1e-4),
    internal("_fused_rms_norm", lambda dtype: [Sample(rand(2, 3, 4, dtype=dtype), a) for a in (([4], None, 1e-5), ([3, 4], rand(3, 4, dtype=dtype, seed=1), 1e-3))], fused_rms, FLOATS, takes=REDUCED + COMPLEX),
]  # fmt: skip
