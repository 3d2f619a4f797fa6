"""Embedding bags."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, VALUES, Op, Sample, internal, rand
from ops.shared.outs import into

INDICES, OFFSETS = torch.tensor([1, 0, 2, 2, 3]), torch.tensor([0, 2, 2])
FORMS = {"method": False, "out": False}


def bags(table, indices, offsets, by_freq=False, mode=0, sparse=False, weights=None, last=False, padding=None):
    padding = -1 if padding is None else padding % len(table) if padding >= 0 else padding
    ends = list(offsets) + ([] if last else [len(indices)])
    rows = []
    for a, b in zip(ends, ends[1:]):
        kept = [k for k in range(a, b) if indices[k] != padding]
        picked = table[indices[kept]] * (1 if weights is None else weights[kept][:, None])
        rows.append(np.zeros(table.shape[1]) if not kept else (np.sum, np.mean, np.max)[mode](picked, axis=0))
    return np.array(rows, dtype=table.dtype).reshape(-1, table.shape[1])


def samples(extra=(), weights=True):
    def make(dtype):
        table = rand(4, 3, dtype=dtype)
        for mode in (0, 1, 2):
            yield Sample(table, (INDICES, OFFSETS, False, mode, False, None, False, *extra))
            for end in (5, 3):
                yield Sample(table, (INDICES, torch.tensor([0, 2, end]), False, mode, False, None, True, *extra))
        yield Sample(table, (INDICES.int(), OFFSETS.int(), False, 1, False, None, False, *extra))
        yield Sample(table, (INDICES[:0], OFFSETS * 0, False, 0, False, None, False, *extra))
        if weights:
            yield Sample(table, (INDICES, OFFSETS, False, 0, False, rand(5, dtype=dtype, seed=2), False, *extra))
        wide = rand(50, 130, dtype=dtype)
        many = torch.from_numpy(np.random.RandomState(0).randint(0, 50, 400))
        if dtype != torch.float64:  # too many elements for gradients by differences
            yield Sample(wide, (many, torch.arange(0, 400, 10), False, 1, False, None, False, *extra))

    return make


def first(call):
    return lambda *args: call(*args)[0]


def dense_backward(grad, indices, bag_of, sizes, top, rows, by_freq, mode, weights, padding=-1):
    result, uses = np.zeros((rows, grad.shape[1])), np.bincount(indices, minlength=rows)
    if mode == 2:
        for b in range(len(grad)):
            for j in range(grad.shape[1]):
                result[top[b, j], j] += grad[b, j] * (sizes[b] > 0)
        return result.astype(grad.dtype)
    for k, (row, b) in enumerate(zip(indices, bag_of)):
        if row != padding:
            result[row] += (
                grad[b] * (1 if weights is None else weights[k]) / (uses[row] if by_freq else 1) / (sizes[b] if mode else 1)
            )
    return result.astype(grad.dtype)


BAG_OF, SIZES = torch.tensor([0, 0, 2, 2, 2]), torch.tensor([2, 0, 3])


def backward_samples(dtype):
    grad, top = rand(3, 3, dtype=dtype), torch.tensor([[1, 1, 0], [0, 0, 0], [3, 2, 3]])
    for by_freq in (False, True):
        for mode in (0, 1):
            for padding in (-1, 2):
                yield Sample(grad, (INDICES, BAG_OF, SIZES, SIZES, 4, by_freq, mode, None, padding))
    yield Sample(grad, (INDICES, BAG_OF, SIZES, SIZES, 4, False, 0, rand(5, dtype=dtype, seed=1)))
    yield Sample(grad, (INDICES, BAG_OF, SIZES, top, 4, False, 2, None))


def factor_gradients(grad, table, indices, offsets, bag_of, mode, padding=-1):
    bag_of = bag_of if len(bag_of) else np.searchsorted(offsets, np.arange(len(indices)), "right") - 1
    return np.array([0 if r == padding else (grad[b] * table[r]).sum() for r, b in zip(indices, bag_of)], dtype=grad.dtype)


def factor_samples(dtype):
    return [Sample(rand(3, 3, dtype=dtype), (rand(4, 3, dtype=dtype, seed=1), INDICES, OFFSETS, bag, 0, p))
            for bag in (BAG_OF, BAG_OF[:0]) for p in (-1, 2)]  # fmt: skip


W = rand(4, 3)
CALL = torch.embedding_bag

OPS = [
    Op("embedding_bag", samples(), bags, ALL_FLOATS, call=first(torch.embedding_bag), gradgrad=False, **FORMS, errors=(
        (lambda: CALL(W[0], INDICES, OFFSETS), RuntimeError, "2D Tensor"), (lambda: CALL(W, INDICES, OFFSETS[None]), RuntimeError, "1D Tensor"),
        (lambda: CALL(W, INDICES + 2, OFFSETS), RuntimeError, "not in the range", VALUES), (lambda: CALL(W, INDICES - 2, OFFSETS), RuntimeError, "not in the range", VALUES),
        (lambda: CALL(W, INDICES, OFFSETS + 1), RuntimeError, r"offsets\[0\] has to be 0", VALUES),
        (lambda: CALL(W, INDICES, torch.tensor([0, 3, 2])), RuntimeError, "must not decrease", VALUES),
        (lambda: CALL(W, INDICES, torch.tensor([0, 9])), RuntimeError, "only 5 indices", VALUES),
        (lambda: CALL(W, INDICES.float(), OFFSETS), RuntimeError, "Long or Int"), (lambda: CALL(W.long(), INDICES, OFFSETS), RuntimeError, "Half, BFloat16"),
        (lambda: CALL(W, INDICES, OFFSETS, False, 3), RuntimeError, "mode must be"), (lambda: CALL(W, INDICES, OFFSETS, False, 1, False, W[:, 0]), RuntimeError, "mode='sum'"),
        (lambda: CALL(W, INDICES, OFFSETS, False, 0, False, W[:, 0]), RuntimeError, "one number for each"),
        (lambda: CALL(W, INDICES, OFFSETS, False, 0, False, torch.ones(5).double()), RuntimeError, "type of weight"),
        (lambda: CALL(W, INDICES, OFFSETS[:0], include_last_offset=True), RuntimeError, "at least one number"),
        (lambda: CALL(W, INDICES, OFFSETS, False, 0, False, None, False, 4), RuntimeError, "padding_idx must be within"))),
    *(Op("embedding_bag", samples((p,)), lambda *a: bags(*a[:-1], a[-1] % 4 if len(a[0]) == 4 else a[-1] % 50), ALL_FLOATS, call=first(torch.embedding_bag), gradgrad=False,
         **FORMS) for p in (2, -2)),
    *(internal(name, samples((p,)), lambda *a: bags(*a), ALL_FLOATS, call=first(getattr(torch.ops.aten, name)), grad=False) for p in (-1, 2)
      for name in ("_embedding_bag", "_embedding_bag_forward_only")),
    *(internal(name, samples((-1,)), lambda *a: bags(*a), ALL_FLOATS, call=into(getattr(torch.ops.aten, name).out, getattr(torch.ops.aten, name), first=True), grad=False)
      for name in ("_embedding_bag", "_embedding_bag_forward_only")),
    internal("_embedding_bag_dense_backward", backward_samples, dense_backward, ALL_FLOATS, grad=False),
    internal("_embedding_bag_backward", lambda dtype: [Sample(s.input, (s.args[0], OFFSETS, *s.args[1:6], s.args[6], False, *s.args[7:])) for s in backward_samples(dtype)],
             lambda g, i, o, b, s, t, n, f, m, sparse, *rest: dense_backward(g, i, b, s, t, n, f, m, *rest), ALL_FLOATS, grad=False,
             errors=((lambda: torch.ops.aten._embedding_bag_backward(W, INDICES, OFFSETS, BAG_OF, SIZES, SIZES, 4, False, 0, True, None), NotImplementedError, "sparse"),)),
    internal("_embedding_bag_per_sample_weights_backward", factor_samples, factor_gradients, ALL_FLOATS, grad=False),
]  # fmt: skip
