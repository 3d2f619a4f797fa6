"""Convolutions, transposed too, and the columns that they are products of."""

import numpy as np

import torch
from ops.common import ALL, FLOATS, LIB, NUMBERS, REDUCED, Op, Sample, internal, rand
from ops.shared.gradients import gradient
from ops.shared.outs import into

NN = torch._C._nn


def tuple_of(v, n):
    return tuple(v) * (n if len(v) == 1 else 1) if isinstance(v, (tuple, list)) else (v,) * n


def windows(x, kernel, stride=1, padding=0, dilation=1, fill=0):
    """Of the last n dimensions, n = len(kernel): (..., *out, *kernel)."""
    n = len(kernel)
    stride, padding, dilation = (tuple_of(v, n) for v in (stride, padding, dilation))
    x = np.pad(x, [(0, 0)] * (x.ndim - n) + [v if isinstance(v, tuple) else (v, v) for v in padding], constant_values=fill)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    found = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(-n, 0)))
    return found[(..., *(slice(None, None, s) for s in stride), *(slice(None, None, d) for d in dilation))]


def batched(n):
    """A reference for a batch, given what may be one item of n + 1 dimensions."""

    def wrap(f):
        return lambda x, *args, **kwargs: f(x, *args, **kwargs) if x.ndim == n + 2 else f(x[None], *args, **kwargs)[0]

    return wrap


def convolve(n):
    @batched(n)
    def ref(x, w, b=None, stride=1, padding=0, dilation=1, groups=1):
        kernel = w.shape[2:]
        if padding == "same":
            padding = tuple((d * (k - 1) // 2, d * (k - 1) - d * (k - 1) // 2) for k, d in zip(kernel, tuple_of(dilation, n)))
        padding = 0 if padding == "valid" else padding
        cols = windows(x, kernel, stride, padding, dilation)
        sizes, letters = cols.shape[2 : 2 + n], "xyz"[:n]
        cols = cols.reshape(len(x), groups, x.shape[1] // groups, int(np.prod(sizes)), *kernel)
        w = w.reshape(groups, -1, *w.shape[1:])
        out = np.einsum(f"ngcp{letters},gqc{letters}->ngqp", cols, w).reshape(len(x), groups * w.shape[1], *sizes)
        return out if b is None else out + b.reshape(-1, *[1] * n)

    return ref


def convolve_transposed(n):
    @batched(n)
    def ref(x, w, b=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        stride, padding, extra, dilation = (tuple_of(v, n) for v in (stride, padding, output_padding, dilation))
        kernel, per = w.shape[2:], w.shape[1]
        full = [(i - 1) * s + d * (k - 1) + 1 + e for i, s, d, k, e in zip(x.shape[2:], stride, dilation, kernel, extra)]
        out = np.zeros((len(x), groups, per, *full), np.result_type(x, w))
        x, w = x.reshape(len(x), groups, x.shape[1] // groups, *x.shape[2:]), w.reshape(groups, -1, per, *kernel)
        for at in np.ndindex(*kernel):
            to = tuple(slice(a * d, a * d + (i - 1) * s + 1, s) for a, d, i, s in zip(at, dilation, x.shape[3:], stride))
            out[(..., *to)] += np.einsum("ngc...,gcq->ngq...", x, w[(..., *at)])
        out = out.reshape(len(x), groups * per, *full)[(..., *(slice(p, f - p) for p, f in zip(padding, full)))]
        return out if b is None else out + b.reshape(-1, *[1] * n)

    return ref


def samples(n, cases):
    """cases: (input, weight, bias or not, further arguments); shapes end in n equal sizes where one number stands."""

    def shape(s):
        return (*s[:-1], *tuple_of(s[-1], n))

    def make(dtype):
        for x, w, bias, kwargs in cases:
            out = w[1] * kwargs.get("groups", 1) if "output_padding" in kwargs else w[0]
            kwargs = {k: v if k in ("groups", "padding") or isinstance(v, int) else tuple(v[:n]) for k, v in kwargs.items()}
            high = 0.5 if dtype in REDUCED else 3  # the sums of many terms are rounded as they go
            x, w = (rand(*shape(v), dtype=dtype, low=-high, high=high, seed=k) for k, v in enumerate((x, w)))
            yield Sample(x, (w, rand(out, dtype=dtype, seed=2) if bias else None), kwargs)

    return make


DIRECT = (
    ((1, 1, 2), (1, 1, 2), True, {"padding": 1}),
    ((1, 1, 3), (1, 1, 2), True, {}),
    ((1, 2, 3), (2, 1, 2), True, {"groups": 2, "padding": 1, "stride": 2}),
    ((2, 2, 4), (3, 2, 2), False, {"padding": "same"}),
    ((2, 2, 5), (3, 2, 3), True, {"padding": "same", "dilation": 2}),
    ((2, 2, 4), (3, 2, 2), True, {"padding": "valid", "stride": 2}),
    ((2, 4), (3, 2, 2), True, {"dilation": 2}),
    ((0, 2, 4), (3, 2, 2), True, {}),
    ((1, 4, 5), (4, 2, 3), False, {"stride": (2, 1, 1), "dilation": (1, 2, 1), "padding": 1, "groups": 2}),
    ((2, 3, 5), (6, 1, 3), True, {"groups": 3, "padding": 1}),
    ((2, 16, 6), (32, 16, 3), True, {"padding": 1}),
)

TRANSPOSED = (
    ((1, 1, 2), (1, 1, 2), True, {"output_padding": 0}),
    ((1, 2, 2), (2, 1, 2), True, {"output_padding": 0, "groups": 2, "stride": 2, "padding": 1}),
    ((2, 3, 3), (3, 2, 3), False, {"output_padding": 1, "stride": 2, "padding": 1}),
    ((3, 3), (3, 2, 2), True, {"output_padding": 0, "dilation": 2}),
    ((0, 3, 3), (3, 2, 2), True, {"output_padding": 0}),
    ((1, 4, 3), (4, 2, 3), True, {"output_padding": (1, 0, 0), "stride": (2, 1, 1), "dilation": (1, 2, 1), "groups": 2}),
    ((2, 16, 4), (16, 8, 3), False, {"output_padding": 0}),
)


def errors(n, fn, transposed):
    x, w = torch.zeros(1, 2, *[3] * n), torch.zeros(2, 2, *[2] * n)
    found = [(lambda: fn(x, w[:, :, 0]), RuntimeError, "weight|stride"), (lambda: fn(x[0, 0], w), RuntimeError, "input"),
             (lambda: fn(x[:, :1], w), RuntimeError, "channels"), (lambda: fn(x, w, torch.zeros(3)), RuntimeError, "bias"),
             (lambda: fn(x, w.double()), RuntimeError, "type"), (lambda: fn(x, w, None, 0), RuntimeError, "stride"),
             (lambda: fn(x, w, None, 1, -1), RuntimeError, "negative padding"), (lambda: fn(x, w, groups=0), RuntimeError, "groups"),
             (lambda: fn(x, w, dilation=0), RuntimeError, "dilation")]  # fmt: skip
    if transposed:
        found.append((lambda: fn(x, w, output_padding=1), RuntimeError, "output padding must be smaller"))
    else:
        found += [(lambda: fn(x, torch.zeros(2, 2, *[4] * n)), RuntimeError, "Kernel size can't be greater than actual input size"),
                  (lambda: fn(x, w, padding="full"), RuntimeError, "padding"),
                  (lambda: fn(x, w, stride=2, padding="same"), RuntimeError, "strided"),
                  (lambda: fn(x, w, None, [1] * (n + 1)), RuntimeError, "stride")]  # fmt: skip
    return tuple(found)


def direct(n):
    fn = getattr(torch, f"conv{n}d")
    return Op(f"conv{n}d", samples(n, DIRECT), convolve(n), NUMBERS, method=False, out=False,
              tolerance=1e-4, errors=errors(n, fn, False))  # fmt: skip


def transposed(n):
    fn = getattr(torch, f"conv_transpose{n}d")
    return Op(f"conv_transpose{n}d", samples(n, TRANSPOSED), convolve_transposed(n), NUMBERS, method=False,
              out=False, tolerance=1e-4, errors=errors(n, fn, True))  # fmt: skip


def columns(x, kernel, dilation=1, padding=0, stride=1):
    """(batch, channels * kernel, positions)."""
    found = np.moveaxis(windows(x, kernel, stride, padding, dilation), (-2, -1), (-4, -3))
    return found.reshape(*x.shape[:-3], x.shape[-3] * kernel[0] * kernel[1], found.shape[-2] * found.shape[-1])


def folded(cols, size, kernel, dilation=1, padding=0, stride=1):
    """Where the columns came from: the places are found by unfolding their numbers."""
    places = columns(np.arange(1.0, size[0] * size[1] + 1).reshape(1, *size), kernel, dilation, padding, stride).astype(int)
    lead, n = (*cols.shape[:-2], cols.shape[-2] // (kernel[0] * kernel[1])), kernel[0] * kernel[1]
    cols = cols.reshape(int(np.prod(lead)), n * cols.shape[-1])
    out = np.zeros((len(cols), size[0] * size[1] + 1), cols.dtype)
    for row, values in zip(out, cols):
        np.add.at(row, places.ravel(), values)
    return out[:, 1:].reshape(*lead, *size)


def im2col_samples(dtype):
    for x, *args in (
        ((1, 1, 3, 4), (2, 2), (1, 1), (0, 0), (1, 1)),
        ((2, 3, 5, 4), (3, 2), (1, 2), (1, 0), (2, 1)),
        ((1, 3, 4), (2, 2), (1, 1), (1, 1), (2, 2)),
    ):
        yield Sample(rand(*x, dtype=dtype), tuple(args))
    yield Sample(rand(0, 2, 3, 3, dtype=dtype), ((2, 2), (1, 1), (0, 0), (1, 1)))


def col2im_samples(dtype):
    for x, *args in (
        ((1, 4, 2), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1)),
        ((2, 18, 6), (5, 4), (3, 2), (1, 2), (1, 0), (2, 1)),
        ((4, 9), (4, 4), (2, 2), (1, 1), (1, 1), (2, 2)),
    ):
        yield Sample(rand(*x, dtype=dtype), tuple(args))
    yield Sample(rand(0, 8, 4, dtype=dtype), ((3, 3), (2, 2), (1, 1), (0, 0), (1, 1)))


def raw(fn, n, transposed_):
    """torch.convolution and its kin, which take every setting as a list."""
    cases = TRANSPOSED if transposed_ else DIRECT[:2] + DIRECT[6:]

    def make(dtype):
        for s in samples(n, cases)(dtype):
            if s.input.dim() == n + 2:
                k = {"stride": 1, "padding": 0, "dilation": 1, "output_padding": 0, "groups": 1, **s.kwargs}
                yield Sample(
                    s.input,
                    s.args,
                    {
                        "settings": [
                            k["groups"],
                            *(list(tuple_of(k[v], n)) for v in ("stride", "padding", "dilation", "output_padding")),
                        ]
                    },
                )

    def call(x, w, b, settings):
        return fn(x, w, b, transposed_, *settings)

    def ref(x, w, b, settings):
        groups, stride, padding, dilation, extra = settings
        if transposed_:
            return convolve_transposed(n)(x, w, b, stride, padding, extra, groups, dilation)
        return convolve(n)(x, w, b, stride, padding, dilation, groups)

    return {"make": make, "call": call, "ref": ref, "method": False, "out": False, "tolerance": 1e-4}


def convolution(x, w, b, transposed_, groups, stride, padding, dilation, extra):
    return torch.convolution(x, w, b, stride, padding, dilation, transposed_, extra, groups)


def _convolution(x, w, b, transposed_, groups, stride, padding, dilation, extra):
    return torch._convolution(x, w, b, stride, padding, dilation, transposed_, extra, groups, False, False, True, True)


def mkldnn_convolution(x, w, b, transposed_, groups, stride, padding, dilation, extra):
    return torch.mkldnn_convolution(x, w, b, padding, stride, dilation, groups)


def by_name(name, n, *names, out="out"):
    """Kernels under their own names, which also take the sizes of the weight."""
    is_transposed, overload = "transpose" in name, getattr(getattr(LIB, name), out)

    def make(dtype):
        for s in samples(n, TRANSPOSED if is_transposed else DIRECT[:2] + DIRECT[6:])(dtype):
            given = {k: v for k, v in s.kwargs.items() if v not in ("valid",)}
            if set(given) <= {*names} and s.input.dim() == n + 2:
                values = [list(tuple_of(given.get(k, 0 if "padding" in k else 1), n)) for k in names]
                w, b = s.args
                yield Sample(s.input, (w, list(w.shape[2:]), b, *values))
                yield Sample(s.input[0], (w, list(w.shape[2:]), b, *values)) if len(s.input) else s

    def ref(x, w, kernel, b, *values):
        given = dict(zip(names, values))
        x, alone = (x[None], True) if x.ndim < n + 2 else (x, False)
        y = (convolve_transposed(n) if is_transposed else convolve(n))(x, w, b, **given)
        return y[0] if alone else y

    x, w = torch.zeros(1, 2, *[3] * n), torch.zeros(2, 2, *[2] * n)
    rest = [[0 if "padding" in k else 1] * n for k in names]
    fn = getattr(LIB, name).default
    errors = ((lambda: fn(x, w, [3] * n, None, *rest), RuntimeError, "must have .* dimensions that end in kernel_size"),
              (lambda: fn(x[0, 0], w, [2] * n, None, *rest), RuntimeError, "the input must have"))  # fmt: skip
    yield internal(
        name,
        lambda dtype: [s for s in make(dtype) if len(s.args) > 2],
        ref,
        FLOATS,
        call=fn,
        tolerance=1e-4,
        takes=ALL,
        noncontiguous=False,
        errors=errors,
    )
    yield internal(
        name,
        lambda dtype: [s for s in make(dtype) if len(s.args) > 2],
        ref,
        FLOATS,
        call=into(overload, fn),
        tolerance=1e-4,
        takes=ALL,
        noncontiguous=False,
        grad=False,
    )


def slow_gradients(g, x, w, kernel, stride, padding, mask):
    """What autograd gives for conv2d."""
    g, x, w = (torch.from_numpy(np.array(v)) for v in (g, x, w))
    leaves = [v.double().requires_grad_() for v in (x, w, torch.zeros(len(w), device="cpu"))]
    y = torch.conv2d(*leaves, stride=tuple(stride), padding=tuple(padding))
    return [v.numpy().astype(np.float64) for v, used in zip(torch.autograd.grad(y, leaves, g.double()), mask) if used]


def slow_samples(dtype):
    for mask in ([True, True, True], [True, False, False]):
        yield Sample(
            rand(2, 3, 3, 3, dtype=dtype),
            (rand(2, 2, 5, 6, dtype=dtype, seed=1), rand(3, 2, 3, 2, dtype=dtype, seed=2), [3, 2], [2, 2], [1, 0], mask),
        )


def defined(results):
    return [r for r in results if r is not None]


def double_gradients(ggi, ggw, ggb, go, w, x):
    """The derivative of the gradients of conv2d, along tangents of the input, the weight and the bias."""
    go, w, x, ggi, ggw, ggb = (torch.from_numpy(np.array(v)).double() for v in (go, w, x, ggi, ggw, ggb))
    go, w, x = (v.requires_grad_() for v in (go, w, x))
    to_x, to_w, to_b = torch.autograd.grad(
        torch.conv2d(x, w, torch.zeros(len(w), dtype=torch.float64, device="cpu", requires_grad=True)),
        (x, w),
        go,
        create_graph=True,
    ) + (go.sum((0, 2, 3)),)
    total = (to_x * ggi).sum() + (to_w * ggw).sum() + (to_b * ggb).sum()
    return [v.detach().numpy() for v in torch.autograd.grad(total, (go, x, w))]


X = torch.zeros(1, 1, 3, 3)

# A build with USE_MKLDNN=0 only needs to raise an error.
ONEDNN = (torch.float32,) if torch.backends.mkldnn.is_available() else ()


def conv_tbc(x, weight, bias, pad):
    x = np.pad(x, ((pad, pad), (0, 0), (0, 0)))
    width = len(weight)
    return np.stack([np.einsum("kbc,kco->bo", x[t : t + width], weight) + bias for t in range(len(x) - width + 1)])


def tbc_grads(grad, x, weight, bias, pad):
    """Each gradient goes back to the window of the input that it came from."""
    padded = np.pad(x, ((pad, pad), (0, 0), (0, 0)))
    to_input, to_weight = np.zeros_like(padded), np.zeros_like(weight)
    for t in range(grad.shape[0]):
        for k in range(weight.shape[0]):
            to_input[t + k] += grad[t] @ weight[k].T
            to_weight[k] += padded[t + k].T @ grad[t]
    return [to_input[pad : pad + len(x)], to_weight, grad.sum((0, 1))]


OPS = [
    direct(1),
    direct(2),
    direct(3),
    transposed(1),
    transposed(2),
    transposed(3),
    Op("convolution", **raw(convolution, 2, False), dtypes=NUMBERS),
    Op("convolution", **raw(convolution, 1, True), dtypes=NUMBERS),
    Op("_convolution", **raw(_convolution, 2, False), dtypes=NUMBERS),
    Op("mkldnn_convolution", **raw(mkldnn_convolution, 2, False), dtypes=ONEDNN, takes=(torch.bfloat16,), grad=False,
       errors=((lambda: torch.mkldnn_convolution(X, X, None, [0, 0], [0, 0], [1, 1], 1), RuntimeError, "stride|oneDNN|mkldnn"),), meta=False),
    Op("im2col", im2col_samples, columns, ALL, call=NN.im2col, method=False,
       errors=((lambda: NN.im2col(X[None], (2, 2), (1, 1), (0, 0), (1, 1)), RuntimeError, "3D or 4D"),
               (lambda: NN.im2col(X, (4, 4), (1, 1), (0, 0), (1, 1)), RuntimeError, "too small|non-positive|at least one"),
               (lambda: NN.im2col(X, (2, 2), (1, 1), (0, 0), (0, 1)), RuntimeError, "stride should be greater than zero"),
               (lambda: NN.im2col(X, (2, 2), (0, 1), (0, 0), (1, 1)), RuntimeError, "dilation should be greater than zero"),
               (lambda: NN.im2col(X, (0, 2), (1, 1), (0, 0), (1, 1)), RuntimeError, "kernel.*should be greater than zero"),
               (lambda: NN.im2col(X, (2, 2), (1, 1), (-1, 0), (1, 1)), RuntimeError, "padding should be non-negative"))),
    Op("col2im", col2im_samples, folded, NUMBERS, call=NN.col2im, method=False,
       errors=((lambda: NN.col2im(torch.zeros(1, 3, 4), (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)), RuntimeError, "divisible by the product of kernel_size"),
               (lambda: NN.col2im(torch.zeros(1, 4, 5), (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)), RuntimeError, "sliding blocks"),
               (lambda: NN.col2im(torch.zeros(4), (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)), RuntimeError, "2D or 3D"))),
    internal("_convolution_mode", lambda dtype: [Sample(rand(2, 2, 5, dtype=dtype), (rand(3, 2, 3, dtype=dtype, seed=1), b, [1], p, [1], 1))
                                                 for b in (None, rand(3, dtype=dtype, seed=2)) for p in ("same", "valid")],
             lambda x, w, b, stride, padding, dilation, groups: convolve(1)(x, w, b, 1, 1 if padding == "same" else 0, 1, 1), tolerance=1e-4, dtypes=NUMBERS),
    gradient("convolution", (1, 2, 5), (3, 2, 3), (3,), [1], [0], [1], False, [0], 1, takes=NUMBERS),
    gradient("_convolution", (1, 2, 5), (3, 2, 3), (3,), [1], [0], [1], False, [0], 1, False, False, False, False, takes=NUMBERS),
    gradient("convolution_backward", (1, 3, 3), (1, 2, 5), (3, 2, 3), [3], [1], [0], [1], False, [0], 1, [True, True, True], takes=NUMBERS),
    Op("conv_tbc", lambda dtype: [Sample(rand(5, 2, 3, dtype=dtype), (rand(2, 3, 4, dtype=dtype, seed=1), rand(4, dtype=dtype, seed=2), p)) for p in (0, 1)], conv_tbc, FLOATS, takes=ALL,
       method=False, out=False, tolerance=1e-4, errors=((lambda: torch.conv_tbc(torch.ones(5, 2, 3), torch.ones(2, 4, 4), torch.ones(4)), RuntimeError, "3 channels"),
       (lambda: torch.conv_tbc(torch.ones(5, 2), torch.ones(2, 4, 4), torch.ones(4)), RuntimeError, "3 dims"), (lambda: torch.conv_tbc(torch.ones(5, 2, 3), torch.ones(2, 3, 4), torch.ones(3)), RuntimeError, "bias"))),
    internal("conv_tbc_backward", lambda dtype: [Sample(rand(5, 2, 4, dtype=dtype), (rand(5, 2, 3, dtype=dtype, seed=1), rand(3, 3, 4, dtype=dtype, seed=2), rand(4, dtype=dtype, seed=3), 1))], tbc_grads, FLOATS,
             takes=ALL, noncontiguous=False, grad=False, tolerance=1e-4, errors=((lambda: LIB.conv_tbc_backward(torch.ones(2), torch.ones(2), torch.ones(2), torch.ones(2), 0), RuntimeError, "3 dims"),)),
    *(op for args in (("thnn_conv2d", 2, "stride", "padding"), ("slow_conv3d", 3, "stride", "padding"), ("slow_conv_dilated2d", 2, "stride", "padding", "dilation"),
                      ("slow_conv_dilated3d", 3, "stride", "padding", "dilation"), ("slow_conv_transpose2d", 2, "stride", "padding", "output_padding", "dilation"),
                      ("slow_conv_transpose3d", 3, "stride", "padding", "output_padding", "dilation")) for op in by_name(*args)),
    *(op for args in (("_slow_conv2d_forward", 2, "stride", "padding"), ("slow_conv3d_forward", 3, "stride", "padding")) for op in by_name(*args, out="output")),
    internal("_slow_conv2d_backward", slow_samples, slow_gradients, FLOATS, call=lambda *a: defined(LIB._slow_conv2d_backward.output_mask(*a)), grad=False, noncontiguous=False, takes=ALL, tolerance=1e-4),
    *(internal("_slow_conv2d_backward", lambda dtype: list(slow_samples(dtype))[:1], slow_gradients, FLOATS, call=call, grad=False, noncontiguous=False, takes=ALL, tolerance=1e-4) for call in (
        into(LIB._slow_conv2d_backward.output_mask_out, LIB._slow_conv2d_backward.output_mask), lambda *a: into(LIB._slow_conv2d_backward.grad_input, lambda *b: LIB._slow_conv2d_backward.output_mask(*b, a[-1]))(*a[:-1]))),
    Op("_convolution.deprecated", **raw(lambda x, w, b, t, groups, stride, padding, dilation, extra: torch._convolution(x, w, b, stride, padding, dilation, t, extra, groups, False, False, True), 2, False), takes=ALL),
    internal("_convolution_double_backward", lambda dtype: [Sample(rand(1, 2, 4, 4, dtype=dtype), (*(rand(*s, dtype=dtype, seed=k) for k, s in enumerate(((3, 2, 2, 2), (3,), (1, 3, 3, 3), (3, 2, 2, 2), (1, 2, 4, 4)))),))],
             double_gradients, FLOATS, call=lambda *a: LIB._convolution_double_backward(*a, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3), grad=False, noncontiguous=False, takes=ALL, tolerance=1e-3),
]  # fmt: skip
