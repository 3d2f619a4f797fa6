"""Operators at the sizes that models have, on numbers that no branch predicts: `python -m benchmarks.compare --group usual`.

The sweep's cases are the samples of the test table with one dimension made long; these have the shapes of layers. Floats run
forward and backward in float32, bfloat16 and float16, images in both memory formats, and integers in all their types. There are
about 1,500 cases: give `--rounds 2 --seconds 0.01`, or a part of a name by `--case`.
"""

from cases import Case

import torch
import torch.nn.functional as F

N = 512
FLOATS = (torch.float32, torch.bfloat16, torch.float16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8, torch.bool)
BUDGET = 1 / 0.95


def mask():
    return torch.rand(N, N) > 0.5


def places(*shape, below=N):
    return torch.randint(0, below, shape)


# f(x) of a matrix of 512 x 512. A tuple: (what f takes besides, made once; f).
MATRIX = {
    "sum dim 0": lambda x: x.sum(0),
    "sum dim 1": lambda x: x.sum(1),
    "sum": lambda x: x.sum(),
    "var dim 1": lambda x: x.var(1),
    "std dim 0": lambda x: x.std(0),
    "amax dim 0": lambda x: x.amax(0),
    "amax dim 1": lambda x: x.amax(1),
    "max dim 1": lambda x: x.max(1)[0],
    "norm dim 1": lambda x: x.norm(dim=1),
    "norm p 3": lambda x: x.norm(3, dim=1),
    "prod dim 1": lambda x: x.prod(1),
    "logsumexp": lambda x: x.logsumexp(1),
    "cumsum dim 0": lambda x: x.cumsum(0),
    "cumsum dim 1": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(1),
    "cummax": lambda x: x.cummax(1)[0],
    "softmax dim 0": lambda x: x.softmax(0),
    "softmax dim 1": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(1),
    "sort": lambda x: x.sort(1)[0],
    "topk 5": lambda x: x.topk(5, 1)[0],
    "topk 50": lambda x: x.topk(50, 1)[0],
    "kthvalue": lambda x: x.kthvalue(9, 1)[0],
    "median": lambda x: x.median(1)[0],
    "flip": lambda x: x.flip(1),
    "roll": lambda x: x.roll(5, 1),
    "tril": lambda x: x.tril(),
    "t contiguous": lambda x: x.t().contiguous(),
    "repeat": lambda x: x.repeat(2, 2),
    "repeat_interleave 0": lambda x: x.repeat_interleave(2, 0),
    "repeat_interleave 1": lambda x: x.repeat_interleave(2, 1),
    "unfold": lambda x: x.unfold(1, 8, 4).contiguous(),
    "cat of chunks": lambda x: torch.cat(x.chunk(4, 1)),
    "stack": lambda x: torch.stack([x, x], 2),
    "diff": lambda x: x.diff(),
    "glu": lambda x: F.glu(x),
    "gelu": lambda x: F.gelu(x),
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": lambda x: F.silu(x),
    "sigmoid": lambda x: x.sigmoid(),
    "tanh": lambda x: x.tanh(),
    "exp": lambda x: x.exp(),
    "log": lambda x: x.abs().log(),
    "sqrt": lambda x: x.abs().sqrt(),
    "reciprocal": lambda x: x.reciprocal(),
    "square": lambda x: x.square(),
    "relu": lambda x: x.relu(),
    "leaky_relu": lambda x: F.leaky_relu(x),
    "hardswish": lambda x: F.hardswish(x),
    "softplus": lambda x: F.softplus(x),
    "elu": lambda x: F.elu(x),
    "clamp": lambda x: x.clamp(-1, 1),
    "times number": lambda x: x * 1.5,
    "layer_norm": lambda x: F.layer_norm(x, (N,)),
    "rms_norm": lambda x: F.rms_norm(x, (N,)),
    "normalize": lambda x: F.normalize(x, dim=1),
    "dropout": lambda x: F.dropout(x, 0.3),
    "rows by index": (lambda: places(300), lambda x, k: x[k]),
    "columns by index": (lambda: places(300), lambda x, k: x[:, k]),
    "index_select 1": (lambda: places(300), lambda x, k: x.index_select(1, k)),
    "by mask": (mask, lambda x, m: x[m]),
    "masked_fill": (mask, lambda x, m: x.masked_fill(m, 0)),
    "gather dim 0": (lambda: places(N, N), lambda x, k: x.gather(0, k)),
    "gather dim 1": (lambda: places(N, N), lambda x, k: x.gather(1, k)),
    "gather of one row": (lambda: places(N), lambda x, k: x.gather(1, k.expand(N, N))),
    "embedding": (lambda: places(64, N), lambda x, k: F.embedding(k, x)),
    "embedding_bag": (lambda: places(64, 16), lambda x, k: F.embedding_bag(k, x)),
    "cross_entropy": (lambda: places(N), lambda x, k: F.cross_entropy(x, k)),
    "cross_entropy smoothed": (lambda: places(N), lambda x, k: F.cross_entropy(x, k, label_smoothing=0.1)),
    "multi_margin_loss": (lambda: places(N), lambda x, k: F.multi_margin_loss(x, k)),
}

# f(x, y) of two matrices.
PAIR = {
    "x + y": lambda x, y: x + y,
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "x + row": lambda x, y: x + y[0],
    "x + column": lambda x, y: x + y[:, :1],
    "x * y.t()": lambda x, y: x * y.t(),
    "maximum": torch.maximum,
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "lerp by weights": lambda x, y: torch.lerp(x, y, y.abs()),
    "addcmul": lambda x, y: torch.addcmul(x, x, y),
    "where": lambda x, y: torch.where(x > 0, x, y),
    "where, transposed": lambda x, y: torch.where(x > 0, x.t(), y),
    "pow": lambda x, y: x.abs().pow(y),
    "atan2": torch.atan2,
    "mm": torch.mm,
    "mm with t()": lambda x, y: x @ y.t(),
    "mv": lambda x, y: x @ y[0],
    "bmm": lambda x, y: x.view(16, 32, N).bmm(y.view(16, N, 32)),
    "linear": lambda x, y: F.linear(x, y, y[0]),
    "outer": lambda x, y: torch.outer(x[0], y[0]),
    "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y),
    "mse_loss": F.mse_loss,
    "l1_loss": F.l1_loss,
    "huber_loss": F.huber_loss,
    "kl_div": lambda x, y: F.kl_div(x.log_softmax(1), y.softmax(1), reduction="sum"),
    "bce with logits": lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "cosine_similarity": F.cosine_similarity,
    "cross_entropy, soft": lambda x, y: F.cross_entropy(x, y.softmax(1)),
    "prelu": lambda x, y: F.prelu(x, y[0]),
    "cdist": lambda x, y: torch.cdist(x[:128].float(), y[:128].float()),
    "cdist p 1": lambda x, y: torch.cdist(x[:128].float(), y[:128].float(), 1.0),
    "index_add": (lambda: places(N, below=300), lambda x, y, k: x.index_add(0, k, y)),
    "index_put": (lambda: places(300), lambda x, y, k: x.index_put((k,), y[:300])),
    "index_put, accumulated": (lambda: places(300), lambda x, y, k: x.index_put((k,), y[:300], accumulate=True)),
    "scatter_add dim 0": (lambda: places(N, N), lambda x, y, k: x.scatter_add(0, k, y)),
    "scatter_add dim 1": (lambda: places(N, N), lambda x, y, k: x.scatter_add(1, k, y)),
    "scatter amax": (lambda: places(N, N), lambda x, y, k: x.scatter_reduce(1, k, y, "amax")),
    "masked_scatter": (mask, lambda x, y, m: x.masked_scatter(m, y)),
}

# f(x) of images of 4 x 32 x 56 x 56.
IMAGE = {
    "max_pool2d 2": lambda x: F.max_pool2d(x, 2),
    "max_pool2d 3": lambda x: F.max_pool2d(x, 3, 2, 1),
    "avg_pool2d 2": lambda x: F.avg_pool2d(x, 2),
    "avg_pool2d 3": lambda x: F.avg_pool2d(x, 3, 1, 1),
    "adaptive_avg_pool2d 1": lambda x: F.adaptive_avg_pool2d(x, 1),
    "adaptive_avg_pool2d 7": lambda x: F.adaptive_avg_pool2d(x, 7),
    "adaptive_max_pool2d 7": lambda x: F.adaptive_max_pool2d(x, 7),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "instance_norm": F.instance_norm,
    "group_norm": lambda x: F.group_norm(x, 8),
    "nearest, twice": lambda x: F.interpolate(x, scale_factor=2),
    "bilinear, twice": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "pad": lambda x: F.pad(x, (1, 1, 1, 1)),
    "pad, reflected": lambda x: F.pad(x, (1, 1, 1, 1), "reflect"),
    "pad, replicated": lambda x: F.pad(x, (1, 1, 1, 1), "replicate"),
    "pad, circular": lambda x: F.pad(x, (1, 1, 1, 1), "circular"),
    "unfold": lambda x: F.unfold(x, 3, padding=1),
    "softmax of channels": lambda x: x.softmax(1),
    "mean of pixels": lambda x: x.mean((2, 3)),
    "sum of channels": lambda x: x.sum(1),
    "sums for channels": lambda x: x.sum((0, 2, 3)),
    "amax of channels": lambda x: x.amax(1),
    "relu": lambda x: x.relu(),
    "dropout2d": lambda x: F.dropout2d(x, 0.3),
    "crop": lambda x: x[:, :, 4:52, 4:52].contiguous(),
    "permute": lambda x: x.permute(0, 2, 3, 1).contiguous(),
    "cat of channels": lambda x: torch.cat([x, x], 1),
    "flip": lambda x: x.flip(3),
}

# Layers with weights: (shapes, f of tensors of these shapes).
LAYERS = {
    "conv2d 3": (((4, 32, 56, 56), (64, 32, 3, 3)), lambda x, w: F.conv2d(x, w, padding=1)),
    "conv2d 3, stride 2": (((4, 32, 56, 56), (64, 32, 3, 3)), lambda x, w: F.conv2d(x, w, padding=1, stride=2)),
    "conv2d 1": (((4, 32, 56, 56), (64, 32, 1, 1)), lambda x, w: F.conv2d(x, w)),
    "conv2d 3, by channel": (((4, 32, 56, 56), (32, 1, 3, 3)), lambda x, w: F.conv2d(x, w, padding=1, groups=32)),
    "conv2d 5, 4 groups": (((4, 32, 56, 56), (64, 8, 5, 5)), lambda x, w: F.conv2d(x, w, padding=2, groups=4)),
    "conv_transpose2d": (((4, 32, 28, 28), (32, 16, 4, 4)), lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1)),
    "conv1d": (((4, 32, 1000), (64, 32, 5)), lambda x, w: F.conv1d(x, w, padding=2)),
    "conv3d": (((2, 8, 12, 28, 28), (16, 8, 3, 3, 3)), lambda x, w: F.conv3d(x, w, padding=1)),
    "attention": (((2, 8, 256, 64),) * 3, F.scaled_dot_product_attention),
    "attention, causal": (((2, 8, 256, 64),) * 3, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
    "attention of one query": (((8, 8, 1, 64), (8, 8, 512, 64), (8, 8, 512, 64)), F.scaled_dot_product_attention),
}

# f(x, y, s) of matrices of integers: y is not 0, s is from 0 to 3.
INTEGER = {
    "x + y": lambda x, y, s: x + y,
    "x * y": lambda x, y, s: x * y,
    "x + y.t()": lambda x, y, s: x + y.t(),
    "x + row": lambda x, y, s: x + y[0],
    "x + column": lambda x, y, s: x + y[:, :1],
    "x * column": lambda x, y, s: x * y[:, :1],
    "x // y": lambda x, y, s: x // y,
    "x % y": lambda x, y, s: x % y,
    "x % 3": lambda x, y, s: x % 3,
    "x / y": lambda x, y, s: x / y,
    "pow": lambda x, y, s: x**s,
    "x << s": lambda x, y, s: x << s,
    "and": lambda x, y, s: x & y,
    "logical_or": lambda x, y, s: torch.logical_or(x, s),
    "maximum": lambda x, y, s: torch.maximum(x, y),
    "x < y": lambda x, y, s: x < y,
    "x == y": lambda x, y, s: x == y,
    "gcd": lambda x, y, s: torch.gcd(x, y),
    "abs": lambda x, y, s: x.abs(),
    "neg": lambda x, y, s: -x,
    "sum": lambda x, y, s: x.sum(),
    "sum dim 0": lambda x, y, s: x.sum(0),
    "sum dim 1": lambda x, y, s: x.sum(1),
    "amax dim 1": lambda x, y, s: x.amax(1),
    "max dim 0": lambda x, y, s: x.max(0),
    "argmax dim 1": lambda x, y, s: x.argmax(1),
    "any dim 1": lambda x, y, s: x.any(1),
    "cumsum dim 1": lambda x, y, s: x.cumsum(1),
    "cummax dim 1": lambda x, y, s: x.cummax(1),
    "sort": lambda x, y, s: x.sort(1),
    "topk 5": lambda x, y, s: x.topk(5, 1),
    "mode": lambda x, y, s: x.mode(1),
    "unique": lambda x, y, s: x.unique(),
    "nonzero": lambda x, y, s: s.nonzero(),
    "bincount": lambda x, y, s: x.view(-1).bincount(),
    "isin": lambda x, y, s: torch.isin(x, y[0]),
    "float": lambda x, y, s: x.float(),
    "to int64": lambda x, y, s: x.long(),
    "to bool": lambda x, y, s: s.bool(),
    "where": lambda x, y, s: torch.where(s > 1, x, y),
    "masked_fill": lambda x, y, s: x.masked_fill(s > 1, 1),
    "outer": lambda x, y, s: torch.outer(x[0], y[0]),
    "mm": lambda x, y, s: x @ y,
    "cat": lambda x, y, s: torch.cat([x, y]),
    "flip": lambda x, y, s: x.flip(1),
    "roll": lambda x, y, s: x.roll(3, 1),
    "t contiguous": lambda x, y, s: x.t().contiguous(),
    "sigmoid": lambda x, y, s: x.sigmoid(),
}


def values(shape, dtype, layout=torch.contiguous_format):
    return torch.randn(shape).to(dtype).contiguous(memory_format=layout)


def weights(shapes, dtype, layout):
    """An input in this memory format, and weights."""
    return [values(shapes[0], dtype, layout), *(values(s, dtype) for s in shapes[1:])]


def forward(f, inputs, more=None):
    def make():
        torch.manual_seed(0)
        tensors, rest = inputs(), (more(),) if more else ()
        return lambda: f(*tensors, *rest)

    return Case(make, BUDGET)


def backward(f, inputs, more=None):
    def make():
        torch.manual_seed(0)
        tensors, rest = [t.requires_grad_() for t in inputs()], (more(),) if more else ()
        result = f(*tensors, *rest)
        grad = torch.randn_like(result)
        return lambda: torch.autograd.grad(result, tensors, grad, retain_graph=True, allow_unused=True)

    return Case(make, BUDGET)


def both(name, f, inputs, more=None):
    return {name: forward(f, inputs, more), f"{name} backward": backward(f, inputs, more)}


def float_cases(dtype):
    kind, found = str(dtype).removeprefix("torch."), {}
    for count, table in ((1, MATRIX), (2, PAIR)):
        for name, entry in table.items():
            more, f = entry if isinstance(entry, tuple) else (None, entry)
            found |= both(f"{name} {kind}", f, lambda count=count: [values((N, N), dtype) for _ in range(count)], more)
    for layout, suffix in ((torch.contiguous_format, ""), (torch.channels_last, ", channels last")):
        for name, f in IMAGE.items():
            found |= both(f"image {name}{suffix} {kind}", f, lambda layout=layout: [values((4, 32, 56, 56), dtype, layout)])
        for name, (shapes, f) in LAYERS.items():
            if suffix and not name.startswith(("conv2d", "conv_transpose2d")):
                continue
            found |= both(
                f"{name}{suffix} {kind}",
                f,
                lambda shapes=shapes, layout=layout: [values(shapes[0], dtype, layout), *(values(s, dtype) for s in shapes[1:])],
            )
    return found


def integer_cases(dtype):
    kind, end = str(dtype).removeprefix("torch."), 2 if dtype == torch.bool else 100

    def inputs():
        return [torch.randint(low, high, (N, N)).to(dtype) for low, high in ((0, end), (1, end), (0, 4))]

    refused = {torch.bool: ("x // y", "x % y", "pow", "x << s", "gcd", "abs", "neg", "bincount", "isin", "mm", "topk 5")}
    return {f"{name} {kind}": forward(f, inputs) for name, f in INTEGER.items() if name not in refused.get(dtype, ())}


def optimizer(name, dtype, **settings):
    def make():
        torch.manual_seed(0)
        parameters = [values((256, 256), dtype).requires_grad_() for _ in range(6)]
        for p in parameters:
            p.grad = values(p.shape, dtype)
        return getattr(torch.optim, name)(parameters, lr=1e-3, **settings).step

    return Case(make, BUDGET)


CASES = {}
for each in FLOATS:
    CASES |= float_cases(each)
    for each_name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad"):
        CASES[f"{each_name} {str(each).removeprefix('torch.')}"] = optimizer(each_name, each)
for each in INTEGERS:
    CASES |= integer_cases(each)
