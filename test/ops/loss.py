"""Losses."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL_FLOATS, ANY_REAL, COMPLEX, INTS, LIB, NUMBERS, ON_CPU, REAL, VALUES, Op, Sample, internal, rand
from ops.shared.outs import into

REDUCTIONS = ("mean", "sum", "none")


def reduce(loss, reduction):
    return {"mean": np.mean, "sum": np.sum, "none": lambda x: x}[reduction](loss)


def pairs(low=-3.0, high=3.0, low2=None, high2=None, sign=False, **kwargs):
    """Two tensors of one shape, with each reduction."""

    def samples(dtype):
        found = []
        for shape in ((), (5,), (3, 4), (2, 3, 2)):
            other = rand(*shape, dtype=dtype, low=low if low2 is None else low2, high=high if high2 is None else high2, seed=1)
            if sign:
                other = torch.where(other.real > 0, 1, -1)  # not a float, so that no gradient is requested
            for reduction in REDUCTIONS:
                found.append(Sample(rand(*shape, dtype=dtype, low=low, high=high), (other,), {"reduction": reduction, **kwargs}))
        return found

    return samples


def elementwise(f):
    return lambda x, t, reduction="mean", **kwargs: reduce(f(x, t, **kwargs), reduction)


def smooth_l1(x, t, beta=1.0):
    d = np.abs(x - t)
    return np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta)


def huber(x, t, delta=1.0):
    d = np.abs(x - t)
    return np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta))


def bce(x, t):
    return -t * np.log(x) - (1 - t) * np.log1p(-x)


def log_softmax(x, axis):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


def nll(x, t, weight=None, reduction="mean", ignore_index=-100):
    axis = 0 if x.ndim == 1 else 1
    kept = t != ignore_index
    labels = np.where(kept, t, 0)
    picked = np.take_along_axis(x, np.expand_dims(labels, axis), axis).squeeze(axis)
    w = (np.ones(x.shape[axis], x.dtype) if weight is None else weight)[labels] * kept
    loss = -picked * w
    if reduction == "mean":
        return loss.sum() / w.sum()
    return loss.sum() if reduction == "sum" else loss


def cross_entropy(x, t, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0):
    axis = 0 if x.ndim == 1 else 1
    logs, classes = log_softmax(x, axis), x.shape[axis]
    w = np.ones(classes, x.dtype) if weight is None else weight
    shape = [1] * x.ndim
    shape[axis] = classes
    if t.shape == x.shape:
        t = t * (1 - label_smoothing) + label_smoothing / classes
        loss = -(logs * t * w.reshape(shape)).sum(axis)
        return loss.sum() / loss.size if reduction == "mean" else reduce(loss, reduction)
    kept = t != ignore_index
    labels = np.where(kept, t, 0)
    sharp = nll(logs, t, w, "none", ignore_index)
    spread = np.where(kept, -(logs * w.reshape(shape)).sum(axis), 0)
    loss = (1 - label_smoothing) * sharp + label_smoothing / classes * spread
    return loss.sum() / (w[labels] * kept).sum() if reduction == "mean" else reduce(loss, reduction)


def labelled(dtype, extra=({},)):
    """Scores with labels: one row, rows, images, more dimensions; weights, an ignored class."""
    for shape, target in (((5,), ()), ((6, 5), (6,)), ((2, 3, 2, 2), (2, 2, 2)), ((2, 3, 4), (2, 4))):
        x = rand(*shape, dtype=dtype)
        classes = shape[0] if len(shape) == 1 else shape[1]
        labels = torch.from_numpy(np.random.RandomState(1).randint(0, classes, target).astype(np.int64).reshape(target))
        weight = rand(classes, dtype=dtype, low=0.5, high=2.0)
        for reduction in REDUCTIONS:
            for more in extra:
                yield Sample(x, (labels,), {"reduction": reduction, **more})
                yield Sample(x, (labels,), {"reduction": reduction, "weight": weight, **more})
        if target:
            flat = labels.clone()
            flat.view(-1)[0] = -100
            yield Sample(x, (flat,))
            yield Sample(x, (labels,), {"ignore_index": int(labels.view(-1)[0]), "reduction": "none"})


def entropy_samples(dtype):
    yield from labelled(dtype, ({}, {"label_smoothing": 0.2}))
    x = rand(6, 5, dtype=dtype)
    for reduction in REDUCTIONS:
        yield Sample(x, (torch.softmax(rand(6, 5, dtype=dtype, seed=2), 1),), {"reduction": reduction, "label_smoothing": 0.1})


def nll_forward_ref(x, t, weight, reduction, ignore_index):
    name = ("none", "mean", "sum")[reduction]
    kept = t != ignore_index
    w = (np.ones(x.shape[1], x.dtype) if weight is None else weight)[np.where(kept, t, 0)] * kept
    return [nll(x, t, weight, name, ignore_index), np.asarray(0.0 if name == "none" else w.sum(), x.dtype)]


def nll_forward_samples(shape, target):
    def samples(dtype):
        labels = torch.from_numpy(np.random.RandomState(2).randint(0, shape[1], target).astype(np.int64))
        weight = rand(shape[1], dtype=dtype, low=0.5, high=2.0)
        return [Sample(rand(*shape, dtype=dtype), (labels, w, r, -100)) for w in (None, weight) for r in (0, 1, 2)]

    return samples


X, T = rand(3, 4), torch.tensor([0, 1, 3])

FORMS = {"method": False, "out": False, "inplace": False}


def by_code(name):
    """A function of torch._C._nn with the reduction as a word."""
    return lambda x, t, reduction="mean", **kwargs: getattr(F, name)(x, t, reduction=reduction, **kwargs)


def margin_sign(dtype):
    return [Sample(rand(4, 3, dtype=dtype), (rand(4, 3, dtype=dtype, seed=1), torch.ones(4, 3, dtype=dtype)),
                   {"margin": 0.1, "reduction": r}) for r in REDUCTIONS]  # fmt: skip


def cosine(x, y, dim=1, eps=1e-8):
    norm = lambda a: np.maximum(np.sqrt((a * a).sum(dim, keepdims=True)), eps)  # noqa: E731
    return (x / norm(x) * (y / norm(y))).sum(dim)


def distance(x, y, p=2.0, eps=1e-6, keepdim=False):
    return (np.abs(x - y + eps) ** p).sum(-1, keepdims=keepdim) ** (1 / p)


def triplet(a, p, n, margin=1.0, swap=False, reduction="mean"):
    far = distance(a, n)
    return reduce(np.maximum(distance(a, p) - (np.minimum(far, distance(p, n)) if swap else far) + margin, 0), reduction)


def triplets(dtype):
    parts = [rand(4, 3, dtype=dtype, seed=k) for k in range(3)]
    return [Sample(parts[0], (parts[1], parts[2]), {"swap": s, "reduction": r}) for s in (False, True) for r in REDUCTIONS]


def embedded(dtype):
    a, b = rand(4, 3, dtype=dtype), rand(4, 3, dtype=dtype, seed=1)
    return [Sample(a, (b, torch.tensor([1, -1, 1, -1])), {"margin": 0.1, "reduction": r}) for r in REDUCTIONS]


def cosine_embedding(a, b, t, margin=0.0, reduction="mean"):
    c = cosine(a, b)
    return reduce(np.where(t == 1, 1 - c, np.maximum(c - margin, 0)), reduction)


def stirling(t):
    return np.where(t > 1, t * np.log(t) - t + 0.5 * np.log(2 * np.pi * t), 0)


def nll_backward_samples(shape, target):
    """The gradient of the loss, what the loss was given, and the total of the weights."""
    forward = LIB.nll_loss2d_forward if len(shape) == 4 else LIB.nll_loss_forward

    def samples(dtype):
        for s in nll_forward_samples(shape, target)(dtype):
            loss, total = forward(s.input, *s.args)
            yield Sample(rand(*loss.shape, dtype=dtype, seed=3), (s.input, *s.args, total))

    return samples


def nll_backward_ref(grad, x, t, weight, reduction, ignore_index, total):
    w = (np.ones(x.shape[1], x.dtype) if weight is None else weight)[t]
    result = np.zeros_like(x)
    np.put_along_axis(result, t[:, None], (-w * grad / (total if reduction == 1 else 1))[:, None], 1)
    return result


def backward(name, slope, *numbers, dtypes=ALL_FLOATS, takes=()):
    """aten::NAME(grad, x, target, reduction, ...): the slope of the loss with regard to x, times the gradient."""

    def samples(dtype):
        x, t = rand(3, 4, dtype=dtype), rand(3, 4, dtype=dtype, seed=1)
        return [
            Sample(rand(3, 4, dtype=dtype, seed=2), (x, t, 0, *numbers)),
            Sample(rand(dtype=dtype, seed=2), (x, t, 1, *numbers)),
        ]

    def ref(grad, x, t, reduction, *numbers):
        return grad * slope(x, t, *numbers) / (x.size if reduction == 1 else 1)

    return internal(name, samples, ref, dtypes, grad=False, takes=takes)


# --- margins of classes ---------------------------------------------------------------------------------------

NN = torch._C._nn
LABELS = torch.tensor([[0, 2, -1, 1], [3, -1, 0, 0], [1, 0, 2, 3]])


def multi_margins(dtype):
    x, weight = rand(3, 4, dtype=dtype), rand(4, dtype=dtype, low=0.5, high=2.0)
    for reduction in (0, 1, 2):
        for p, margin in ((1, 1), (2, 0.5)):
            yield Sample(x, (T, p, margin), {"weight": weight, "reduction": reduction})
        yield Sample(x[0], (T[1],), {"reduction": reduction})
        if dtype != torch.float64:  # too many elements for gradients by differences
            yield Sample(rand(300, 50, dtype=dtype), (torch.arange(300) % 50,), {"reduction": reduction})


def multi_margin(x, t, p=1, margin=1, weight=None, reduction=1):
    rows, labels = np.atleast_2d(x), np.atleast_1d(t)
    own = np.take_along_axis(rows, labels[:, None], 1)
    hinge = np.maximum(margin - own + rows, 0) ** p
    hinge[np.arange(len(rows)), labels] = 0
    loss = hinge.mean(1) * (1 if weight is None else weight[labels])
    return reduce(loss if t.ndim else loss[0], ("none", "mean", "sum")[reduction])


def slopes(f, x, step=1e-6):
    """The gradients of each row's loss, by differences; f takes rows and returns one number for each."""
    found = np.zeros_like(x, dtype=np.float64)
    for c in range(x.shape[1]):
        up, down = x.astype(np.float64).copy(), x.astype(np.float64).copy()
        up[:, c] += step
        down[:, c] -= step
        found[:, c] = (f(up) - f(down)) / (2 * step)
    return found


def shares(grad, reduction, rows):
    return grad[:, None] if reduction == 0 else grad * (1 / rows if reduction == 1 else 1)


def multi_margin_gradients(dtype):
    x, weight = rand(3, 4, dtype=dtype), rand(4, dtype=dtype, low=0.5, high=2.0)
    return [Sample(rand(*(3,)[r:], dtype=dtype), (x, T, p, 0.5, weight, r)) for r in (0, 1) for p in (1, 2)]


def multi_margin_gradient(g, x, t, p, margin, weight, reduction):
    return (slopes(lambda v: multi_margin(v, t, p, margin, weight, 0), x) * shares(g, reduction, 3)).astype(x.dtype)


def has_labels(t):
    found = np.zeros(t.shape, bool)
    for row, marks in zip(t, found):
        for label in row:
            if label < 0:
                break
            marks[label] = True
    return found


def multilabel(x, t, reduction=1):
    loss = []
    for row, marks in zip(x, has_labels(t)):
        loss.append(sum(max(0, 1 - own + other) for own in row[marks] for other in row[~marks]) / len(row))
    return reduce(np.array(loss, x.dtype), ("none", "mean", "sum")[reduction])


def multilabels(dtype):
    return [Sample(rand(3, 4, dtype=dtype), (LABELS, r)) for r in (0, 1, 2)]


def multilabel_gradients(dtype):
    marks = torch.from_numpy(has_labels(LABELS.numpy())).to(dtype)
    return [Sample(rand(*(3,)[r:], dtype=dtype), (rand(3, 4, dtype=dtype), LABELS, r, marks)) for r in (0, 1)]


def multilabel_gradient(g, x, t, reduction, marks):
    return (slopes(lambda v: multilabel(v, t, 0), x) * shares(g, reduction, 3)).astype(x.dtype)


# --- connectionist temporal classification -----------------------------------------------------------------------

LOGS = rand(4, 2, 3).log_softmax(2)


def spelled(path, blank):
    """The labels of a path: repeats and blanks are removed."""
    return [c for c, before in zip(path, (None, *path)) if c != before and c != blank]


def ctc(x, targets, times, counts, blank, reduction, zero):
    """The likelihood of a target, summed over all paths."""
    x = log_softmax(x.astype(np.float64) if x.ndim == 3 else x.astype(np.float64)[:, None], 2)
    starts, losses = np.cumsum([0, *counts]), []
    for b, (time, count) in enumerate(zip(times, counts)):
        target = list(targets[b, :count] if targets.ndim == 2 else targets[starts[b] : starts[b] + count])
        total = sum(np.exp(sum(x[t, b, c] for t, c in enumerate(path)))
                    for path in np.ndindex(*[x.shape[2]] * int(time)) if spelled(path, blank) == target)  # fmt: skip
        losses.append(-np.log(total) if total else 0.0 if zero else np.inf)
    loss = np.array(losses)
    return np.mean(loss / np.maximum(counts, 1)) if reduction == 1 else loss.sum() if reduction == 2 else loss


def ctc_samples(as_lengths):
    def make(dtype):
        x = rand(4, 2, 3, dtype=dtype).log_softmax(2)
        labels = torch.tensor([[1, 1], [2, 1]])
        for reduction in (0, 1, 2):
            yield Sample(x, (labels, as_lengths([4, 3]), as_lengths([2, 1]), 0, reduction, False))
        yield Sample(x, (labels - 1, as_lengths([4, 4]), as_lengths([2, 0]), 2, 1, False))
        yield Sample(x, (torch.tensor([1, 2, 1]).int(), as_lengths([4, 4]), as_lengths([1, 2]), 0, 0, False))
        yield Sample(x, (labels, as_lengths([2, 4]), as_lengths([2, 1]), 0, 0, True))
        yield Sample(x[:, 0], (labels[0], as_lengths([4]), as_lengths([2]), 0, 1, False))

    return make


def ctc_gradients(as_lengths):
    def make(dtype):
        x = rand(4, 2, 3, dtype=dtype).log_softmax(2)
        lengths = (torch.tensor([[1, 1], [2, 1]]), as_lengths([4, 3]), as_lengths([2, 1]))
        return [Sample(rand(2, dtype=dtype), (x, *lengths, *LIB._ctc_loss(x, *lengths), 0, False))]

    return make


def ctc_gradient(g, x, targets, times, counts, loss, alpha, blank, zero):
    flat = x.astype(np.float64).transpose(1, 0, 2).reshape(2, -1)
    logits = lambda v: v.reshape(2, 4, 3).transpose(1, 0, 2)  # noqa: E731
    found = slopes(lambda v: ctc(logits(v), targets, times, counts, blank, 0, zero), flat)
    return (logits(found) * g[None, :, None]).astype(x.dtype)


OPS = [
    Op("cross_entropy_loss", entropy_samples, cross_entropy, ALL_FLOATS, call=F.cross_entropy, gradgrad=False, **FORMS,
       errors=((lambda: F.cross_entropy(X, torch.tensor([0, 9, 1])), IndexError, "Target 9 is out of bounds", VALUES, ON_CPU),
               (lambda: F.cross_entropy(X, T[:2]), ValueError, r"batch_size \(3\)"),
               (lambda: F.cross_entropy(X, T, torch.ones(3)), RuntimeError, "for all 4 classes"),
               (lambda: F.cross_entropy(X, T, label_smoothing=2.0), RuntimeError, "between 0.0 and 1.0"))),
    Op("nll_loss_nd", labelled, nll, ALL_FLOATS, call=F.nll_loss, **FORMS,
       errors=((lambda: F.nll_loss(X, T.float()), RuntimeError, "Long or Byte"),)),
    Op("nll_loss_forward", nll_forward_samples((6, 5), (6,)), nll_forward_ref, call=torch.ops.aten.nll_loss_forward, grad=False, **FORMS, dtypes=ALL_FLOATS),
    Op("nll_loss2d_forward", nll_forward_samples((2, 3, 2, 2), (2, 2, 2)), nll_forward_ref, call=torch.ops.aten.nll_loss2d_forward,
       grad=False, **FORMS, dtypes=ALL_FLOATS),
    Op("mse_loss", pairs(), elementwise(lambda x, t: (x - t) ** 2), ALL_FLOATS, call=by_code("mse_loss"), **FORMS,
       errors=((lambda: F.mse_loss(T, T), NotImplementedError, "not implemented for 'Long'"),)),
    Op("l1_loss", pairs(), elementwise(lambda x, t: np.abs(x - t)), ALL_FLOATS + COMPLEX, call=by_code("l1_loss"), **FORMS),
    Op("smooth_l1_loss", pairs(beta=0.7), elementwise(smooth_l1), ALL_FLOATS, call=by_code("smooth_l1_loss"), **FORMS,
       errors=((lambda: F.smooth_l1_loss(X, X, beta=-1.0), RuntimeError, "negative values for beta"),)),
    Op("huber_loss", pairs(delta=0.7), elementwise(huber), ALL_FLOATS, call=by_code("huber_loss"), **FORMS,
       errors=((lambda: F.huber_loss(X, X, delta=0.0), RuntimeError, "non-positive values for delta"),)),
    Op("soft_margin_loss", pairs(sign=True), elementwise(lambda x, t: np.log1p(np.exp(-x * t))), ALL_FLOATS + COMPLEX,
       call=lambda x, t, reduction="mean": F.soft_margin_loss(x, t, reduction=reduction), **FORMS),
    Op("binary_cross_entropy", pairs(0.05, 0.95), elementwise(bce), ALL_FLOATS, call=by_code("binary_cross_entropy"), **FORMS,
       errors=((lambda: F.binary_cross_entropy(X * 9, X), RuntimeError, "between 0 and 1", VALUES, ON_CPU),)),
    Op("binary_cross_entropy_with_logits", pairs(), elementwise(lambda x, t: np.logaddexp(0, -x) * t + np.logaddexp(0, x) * (1 - t)),
       call=by_code("binary_cross_entropy_with_logits"), **FORMS, dtypes=ALL_FLOATS),
    Op("kl_div", pairs(0.1, 2.0), elementwise(lambda x, t: t * (np.log(t) - x)),
       call=lambda x, t, reduction="mean": torch.kl_div(x, t, REDUCTIONS.index(reduction) + 1 if reduction != "none" else 0), **FORMS, dtypes=ALL_FLOATS),
    Op("poisson_nll_loss", pairs(0.3, 3.0, full=True), elementwise(lambda x, t, full: np.exp(x) - t * x + stirling(t)),
       call=by_code("poisson_nll_loss"), **FORMS, dtypes=ALL_FLOATS + INTS[2:], takes=INTS[:2]),
    Op("hinge_embedding_loss", pairs(sign=True), elementwise(lambda x, t: np.where(t == 1, x, np.maximum(1 - x, 0))),
       call=lambda x, t, reduction="mean": F.hinge_embedding_loss(x, t, reduction=reduction), **FORMS, dtypes=ALL_FLOATS, takes=INTS),
    Op("margin_ranking_loss", margin_sign, lambda a, b, t, margin, reduction: reduce(np.maximum(-t * (a - b) + margin, 0), reduction),
       call=F.margin_ranking_loss, **FORMS, dtypes=REAL),
    Op("cosine_similarity", lambda dtype: [Sample(rand(4, 3, dtype=dtype), (rand(4, 3, dtype=dtype, seed=1),), {"dim": d}) for d in (0, 1)],
       cosine, **FORMS, errors=((lambda: torch.cosine_similarity(X, X, dim=5), IndexError, "Dimension out of range"),), dtypes=ALL_FLOATS, takes=COMPLEX),
    Op("cosine_embedding_loss", embedded, cosine_embedding, call=F.cosine_embedding_loss, **FORMS, dtypes=ANY_REAL),
    Op("pairwise_distance", lambda dtype: [Sample(rand(4, 3, dtype=dtype), (rand(4, 3, dtype=dtype, seed=1),), {"keepdim": k})
                                           for k in (False, True)], distance, **FORMS, dtypes=NUMBERS),
    Op("triplet_margin_loss", triplets, triplet, call=F.triplet_margin_loss, **FORMS, dtypes=NUMBERS),
    internal("nll_loss", nll_forward_samples((6, 5), (6,)), lambda *a: nll_forward_ref(*a)[0], grad=False, dtypes=ALL_FLOATS),
    internal("nll_loss2d", nll_forward_samples((2, 3, 2, 2), (2, 2, 2)), lambda *a: nll_forward_ref(*a)[0], grad=False, dtypes=ALL_FLOATS),
    internal("nll_loss_backward", nll_backward_samples((6, 5), (6,)), nll_backward_ref, grad=False, dtypes=ALL_FLOATS),
    internal("nll_loss2d_backward", nll_backward_samples((2, 3, 2, 2), (2, 2, 2)), nll_backward_ref, grad=False, dtypes=ALL_FLOATS),
    backward("mse_loss_backward", lambda x, t: 2 * (x - t), takes=INTS),
    backward("smooth_l1_loss_backward", lambda x, t, beta: np.clip((x - t) / beta, -1, 1), 0.7, takes=INTS),
    backward("huber_loss_backward", lambda x, t, delta: np.clip(x - t, -delta, delta), 0.7),
    backward("soft_margin_loss_backward", lambda x, t: -t / (1 + np.exp(x * t)), dtypes=ALL_FLOATS + COMPLEX),
    internal("binary_cross_entropy_backward", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (rand(3, 4, dtype=dtype, low=0.1, high=0.9, seed=1),
             rand(3, 4, dtype=dtype, low=0.0, high=1.0, seed=2), None, 0))], lambda g, x, t, w, r: g * (x - t) / (x * (1 - x)), grad=False, dtypes=ALL_FLOATS),
    Op("multi_margin_loss", multi_margins, multi_margin, call=NN.multi_margin_loss, method=False, gradgrad=False, errors=(
        (lambda: NN.multi_margin_loss(X, T[:2]), RuntimeError, "inconsistent target size"), (lambda: NN.multi_margin_loss(X, T + 1), RuntimeError, "out of range", VALUES, ON_CPU),
        (lambda: NN.multi_margin_loss(X, T, 3), RuntimeError, "p == 1 and p == 2"), (lambda: NN.multi_margin_loss(X, T, 1, 1, X[0, :3]), RuntimeError, "weight size"),
        (lambda: NN.multi_margin_loss(X, T.int()), RuntimeError, "expected scalar type Long"), (lambda: NN.multi_margin_loss(X[None], T), RuntimeError, "vector or matrix"),
        (lambda: NN.multi_margin_loss(X.half(), T), NotImplementedError, "not implemented for 'Half'"))),
    internal("multi_margin_loss_backward", multi_margin_gradients, multi_margin_gradient, grad=False, tolerance=1e-5),
    Op("multilabel_margin_loss", multilabels, multilabel, call=NN.multilabel_margin_loss, method=False, gradgrad=False, errors=(
        (lambda: NN.multilabel_margin_loss(X, T), RuntimeError, "inconsistent target size"), (lambda: NN.multilabel_margin_loss(X, LABELS + 4), RuntimeError, "out of range", VALUES, ON_CPU),
        (lambda: NN.multilabel_margin_loss(X, LABELS - 2), RuntimeError, "out of range", VALUES, ON_CPU),
        (lambda: NN.multilabel_margin_loss(X[:, :0], LABELS[:, :0]), RuntimeError, "vector or matrix"))),
    internal("multilabel_margin_loss_forward", multilabels, lambda x, t, r: [multilabel(x, t, r), has_labels(t).astype(x.dtype)], grad=False),
    internal("multilabel_margin_loss_backward", multilabel_gradients, multilabel_gradient, grad=False, tolerance=1e-5),
    *(Op("ctc_loss", ctc_samples(as_lengths), ctc, method=False, out=False, grad=False, meta=as_lengths is tuple, tolerance=1e-4, errors=(
        (lambda: torch.ctc_loss(LOGS, T, (4,), (3, 1)), RuntimeError, "input_lengths must be of size"), (lambda: torch.ctc_loss(LOGS, T, (4, 5), (2, 1)), RuntimeError, "input_lengths to have"),
        (lambda: torch.ctc_loss(LOGS, T, (4, 4), (2, 2)), RuntimeError, "length of all targets"), (lambda: torch.ctc_loss(LOGS, T, (4, 4), (2, -1)), RuntimeError, "target_lengths to be"),
        (lambda: torch.ctc_loss(LOGS, T, (4, 4), (2, 1), 3), RuntimeError, "blank must be"), (lambda: torch.ctc_loss(LOGS, T, (4, 4), (2, 1)), RuntimeError, "is not a class", VALUES, ON_CPU),
        (lambda: torch.ctc_loss(LOGS, T.float(), (4, 4), (2, 1)), RuntimeError, "type Long or Int"),
        (lambda: torch.ctc_loss(LOGS.half(), T, (4, 4), (2, 1)), NotImplementedError, "ctc_loss_cpu"))) for as_lengths in (tuple, torch.tensor)),
    # The gradient is that of normalized probabilities only.
    *(Op("_ctc_loss_backward.of_scores", ctc_samples(as_lengths), ctc, call=lambda x, *args: torch.ctc_loss(x.log_softmax(-1), *args), method=False, out=False, gradgrad=False,
         meta=as_lengths is tuple, tolerance=1e-4) for as_lengths in (tuple, torch.tensor)),
    *(internal("_ctc_loss", lambda dtype, as_lengths=as_lengths: [Sample(s.input, (*s.args[:4], s.args[5])) for s in ctc_samples(as_lengths)(dtype) if s.input.dim() == 3],
               lambda x, t, i, n, blank, zero: ctc(x, t, i, n, blank, 0, False), call=lambda x, *a: LIB._ctc_loss(x, *a)[0], grad=False,
               meta=as_lengths is tuple, tolerance=1e-4) for as_lengths in (tuple, torch.tensor)),
    *(internal("_ctc_loss", lambda dtype, as_lengths=as_lengths: [Sample(s.input, (*s.args[:4], s.args[5])) for s in ctc_samples(as_lengths)(dtype) if s.input.dim() == 3],
               lambda x, t, i, n, blank, zero: ctc(x, t, i, n, blank, 0, False), call=into(getattr(LIB._ctc_loss, overload), LIB._ctc_loss, first=True), grad=False, meta=False, tolerance=1e-4)
      for as_lengths, overload in ((tuple, "out"), (torch.tensor, "Tensor_out"))),
    *(internal("_ctc_loss_backward", ctc_gradients(as_lengths), ctc_gradient, grad=False, meta=as_lengths is tuple, tolerance=1e-4) for as_lengths in (tuple, torch.tensor)),
]  # fmt: skip
