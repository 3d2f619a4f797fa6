"""Recurrent layers and cells, packing. test_rnn.py checks the layers further."""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, COMPLEX, FLOATS, INTS, NUMBERS, ON_CPU, REAL, REDUCED, VALUES, Op, Sample, internal, rand

VF = torch._C._VariableFunctions


def with_lengths(fn):
    """The function with its second argument, lengths of sequences, on the CPU, where they belong on all devices."""
    return lambda x, lengths, *rest: fn(x, lengths.cpu(), *rest)


def weights(dtype, gates, features, hidden=2, biases=True, projection=0, directions=1, layers=1):
    found = []
    for k in range(layers * directions):
        width = features if k < directions else hidden * directions
        sizes = [(gates * hidden, width), (gates * hidden, projection or hidden)]
        sizes += [(gates * hidden,)] * 2 if biases else []
        sizes += [(projection, hidden)] if projection else []
        found += [rand(*s, dtype=dtype, low=-1, high=1, seed=10 * k + i) for i, s in enumerate(sizes)]
    return found


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(gates, x, h, c, w_ih, w_hh, b_ih=0, b_hh=0):
    a, b = x @ w_ih.T + b_ih, h @ w_hh.T + b_hh
    if gates == 4:
        i, f, g, o = np.split(a + b, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if gates == 3:
        (r, z), (xn, hn) = (sigmoid(v) for v in np.split(a + b, 3, axis=-1)[:2]), (v[..., -h.shape[-1] :] for v in (a, b))
        n = np.tanh(xn + r * hn)
        return n + z * (h - n), c
    return (np.tanh(a + b) if gates == 1 else np.maximum(a + b, 0)), c


def layer(gates):
    """The reference of a layer: for each direction and step, on the rows that take part."""

    def ref(x, *args):
        packed = isinstance(args[0], np.ndarray) and args[0].dtype == np.int64
        sizes, args = (args[0], args[1:]) if packed else (None, args)
        hx, w, biases, layers, _, _, bidirectional, *batch_first = args
        h0, c0 = hx if gates == 4 else (hx, hx)
        directions, each = 1 + bidirectional, 4 if biases else 2
        if packed:
            steps = np.split(x, np.cumsum(sizes)[:-1])
        else:
            steps = list(np.swapaxes(x, 0, 1) if batch_first[0] else x)
        hs, cs = [], []
        for k in range(layers * directions):
            if k % directions == 0:
                source, steps = steps, [[] for _ in steps]
            h, c = h0[k].copy(), c0[k].copy()
            for t in range(len(source))[:: -1 if k % directions else 1]:
                n = len(source[t])
                h[:n], c[:n] = step(gates, source[t], h[:n], c[:n], *w[k * each : (k + 1) * each])
                steps[t].append(h[:n].copy())
            if k % directions == directions - 1:
                steps = [np.concatenate(s, axis=-1) for s in steps]
            hs.append(h)
            cs.append(c)
        out = np.concatenate(steps) if packed else np.stack(steps, 1 if batch_first[0] else 0)
        return (out, np.stack(hs), np.stack(cs)) if gates == 4 else (out, np.stack(hs))

    return ref


def layer_dtypes(gates):
    """tanh does not take integers, and relu needs an order, which complex numbers lack."""
    if gates == 3:  # a complex sigmoid near its poles has few digits in complex64
        return {"dtypes": (*ALL_FLOATS, torch.complex128), "takes": COMPLEX}
    return {"dtypes": ALL_FLOATS + COMPLEX} if gates else {"dtypes": ALL_FLOATS, "takes": INTS}


def layers(name, gates, count=None):
    """gates: what `step` calls the cell; count: how many gates it has."""

    def samples(dtype, packed):
        count_ = count or gates
        for settings in ({}, {"layers": 2, "directions": 2}, {"biases": False}):
            directions, depth, biases = settings.get("directions", 1), settings.get("layers", 1), settings.get("biases", True)
            state = rand(depth * directions, 2, 2, dtype=dtype, low=-1, high=1)
            hx = [state, state * 0.5] if gates == 4 else state
            w = weights(dtype, count_, 3, **settings)
            rest = (hx, w, biases, depth, 0.0, True, directions == 2)
            if packed:
                yield Sample(rand(4, 3, dtype=dtype, low=-1, high=1), (torch.tensor([2, 1, 1]), *rest))
            else:
                for batch_first in (False, True):
                    yield Sample(rand(2, 2, 3, dtype=dtype, low=-1, high=1), (*rest, batch_first))

    x, state = torch.zeros(2, 2, 3), torch.zeros(1, 2, 2)
    hx, w, rest = [state, state] if gates == 4 else state, weights(torch.float32, count or gates, 3), (True, 1, 0.0, True, False)
    fn = getattr(torch, name)
    same = {"ref": layer(gates), **layer_dtypes(gates), "method": False, "out": False, "tolerance": 1e-5}
    bad = ((lambda: fn(x[0, 0], hx, w, *rest, False), RuntimeError, "3-D input"),
           (lambda: fn(x, hx, w[:1], *rest, False), RuntimeError, "RNN parameters"),
           (lambda: fn(x[..., :2], hx, w, *rest, False), RuntimeError, "inconsistent input_size"),
           (lambda: fn(x[:0], hx, w, *rest, False), RuntimeError, "larger than 0"),
           (lambda: fn(x[0], torch.tensor([1, 2]), hx, w, *rest), RuntimeError, "batch_sizes"))  # fmt: skip
    padded = Op(name, lambda dtype: samples(dtype, False), **same, errors=bad)
    packed = Op(name, lambda dtype: samples(dtype, True), meta=False, call=with_lengths(fn), **same)
    return padded, packed


def cell(name, gates, count=None):
    def samples(dtype):
        for biases in (True, False):
            h = rand(2, 2, dtype=dtype, low=-1, high=1)
            yield Sample(
                rand(2, 3, dtype=dtype), ([h, h * 0.5] if gates == 4 else h, *weights(dtype, count or gates, 3, biases=biases))
            )

    def ref(x, h, *w):
        return step(gates, x, *h, *w) if gates == 4 else step(gates, x, h, h, *w)[0]

    fn, x, h, w = getattr(torch, name), torch.zeros(2, 3), torch.zeros(2, 2), weights(torch.float32, count or gates, 3)
    return Op(name, samples, ref, NUMBERS if gates else REAL, method=False, out=False, tolerance=1e-5,
              errors=((lambda: fn(x, [h[:1]] * 2 if gates == 4 else h[:1], *w), RuntimeError, "hidden0 batch size 1"),
                      (lambda: fn(x[:, :1], [h, h] if gates == 4 else h, *w), RuntimeError, "inconsistent input_size")))  # fmt: skip


def fused(dtype):
    """The operator computes one direction of one layer, only in float32, so there is no gradcheck (test_rnn.py has the comparison)."""
    for reverse in (False, True):
        for biases in (False, True):
            w = weights(dtype, 4, 3, hidden=5)
            h = rand(2, 5, dtype=dtype, low=-1, high=1)
            yield Sample(rand(4, 2, 3, dtype=dtype), (*w, h, h * 0.5, reverse, [], 2, 5, 1, biases, False, False, True))


def fused_backward(dtype):
    """Gradients of all three results of the forward pass, whose results and workspace go with them (test_rnn.py has the values)."""
    for s in fused(dtype):
        *inputs, reverse, sizes, mode, hidden, layers, biases, bidirectional, batch_first, train = s.args
        output, hy, cy, workspace = torch.mkldnn_rnn_layer(s.input, *s.args)
        settings = (reverse, mode, hidden, layers, biases, train, bidirectional, sizes, batch_first, workspace)
        yield Sample(s.input, (*inputs, output, hy, cy, output, hy, cy, *settings))


def fused_ref(x, w_ih, w_hh, b_ih, b_hh, h, c, reverse, *rest):
    biases, out = rest[4], [None] * len(x)
    for t in range(len(x))[:: -1 if reverse else 1]:
        out[t] = h, c = step(4, x[t], h, c, w_ih, w_hh, *((b_ih, b_hh) if biases else ()))
    return np.stack([o[0] for o in out]), h, c


def pack_ref(x, lengths, batch_first):
    x = np.swapaxes(x, 0, 1) if batch_first else x
    sizes = [int((lengths > t).sum()) for t in range(lengths[0])]
    return np.concatenate([x[t, :n] for t, n in enumerate(sizes)]), np.array(sizes)


def pad_packed_ref(x, sizes, batch_first, value, total):
    out = np.full((max(total, len(sizes)), sizes[0], *x.shape[1:]), value, x.dtype)
    for t, rows in enumerate(np.split(x, np.cumsum(sizes)[:-1])):
        out[t, : len(rows)] = rows
    return np.swapaxes(out, 0, 1) if batch_first else out, (np.arange(sizes[0])[:, None] < sizes).sum(1)


def pad_sequence_ref(xs, batch_first=False, padding_value=0.0, padding_side="right"):
    out = np.full((len(xs), max(map(len, xs)), *xs[0].shape[1:]), padding_value, xs[0].dtype)
    for row, x in zip(out, xs):
        row[slice(len(row) - len(x), None) if padding_side == "left" else slice(len(x))] = x
    return out if batch_first else np.swapaxes(out, 0, 1)


def pad_sequence_samples(dtype):
    xs = [rand(n, 2, dtype=dtype) for n in (2, 3, 1)]
    for kwargs in ({}, {"batch_first": True}, {"padding_value": 2.0}, {"padding_side": "left", "batch_first": True}):
        yield Sample(xs, (), kwargs)
    yield Sample([rand(n, dtype=dtype) for n in (2, 0)])


X = torch.zeros(3, 2, 2)

EVERY = FLOATS + REDUCED + (torch.int64, torch.bool, torch.complex64, torch.complex128)

OPS = [
    *layers("lstm", 4),
    *layers("gru", 3),
    *layers("rnn_tanh", 1),
    *layers("rnn_relu", 0, 1),
    cell("lstm_cell", 4),
    cell("gru_cell", 3),
    cell("rnn_tanh_cell", 1),
    cell("rnn_relu_cell", 0, 1),
    Op("mkldnn_rnn_layer", fused, fused_ref, (torch.float32,), call=lambda *a: torch.mkldnn_rnn_layer(*a)[:3], grad=False, method=False,
       out=False, tolerance=1e-5,
       errors=((lambda: torch.mkldnn_rnn_layer(*[torch.zeros(1)] * 7, False, [], 2, 1, 1, True, False, False, True), RuntimeError, "steps, batch"),), meta=False),
    Op("_pack_padded_sequence", lambda dtype: [Sample(rand(3, 2, 2, dtype=dtype), (torch.tensor(n), f)) for n, f in (([3, 1], False), ([2, 2, 1], True))],
       pack_ref, ALL, call=with_lengths(VF._pack_padded_sequence), method=False, out=False,
       errors=((lambda: VF._pack_padded_sequence(X, torch.tensor([1, 2]), False), RuntimeError, "sorted in decreasing order", VALUES, ON_CPU),
               (lambda: VF._pack_padded_sequence(X, torch.tensor([1.0, 1.0]), False), RuntimeError, "1D CPU int64 tensor")), meta=False),
    Op("_pad_packed_sequence", lambda dtype: [Sample(rand(4, 2, dtype=dtype), (torch.tensor([2, 1, 1]), f, 1, n)) for f, n in ((False, 0), (True, 5))],
       pad_packed_ref, ALL, call=with_lengths(VF._pad_packed_sequence), method=False, out=False,
       errors=((lambda: VF._pad_packed_sequence(X[0], torch.tensor([1, 1]), False, 0, 1), RuntimeError, "total_length", VALUES, ON_CPU),
               (lambda: VF._pad_packed_sequence(X[0], torch.empty(0, dtype=torch.int64), False, 0, 1), RuntimeError, "batch_sizes can not be empty", VALUES, ON_CPU)), meta=False),
    Op("pad_sequence", pad_sequence_samples, pad_sequence_ref, ALL, call=torch._C._nn.pad_sequence, method=False, out=False,
       errors=((lambda: torch._C._nn.pad_sequence([]), RuntimeError, "empty list"),)),
    internal("mkldnn_rnn_layer_backward", fused_backward, None, (torch.float32,), grad=False, meta=False, noncontiguous=False),
]  # fmt: skip
