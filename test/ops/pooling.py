"""Pooling: windows that slide or divide, their averages and maxima, and the inverse of max pooling."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL, ALL_FLOATS, BOOL, COMPLEX, FLOATS, INTS, ON_CPU, REDUCED, VALUES, Op, Sample, internal, rand
from ops.convolution import tuple_of, windows
from ops.shared.gradients import gradient
from ops.shared.gradients import index as zeros
from ops.shared.outs import into

NN = torch._C._nn
LONG = (torch.int64,)


def places(x, n):
    """The position of each value in its plane."""
    return np.broadcast_to(np.arange(np.prod(x.shape[-n:])).reshape(x.shape[-n:]), x.shape)


def slid(x, n, kernel, stride, padding, dilation, ceil_mode, fill):
    """Windows of x; beyond its padding, where ceil_mode has windows end, lies nan or `fill`."""
    kernel, padding, dilation = (tuple_of(v, n) for v in (kernel, padding, dilation))
    stride = tuple_of(stride, n) if stride not in (None, ()) else kernel
    pads, outs = [], []
    for size, k, s, p, d in zip(x.shape[-n:], kernel, stride, padding, dilation):
        room = size + 2 * p - d * (k - 1) - 1
        out = (-(-room // s) if ceil_mode else room // s) + 1
        out -= ceil_mode and (out - 1) * s >= size + p
        pads.append((p, p + s * out))
        outs.append(slice(out))
    x = np.pad(x, [(0, 0)] * (x.ndim - n) + pads, constant_values=fill)
    return windows(x, kernel, stride, 0, dilation)[(..., *outs, *[slice(None)] * n)]


def largest(values, where, n):
    """The first maximum of each window, and its position."""
    shape = values.shape[:-n]
    values, where = values.reshape(*shape, np.prod(values.shape[-n:])), where.reshape(*shape, np.prod(where.shape[-n:]))
    best = np.argmax(values, -1)[..., None]
    return np.take_along_axis(values, best, -1)[..., 0], np.take_along_axis(where, best, -1)[..., 0]


def max_pool(n, both=False):
    def ref(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
        both_ = ((x.astype(float), -np.inf), (places(x, n), -1))
        values, where = (slid(v, n, kernel, stride, padding, dilation, ceil_mode, fill) for v, fill in both_)
        values, where = largest(values, where, n)
        found = [values.astype(x.dtype), where]
        return found if both else found[0]

    return ref


def avg_pool(n):
    def ref(x, kernel, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        axes = tuple(range(-n, 0))
        inside = slid(np.ones_like(x, float), n, kernel, stride, padding, 1, ceil_mode, 0).sum(axes)
        if count_include_pad:
            padded = np.pad(np.ones(x.shape), [(0, 0)] * (x.ndim - n) + [(p, p) for p in tuple_of(padding, n)], constant_values=1)
            inside = slid(padded, n, kernel, stride if stride not in (None, ()) else kernel, 0, 1, ceil_mode, 0).sum(axes)
        total = slid(x.astype(float), n, kernel, stride, padding, 1, ceil_mode, 0).sum(axes)
        found = total / (divisor_override or inside[tuple(slice(s) for s in total.shape)])
        return np.trunc(found).astype(x.dtype) if x.dtype.kind in "iu" else found

    return ref


def pieces(x, n, size):
    """For each output of an adaptive pool: its index, and the slice of x that it covers."""
    size = tuple_of(size, n)
    for at in np.ndindex(*size):
        cut = tuple(slice(i * s // o, -(-(i + 1) * s // o)) for i, s, o in zip(at, x.shape[-n:], size))
        yield (..., *at), x[(..., *cut)]


def adaptive(n, reduce):
    def ref(x, size):
        found = np.zeros((*x.shape[:-n], *tuple_of(size, n)), x.dtype)
        for at, piece in pieces(x, n, size):
            found[at] = reduce(piece, tuple(range(-n, 0)))
        return found

    return ref


def adaptive_max(n):
    def ref(x, size):
        shape = (*x.shape[:-n], *tuple_of(size, n))
        values, where = np.zeros(shape, x.dtype), np.zeros(shape, np.int64)
        for (at, piece), (_, index) in zip(pieces(x, n, size), pieces(places(x, n), n, size)):
            values[at], where[at] = largest(piece, index, n)
        return values, where

    return ref


def shuffled(*shape, dtype):
    """Distinct numbers, as far as the type can represent them, so that maxima are unique."""
    count = int(np.prod(shape))
    numbers = np.random.RandomState(count).permutation(count) - (0 if dtype == torch.uint8 else count // 2)
    return torch.from_numpy((numbers % 256 if dtype == torch.uint8 else numbers).reshape(shape)).to(dtype)


def sliding(n, cases, make=rand):
    """cases: (sizes of the input before the last n, the last, arguments, keywords)."""

    def shorten(v):
        return v[:n] if isinstance(v, tuple) else v

    def samples(dtype):
        for lead, size, args, kwargs in cases:
            yield Sample(
                make(*lead, *tuple_of(size, n), dtype=dtype),
                tuple(map(shorten, args)),
                {k: shorten(v) for k, v in kwargs.items()},
            )

    return samples


BOTH = (
    ((1, 1), 2, (2, 1, 1), {}),
    ((1, 1), 3, (2,), {}),
    ((1, 2), 2, (2, 1), {}),
    ((2, 3), 5, (3, 2, 1), {"ceil_mode": True}),
    ((3,), 4, (2, 1), {"padding": 1}),
    ((2, 2), 4, ((3, 2, 2), (2, 1, 3), (1, 0, 1)), {"ceil_mode": True}),
    ((0, 2), 4, (2,), {}),
    ((1, 1), 4, (2, 3), {"ceil_mode": True}),
)

MAX = (*BOTH, ((1, 2), 6, (3,), {"dilation": (2, 1, 2), "stride": 1}), ((1, 34), 5, (3, 1, 1), {}))

AVG = (*BOTH, ((2, 3), 5, (3, 2, 1), {"count_include_pad": False}),
       ((2, 3), 5, (3, 2, 1), {"count_include_pad": False, "ceil_mode": True}), ((1, 33), 5, (3, 1, 1), {}))  # fmt: skip

DIVIDED = (*AVG, ((1, 2), 4, (2,), {"divisor_override": 3}), ((1, 2), 5, (3, 2, 1), {"divisor_override": -2, "ceil_mode": True}))

ADAPTIVE = (((1, 1), 2, ((1, 2, 2),), {}), ((1, 1), 3, (2,), {}), ((2, 3), 7, (3,), {}), ((3,), 5, ((2, 4, 1),), {}), ((2, 2), 2, (5,), {}), ((0, 2), 4, (2,), {}),
            ((2, 2), 4, (1,), {}), ((1, 2), 3, (0,), {}), ((2, 33), 5, (4,), {}))  # fmt: skip


def errors(n, fn, max_):
    x = torch.zeros(1, 1, *[4] * n)
    found = [(lambda: fn(x[0, 0, 0] if n > 1 else x[0, 0], 2), (RuntimeError, IndexError), "ensor|Dimension"),
             (lambda: fn(x, 0), RuntimeError, "greater than zero|stride should not be zero"),
             (lambda: fn(x, 2, 0), RuntimeError, "stride"), (lambda: fn(x, 2, -1), RuntimeError, "stride"),
             (lambda: fn(x, 2, 2, 2), RuntimeError, "at most half of"), (lambda: fn(x, 2, 2, -1), RuntimeError, "must be non-negative"),
             (lambda: fn(x, 5), RuntimeError, "[oO]utput size|smaller than kernel"), (lambda: fn(x, [2] * 4), RuntimeError, "kernel_size"),
             (lambda: fn(x[:, :, :0], 2), RuntimeError, "tensor|output size|positive length"),
             (lambda: fn(x[:, :0], 2), RuntimeError, "xpected"), (lambda: fn(x.bool(), 2), NotImplementedError, "not implemented for 'Bool'", VALUES)]  # fmt: skip
    if max_:
        found.append((lambda: fn(x, 2, dilation=0), RuntimeError, "dilation"))
    elif n > 1:
        found.append((lambda: fn(x, 2, divisor_override=0), RuntimeError, "divisor must be not zero"))
    return tuple(found)


def adaptive_errors(n, fn):
    x = torch.zeros(1, 1, *[4] * n)
    return ((lambda: fn(x[0, 0, 0] if n > 1 else x[0, 0], [2] * n), RuntimeError, "imension|Expected|expected"),
            (lambda: fn(x, [-1] * n), RuntimeError, "greater than or equal to 0|negative dimension"),
            (lambda: fn(x[..., :0], [2] * n), RuntimeError, "non-zero size|non-empty"),
            (lambda: fn(x.bool(), [2] * n), NotImplementedError, "not implemented for 'Bool'", VALUES))  # fmt: skip


def pools(n):
    max_, avg, amax, aavg = f"max_pool{n}d", f"avg_pool{n}d", f"adaptive_max_pool{n}d", f"adaptive_avg_pool{n}d"
    plain, indexed = getattr(torch, max_), getattr(torch if n == 1 else NN, f"{max_}_with_indices")
    whole, reduced = FLOATS + REDUCED + INTS, FLOATS + REDUCED
    none = {"method": False, "out": False}
    average = getattr(torch if n == 1 else NN, avg)
    return [
        Op(max_, sliding(n, MAX, shuffled), max_pool(n), whole, errors=errors(n, plain, True), **none),
        Op(f"{max_}_with_indices", sliding(n, MAX, shuffled), max_pool(n, True), whole, call=indexed, method=False, out=n > 1,
           errors=errors(n, indexed, True)),
        Op(avg, sliding(n, AVG if n == 1 else DIVIDED), avg_pool(n), reduced + (torch.int64,), call=average,
           method=False, out=n > 1, errors=errors(n, average, False)),
        Op(amax, sliding(n, ADAPTIVE, shuffled), adaptive_max(n), whole, call=getattr(torch if n == 1 else NN, amax), method=False,
           out=n > 1, errors=adaptive_errors(n, getattr(torch if n == 1 else NN, amax))),
        Op(aavg, sliding(n, ADAPTIVE), adaptive(n, np.mean), reduced, takes=COMPLEX if n == 1 else (torch.int64,), call=getattr(torch if n == 1 else NN, aavg), method=False, out=n > 1,
           errors=adaptive_errors(n, getattr(torch if n == 1 else NN, aavg))),
        *([internal(f"_{aavg}", sliding(n, ADAPTIVE), adaptive(n, np.mean), reduced + (torch.int64,))] if n > 1 else []),
    ]  # fmt: skip


def unpool_samples(n):
    def samples(dtype):
        for lead in ((1, 1), (2, 2), (2,), (0, 2)):
            size = [2] * n
            x = rand(*lead, *size, dtype=dtype)
            where = torch.from_numpy(np.stack([np.random.RandomState(k).permutation(3**n)[: 2**n] for k in range(int(np.prod(lead)))])
                                     if np.prod(lead) else np.zeros(0, np.int64)).reshape(*lead, *size)  # fmt: skip
            yield Sample(x, (where, [3] * n, *(([1] * n, [0] * n) if n == 3 else ())))

    return samples


def unpool(x, where, size, *_):
    n = len(size)
    found = np.zeros((*x.shape[:-n], int(np.prod(size))), x.dtype)
    np.put_along_axis(
        found, where.reshape(*x.shape[:-n], int(np.prod(x.shape[-n:]))), x.reshape(*x.shape[:-n], int(np.prod(x.shape[-n:]))), -1
    )
    return found.reshape(*x.shape[:-n], *size)


def unpool_errors(n, fn):
    x, at, size = torch.zeros(1, 1, *[2] * n), torch.zeros(1, 1, *[2] * n, dtype=torch.int64), [4] * n
    rest = ([2] * 3, [0] * 3) if n == 3 else ()
    found = ((lambda: fn(x, at[:, :, :1], size, *rest), RuntimeError, "shape of indices"),
             (lambda: fn(x, at.int(), size, *rest), RuntimeError, "type int64"),
             (lambda: fn(x, at + 4**n, size, *rest), RuntimeError, "invalid max index", VALUES, ON_CPU),
             (lambda: fn(x, at - 1, size, *rest), RuntimeError, "invalid max index", VALUES, ON_CPU),
             (lambda: fn(x, at, [4] * (n + 1), *rest), RuntimeError, "elements"),
             (lambda: fn(x[0, 0], at[0, 0], size, *rest), RuntimeError, "should be a"))  # fmt: skip
    return found + (((lambda: fn(x, at, size, [1, 0, 1], [0] * 3), RuntimeError, "greater than zero"),) if n == 3 else ())


# --- fractional pooling --------------------------------------------------------------------------------------


def fractional_samples(n):
    def make(dtype):
        for lead, kernel, size, out in (((2, 3), 2, 7, 3), ((3,), (3, 2, 2)[:n], 6, (2, 3, 1)[:n]), ((1, 1), 1, 3, 3)):
            x, samples = rand(*lead, *[size] * n, dtype=dtype), rand(*(1, *lead)[-2:], n, dtype=dtype, low=0.0, high=1.0)
            yield Sample(
                x,
                (
                    [kernel] * n if isinstance(kernel, int) else kernel,
                    [out] * n if isinstance(out, int) else out,
                    samples.detach(),
                ),
            )

    return make


def starts(u, size, out, kernel):
    alpha = (size - kernel) / (out - 1) if out > 1 else 0
    return [int((i + u) * alpha) - int(u * alpha) for i in range(out - 1)] + [size - kernel]


def fractional(n):
    def ref(x, kernel, out, samples):
        lead, sizes = x.shape[:-n], x.shape[-n:]
        found, places = np.zeros((*lead, *out), x.dtype), np.zeros((*lead, *out), np.int64)
        for plane in np.ndindex(*lead):
            u = samples[plane if len(plane) == 2 else (0, *plane)]
            where = [starts(v, s, o, k) for v, s, o, k in zip(u[::-1] if n == 2 else u, sizes, out, kernel)]
            for at in np.ndindex(*out):
                window = tuple(slice(w[i], w[i] + k) for w, i, k in zip(where, at, kernel))
                best = np.unravel_index(np.argmax(x[plane][window]), kernel)
                found[plane][at] = x[plane][window][best]
                places[plane][at] = np.ravel_multi_index([b + w.start for b, w in zip(best, window)], sizes)
        return [found, places]

    return ref


def fractional_gradients(n):
    def make(dtype):
        for s in fractional_samples(n)(dtype):
            places = getattr(NN, f"fractional_max_pool{n}d")(s.input, *s.args)[1]
            yield Sample(rand(*places.shape, dtype=dtype, seed=5), (s.input, *s.args[:2], places))

    return make


def fractional_gradient(g, x, kernel, out, places):
    planes = int(np.prod(x.shape[: -len(kernel)]))
    found = np.zeros((planes, x.size // planes), x.dtype)
    for row, at, values in zip(found, places.reshape(planes, -1), g.reshape(planes, -1)):
        np.add.at(row, at, values)
    return found.reshape(x.shape)


def fractional_errors(n):
    call, x, u = getattr(NN, f"fractional_max_pool{n}d"), torch.ones(1, 2, *[4] * n), torch.zeros(1, 2, n)
    return (
        (lambda: call(x, [2] * n, [4] * n, u), RuntimeError, "too large"),
        (lambda: call(x, [2] * n, [0] * n, u), RuntimeError, "above 0"),
        (lambda: call(x, [2] * n, [2] * n, u[:, :1]), RuntimeError, "random_samples of shape"),
        (lambda: call(x, [2] * n, [2] * n, u.double()), RuntimeError, "dtype of the input"),
        (lambda: call(x[0, 0], [2] * n, [2] * n, u), RuntimeError, "expected an input of"),
    )


OPS = [
    *pools(1),
    *pools(2),
    *pools(3),
    Op("max_unpool2d", unpool_samples(2), unpool, ALL, call=NN.max_unpool2d, method=False,
       errors=unpool_errors(2, NN.max_unpool2d), meta=False),
    Op("max_unpool3d", unpool_samples(3), unpool, ALL, call=NN.max_unpool3d, method=False,
       errors=unpool_errors(3, NN.max_unpool3d), meta=False),
    Op("avg_pool2d.lp_pool2d", sliding(2, [((2, 3), 5, (2.0, 2), {}), ((1, 1), 3, (3.0, 2, 1), {"ceil_mode": True})], lambda *s, dtype: rand(*s, dtype=dtype, low=0.1)),
       lambda x, p, k, s=None, ceil_mode=False: slid(x**p, 2, k, s, 0, 1, False, 0).sum((-2, -1)) ** (1 / p), FLOATS + INTS[:4] + BOOL, takes=REDUCED + COMPLEX + INTS[4:], call=F.lp_pool2d,
       method=False, out=False, tolerance=1e-4),
    gradient("fractional_max_pool2d_backward", (1, 2, 2, 2), (1, 2, 4, 4), [2, 2], [2, 2], zeros(1, 2, 2, 2)),
    gradient("fractional_max_pool3d_backward", (1, 2, 2, 2, 2), (1, 2, 4, 4, 4), [2] * 3, [2] * 3, zeros(1, 2, 2, 2, 2)),
    gradient("avg_pool2d_backward", (1, 2, 2, 2), (1, 2, 4, 4), [2, 2], [2, 2], [0, 0], False, True, None, takes=REDUCED + LONG),
    gradient("avg_pool3d_backward", (1, 2, 2, 2, 2), (1, 2, 4, 4, 4), [2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None, takes=REDUCED + LONG),
    gradient("_adaptive_avg_pool2d_backward", (1, 2, 2, 2), (1, 2, 4, 4)),
    gradient("_adaptive_avg_pool3d_backward", (1, 2, 2, 2, 2), (1, 2, 4, 4, 4)),
    gradient("adaptive_max_pool2d_backward", (1, 2, 2, 2), (1, 2, 4, 4), zeros(1, 2, 2, 2)),
    gradient("adaptive_max_pool3d_backward", (1, 2, 2, 2, 2), (1, 2, 4, 4, 4), zeros(1, 2, 2, 2, 2)),
    gradient("max_pool2d_with_indices_backward", (1, 2, 2, 2), (1, 2, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False, zeros(1, 2, 2, 2)),
    gradient("max_pool3d_with_indices_backward", (1, 2, 2, 2, 2), (1, 2, 4, 4, 4), [2] * 3, [2] * 3, [0] * 3, [1] * 3, False,
             zeros(1, 2, 2, 2, 2)),
    *(Op(f"fractional_max_pool{n}d", fractional_samples(n), fractional(n), ALL_FLOATS, call=getattr(NN, f"fractional_max_pool{n}d"), method=False, errors=fractional_errors(n))
      for n in (2, 3)),
    *(internal(f"fractional_max_pool{n}d_backward", fractional_gradients(n), fractional_gradient, ALL_FLOATS, call=getattr(torch.ops.aten, f"fractional_max_pool{n}d_backward"), grad=False) for n in (2, 3)),
    internal("adaptive_avg_pool3d_backward", lambda dtype: [Sample(rand(1, 2, 2, 2, 2, dtype=dtype), (rand(1, 2, 4, 4, 4, dtype=dtype),))], lambda g, x: g.repeat(2, 2).repeat(2, 3).repeat(2, 4) / 8, FLOATS, takes=REDUCED,
             call=into(torch.ops.aten.adaptive_avg_pool3d_backward.grad_input, torch.ops.aten._adaptive_avg_pool3d_backward), grad=False, noncontiguous=False),
]  # fmt: skip
