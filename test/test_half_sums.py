"""Long sums in half types: every reduction, scatter and gradient that adds many numbers into one place.

Ones added up in the type itself stop at 2,048 in float16 and at 256 in bfloat16. Each case runs in the half type and in
float32; its numbers are exact in both, but for the rounding of the result."""

from functools import partial

import pytest
from ops import all_ops

import torch
import torch.nn.functional as F

N = 5000
HALVES = [torch.float16, torch.bfloat16]
ZEROS = torch.zeros(N, dtype=torch.long)
COLUMNS = torch.zeros(N, 3, dtype=torch.long)


def ones(*shape):
    return lambda dtype: torch.ones(shape, dtype=dtype)


def zeros(*shape):
    return lambda dtype: torch.zeros(shape, dtype=dtype)


def alternating(*shape):
    """1, 3, 1, 3, ... along the first dimension: the mean is 2, the variance 1."""

    def make(dtype):
        x = torch.ones(shape, dtype=dtype)
        x[::2] = 3
        return x

    return make


CASES = {}


def case(name, f, *makers):
    assert name not in CASES, name
    CASES[name] = (f, makers)


def gradient(name, f, *makers):
    """The gradient of f's sum with regard to the first argument."""

    def run(x, *others):
        x = x.requires_grad_()
        return torch.autograd.grad(f(x, *others).sum(), x)[0]

    case(f"{name} gradient", run, *makers)


def reductions():
    for name in ("sum", "nansum", "mean", "nanmean", "norm", "logsumexp", "cumsum", "logcumsumexp"):
        f = getattr(torch, name)
        last = (lambda f, d: lambda x: f(x, dim=d).select(d, -1)) if "cum" in name else (lambda f, d: lambda x: f(x, dim=d))
        case(f"{name} of a line", last(f, 0), ones(N))
        case(f"{name} of columns", last(f, 0), ones(N, 3))
        case(f"{name} of rows", last(f, 1), ones(3, N))
        case(f"{name} of strided", partial(of_first_column, last(f, 0)), ones(N, 2))
        if "cum" not in name and name not in ("norm", "logsumexp"):
            case(f"{name} of all", f, ones(3, N))
    for name in ("var", "std", "var_mean", "std_mean"):
        for shape, d in (((N,), 0), ((N, 3), 0), ((N, 3, 1), 0)):

            def run(x, name=name, d=d):
                f = getattr(torch, name)
                return torch.cat([torch.atleast_1d(t).flatten() for t in pair(f(x, dim=d, unbiased=False))])

            case(f"{name} {shape}", run, alternating(*shape))
    for name in ("prod", "cumprod"):

        def grow(x, name=name):
            return getattr(torch, name)(x * 1.0078125, 0).flatten()[-3:]

        case(f"{name} of a line", grow, ones(500))
        case(f"{name} of columns", grow, ones(500, 3))
    aten = torch.ops.aten
    case("cumprod_backward", lambda g, x: aten.cumprod_backward(g, x, 0, x)[:1], ones(N), ones(N))
    case("cummaxmin_backward", lambda g, x: aten.cummaxmin_backward(g, x, ZEROS, 0)[:1], ones(N), ones(N))
    for p in (1, 1.5, 2, 3):
        case(f"linalg_vector_norm {p}", lambda x, p=p: torch.linalg.vector_norm(x, p, dim=0), ones(N, 2))
        case(f"pairwise_distance {p}", lambda x, y, p=p: F.pairwise_distance(x, y, p, eps=0), ones(2, N), zeros(2, N))
        case(f"dist {p}", lambda x, y, p=p: torch.dist(x, y, p), ones(N), zeros(N))
    case("dist", lambda x: torch.dist(x, x * 0), ones(N))
    case("sum_to_size", lambda x: x.sum_to_size(1), ones(N))
    case("frobenius_norm", lambda x: torch.ops.aten.frobenius_norm(x, [0]), ones(N, 2))
    case("softmax", lambda x: x.softmax(0)[:1] * N, ones(N, 2))
    case("softmax of rows", lambda x: x.softmax(1)[:, :1] * N, ones(2, N))
    case("log_softmax", lambda x: x.log_softmax(0)[:1], ones(N, 2))
    case("log_softmax of rows", lambda x: x.log_softmax(1)[:, :1], ones(2, N))
    case("trace", torch.trace, lambda dtype: torch.eye(N, dtype=dtype))
    case("bincount weights", lambda w: torch.bincount(ZEROS, w), ones(N))
    case("cosine_similarity", F.cosine_similarity, ones(1, N), ones(1, N))
    case("renorm", lambda x: torch.renorm(x, 2, 0, 10.0)[:, :1], ones(2, N))
    case("norm_except_dim", lambda x: torch.norm_except_dim(x, 2, 0), ones(2, N))
    case("normalize", lambda x: F.normalize(x, dim=0)[:1], ones(N))


def of_first_column(f, x):
    return f(x[:, 0])


def pair(result):
    return result if isinstance(result, tuple) else (result,)


def products():
    case("dot", torch.dot, ones(N), ones(N))
    case("vdot", torch.vdot, ones(N), ones(N))
    case("mv", torch.mv, ones(2, N), ones(N))
    case("mm", torch.mm, ones(2, N), ones(N, 3))
    case("bmm", torch.bmm, ones(2, 2, N), ones(2, N, 3))
    case("addmm", torch.addmm, zeros(2, 3), ones(2, N), ones(N, 3))
    case("baddbmm", torch.baddbmm, zeros(1, 2, 3), ones(1, 2, N), ones(1, N, 3))
    case("addbmm", torch.addbmm, zeros(2, 3), ones(N, 2, 1), ones(N, 1, 3))
    case("einsum", lambda x, y: torch.einsum("i,i->", x, y), ones(N), ones(N))
    case("tensordot", lambda x, y: torch.tensordot(x, y, 1), ones(N), ones(N))
    case("linear", F.linear, ones(1, N), ones(2, N))
    case("bilinear", F.bilinear, ones(1, 70), ones(1, 70), ones(1, 70, 70))
    case("attention", F.scaled_dot_product_attention, ones(1, 1, 1, 1), ones(1, 1, N, 1), ones(1, 1, N, 1))
    gradient(
        "attention", lambda v, q, k: F.scaled_dot_product_attention(q, k, v), ones(1, 1, 1, 1), ones(1, 1, N, 1), ones(1, 1, 1, 1)
    )
    gradient("linear bias", lambda b, x, w: F.linear(x, w, b), zeros(2), ones(N, 3), ones(2, 3))


def scatters():
    case("segment_reduce", lambda x: torch.segment_reduce(x, "sum", lengths=torch.tensor([N])), ones(N))
    case("scatter_add", lambda z, o: z.scatter_add(0, ZEROS, o), zeros(1), ones(N))
    case("scatter_add to columns", lambda z, o: z.scatter_add(0, COLUMNS, o), zeros(1, 3), ones(N, 3))
    case("scatter_add along rows", lambda z, o: z.scatter_add(1, COLUMNS.T, o), zeros(3, 1), ones(3, N))
    case("scatter_add expanded", lambda z, o: z.scatter_add(0, ZEROS[:, None].expand(N, 3), o), zeros(1, 3), ones(N, 3))
    case("scatter_add to few of many", lambda z, o: z.scatter_add(0, ZEROS, o)[:2], zeros(400 * N), ones(N))
    case("scatter_add to strided", lambda z, o: z.T.scatter_add(0, COLUMNS, o)[0], zeros(3, 7), ones(N, 3))
    case("scatter with add", lambda z, o: z.scatter(0, ZEROS, o, reduce="add"), zeros(1), ones(N))
    case("scatter a number with add", lambda z: z.scatter(0, ZEROS, 1.0, reduce="add"), zeros(1))
    for how in ("sum", "mean"):
        for include in (True, False):

            def run(z, o, how=how, include=include):
                return z.scatter_reduce(0, COLUMNS, o, how, include_self=include)

            case(f"scatter_reduce {how} {include}", run, zeros(1, 3), ones(N, 3))

    def grow(z, o):
        return z.scatter_reduce(0, COLUMNS[:500], o * 1.0078125, "prod", include_self=False)

    case("scatter_reduce prod", grow, ones(1, 3), ones(500, 3))
    case("index_add", lambda z, o: z.index_add(0, ZEROS, o), zeros(1), ones(N))
    case("index_add of rows", lambda z, o: z.index_add(0, ZEROS, o), zeros(3, 3), ones(N, 3))
    case("index_add of long rows", lambda z, o: z.index_add(0, ZEROS, o), zeros(3, 100), ones(N, 100))
    case("index_add of columns", lambda z, o: z.index_add(1, ZEROS, o), zeros(3, 2), ones(3, N))
    case("index_add to few of many", lambda z, o: z.index_add(0, ZEROS, o)[:2], zeros(400 * N), ones(N))
    case("index_add with alpha", lambda z, o: z.index_add(0, ZEROS, o, alpha=0.5), zeros(2, 3), ones(N, 3))
    case("index_put", lambda z, o: z.index_put((ZEROS,), o, accumulate=True), zeros(1), ones(N))
    case("index_put of rows", lambda z, o: z.index_put((ZEROS,), o, accumulate=True), zeros(2, 64), ones(N, 64))
    case("index_put by two", lambda z, o: z.index_put((ZEROS, ZEROS), o, accumulate=True), zeros(2, 3), ones(N))
    case("index_put to few of many", lambda z, o: z.index_put((ZEROS,), o, accumulate=True)[:2], zeros(400 * N), ones(N))
    case("put", lambda z, o: z.put(ZEROS, o, accumulate=True), zeros(1), ones(N))
    gradient("gather", lambda x: x.gather(0, ZEROS), ones(3))
    gradient("index", lambda x: x[ZEROS], ones(3, 2))
    gradient("index_select", lambda x: x.index_select(0, ZEROS), ones(3, 2))
    gradient("take", lambda x: x.take(ZEROS), ones(3))
    gradient("take_along_dim", lambda x: x.take_along_dim(COLUMNS, 0), ones(3, 3))
    gradient("embedding", lambda w: F.embedding(ZEROS, w), ones(3, 2))
    gradient("embedding by frequency", lambda w: F.embedding(ZEROS, w, scale_grad_by_freq=True), ones(3, 2))
    gradient("expand", lambda x: x.expand(N, 3), ones(3))
    gradient("repeat", lambda x: x.repeat(N), ones(2))
    gradient("repeat_interleave", lambda x: x.repeat_interleave(torch.tensor([N, 1])), ones(2))
    gradient("as_strided", lambda x: x.as_strided((N, 2), (0, 1)), ones(2))
    gradient("unfold", lambda x: x.unfold(0, N, 1), ones(2 * N))
    gradient("broadcast", lambda b, x: x + b, ones(1), ones(N, 3))
    gradient("prelu", lambda w, x: F.prelu(-x, w), ones(2), ones(1, 2, N))
    gradient("where", lambda b, x: torch.where(x > 0, b, x), ones(1), ones(N))
    gradient("masked_fill", lambda v, x: x.masked_fill(x > 0, v), ones(), ones(N))


def windows():
    image, line = ones(1, 1, 72, 70), ones(1, 1, N)

    def last(*shape):
        return lambda dtype: torch.ones(shape, dtype=dtype).to(memory_format=torch.channels_last)

    case("avg_pool1d", lambda x: F.avg_pool1d(x, N) * N, line)
    case("avg_pool2d", lambda x: F.avg_pool2d(x, (72, 70), divisor_override=1), image)
    case("avg_pool2d channels last", lambda x: F.avg_pool2d(x, (72, 70), divisor_override=1), last(1, 4, 72, 70))
    case("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, 1) * 5000, image)
    case("lp_pool2d", lambda x: F.lp_pool2d(x, 2, (72, 70)), image)
    gradient("avg_pool1d", lambda x: F.avg_pool1d(x, N, 1) * N, ones(1, 1, 2 * N))
    gradient("avg_pool2d", lambda x: F.avg_pool2d(x, 72, 1, divisor_override=1), ones(1, 1, 144, 144))
    gradient("avg_pool2d channels last", lambda x: F.avg_pool2d(x, 72, 1, divisor_override=1), last(1, 4, 144, 144))
    gradient("avg_pool3d", lambda x: F.avg_pool3d(x, 17, 1, divisor_override=1), ones(1, 1, 34, 34, 34))
    for d, size in ((1, N), (2, 72), (3, 17)):
        one = ones(*(1,) * (d + 2))
        gradient(f"adaptive_avg_pool{d}d", lambda x, d=d, size=size: getattr(F, f"adaptive_avg_pool{d}d")(x, size), one)
        gradient(f"adaptive_max_pool{d}d", lambda x, d=d, size=size: getattr(F, f"adaptive_max_pool{d}d")(x, size), one)

    def peak(last):
        return lambda dtype: F.pad(torch.ones(1, 4, 1, 1, dtype=dtype), (71, 72, 71, 72)).contiguous(memory_format=last)

    gradient("max_pool2d", lambda x: F.max_pool2d(x, 72, 1), peak(torch.contiguous_format))
    gradient("max_pool2d channels last", lambda x: F.max_pool2d(x, 72, 1), peak(torch.channels_last))
    for mode, size in (("nearest", 72), ("nearest-exact", 72), ("bilinear", 72), ("bicubic", 72), ("area", 72)):
        gradient(f"interpolate {mode}", lambda x, mode=mode, size=size: F.interpolate(x, size=size, mode=mode), ones(1, 1, 1, 1))
    gradient("interpolate linear", lambda x: F.interpolate(x, size=N, mode="linear"), ones(1, 1, 1))
    gradient("interpolate trilinear", lambda x: F.interpolate(x, size=17, mode="trilinear"), ones(1, 1, 1, 1, 1))
    gradient("grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=True), ones(1, 1, 1, 1), zeros(1, 72, 70, 2))
    gradient("pad replicate", lambda x: F.pad(x, (36, 35, 36, 35), mode="replicate"), ones(1, 1, 1, 1))
    gradient("pad reflect", lambda x: F.pad(x, (N - 1, 0), mode="reflect"), ones(1, 1, N))
    case("fold", lambda x: F.fold(x, (144, 144), 72)[..., 71, 71], ones(1, 72 * 72, 73 * 73))
    gradient("unfold of images", lambda x: F.unfold(x, 72), ones(1, 1, 143, 143))


def convolutions():
    case("conv1d", F.conv1d, ones(1, 1, N), ones(1, 1, N))
    case("conv2d", F.conv2d, ones(1, 1, 72, 70), ones(1, 1, 72, 70))
    case("conv_transpose1d", lambda x, w: F.conv_transpose1d(x, w)[..., 2999], ones(1, 1, 3000), ones(1, 1, 3000))
    for d in (1, 2, 3):
        conv, back, side = getattr(F, f"conv{d}d"), getattr(F, f"conv_transpose{d}d"), (3,) * d
        x, w, one = ones(N, 2, *side), ones(2, 2, *side), ones(2, 2, *(1,) * d)
        gradient(f"conv{d}d weight", lambda w, x, f=conv: f(x, w), w, x)
        gradient(f"conv{d}d grouped weight", lambda w, x, f=conv: f(x, w, groups=2), ones(2, 1, *side), x)
        gradient(f"conv{d}d dilated weight", lambda w, x, f=conv: f(x, w, dilation=2), ones(2, 2, *(2,) * d), x)
        gradient(f"conv{d}d pointwise weight", lambda w, x, f=conv: f(x[..., :1], w), one, x)
        gradient(f"conv{d}d bias", lambda b, x, w, f=conv: f(x, w, b), zeros(2), x, w)
        gradient(f"conv_transpose{d}d weight", lambda w, x, f=back: f(x[..., :1], w), one, x)


def normalizations():
    for wide in (True, False):

        def of(x, v, wide=wide):
            return torch.full((v,), 1.0, dtype=torch.float32 if wide else x.dtype)

        kind = "float32 parameters" if wide else "half parameters"

        def running(norm, shape, of=of):
            def run(x):
                x = x.reshape(shape)
                mean, var = of(x, 2) - 1, of(x, 2)
                norm(x, mean, var)
                return torch.cat([mean, var])

            return run

        def batch(x, m, v):
            return F.batch_norm(x, m, v, training=True, momentum=1.0)

        def instance(x, m, v):
            return F.instance_norm(x, m, v, momentum=1.0)

        case(f"batch_norm statistics, {kind}", running(batch, (N, 2)), alternating(N, 2))
        case(f"batch_norm statistics of planes, {kind}", running(batch, (1, 2, N)), alternating(1, 2, N))
        case(f"instance_norm statistics, {kind}", running(instance, (N, 2, 2)), lambda dtype: alternating(2, 2 * N)(dtype).T)
        for name, f in {
            "batch_norm": lambda b, x, of=of: F.batch_norm(x, None, None, of(x, 2), b, training=True),
            "batch_norm in evaluation": lambda b, x, of=of: F.batch_norm(x, of(x, 2), of(x, 2), of(x, 2), b),
            "layer_norm": lambda b, x, of=of: F.layer_norm(x, (2,), of(x, 2), b),
            "group_norm": lambda b, x, of=of: F.group_norm(x, 1, of(x, 2), b),
            "instance_norm": lambda b, x, of=of: F.instance_norm(x.T[None], weight=of(x, 2), bias=b),
            "rms_norm": lambda b, x: F.rms_norm(x * 0 + 1, (2,), b),
        }.items():

            def make(dtype, wide=wide):
                return torch.ones(2, dtype=torch.float32 if wide else dtype)

            gradient(f"{name}, {kind}", f, make, alternating(N, 2))


def losses():
    def column(x):
        return x.new_full(x.shape, 2.0)

    for how in ("sum", "mean"):
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "kl_div", "poisson_nll_loss"):
            case(f"{name} {how}", lambda x, name=name, how=how: getattr(F, name)(x, column(x), reduction=how), ones(N))
        cases = {
            "hinge_embedding_loss": lambda x, how: F.hinge_embedding_loss(x, x, reduction=how),
            "binary_cross_entropy": lambda x, how: F.binary_cross_entropy(x / 4, x, reduction=how),
            "binary_cross_entropy_with_logits": lambda x, how: F.binary_cross_entropy_with_logits(x, x * 0, reduction=how),
            "cross_entropy": lambda x, how: F.cross_entropy(x[:, None] * x[:3], ZEROS, reduction=how),
            "cross_entropy of a wide row": lambda x, how: F.cross_entropy(x[None], ZEROS[:1], reduction=how),
            "nll_loss": lambda x, how: F.nll_loss(-x[:, None], ZEROS, reduction=how),
            "nll_loss with weights": lambda x, how: F.nll_loss(-x[:, None], ZEROS, x[:1], reduction=how),
            "nll_loss of images": lambda x, how: F.nll_loss(-x[None, None, :, None], ZEROS[None, :, None], reduction=how),
            "margin_ranking_loss": lambda x, how: F.margin_ranking_loss(x, x, x, margin=1, reduction=how),
            "cosine_embedding_loss": lambda x, how: F.cosine_embedding_loss(x[:, None], -x[:, None], x, reduction=how),
            "triplet_margin_loss": lambda x, how: F.triplet_margin_loss(x[:, None], x[:, None], x[:, None], reduction=how),
        }
        for name, f in cases.items():
            case(f"{name} {how}", lambda x, f=f, how=how: f(x, how), ones(N))


for part in (reductions, products, scatters, windows, convolutions, normalizations, losses):
    part()


@pytest.mark.parametrize("dtype", HALVES, ids=["float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_long_sum(name, dtype):
    f, makers = CASES[name]
    short, exact = (f(*[make(t) for make in makers]) for t in (dtype, torch.float32))
    # As many digits as the type has; one more rounding where an operator is made of others.
    torch.testing.assert_close(short.float(), exact.to(dtype).float(), rtol=2 * torch.finfo(dtype).eps, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype,total", [(torch.float16, 5000), (torch.bfloat16, 4992)])
def test_totals_are_those_of_pytorch(dtype, total):
    one = torch.ones(N, dtype=dtype)
    assert torch.zeros(1, dtype=dtype).scatter_add(0, ZEROS, one).item() == total
    assert torch.zeros(1, dtype=dtype).scatter_add_(0, ZEROS, one).item() == total
    assert torch.zeros(1, 3, dtype=dtype).index_add(0, ZEROS, one[:, None].expand(N, 3)).tolist() == [[total] * 3]


# Operators that sum nothing, or not in a floating-point type.
NO_SUMS = {
    "all", "any", "amax", "amin", "aminmax", "max", "min", "argmax", "argmin", "cummax", "cummin", "diff",
    "count_nonzero", "hash_tensor", "histc",
}  # fmt: skip


@pytest.mark.parametrize("family", ["minmax", "norm", "reduce", "scan", "scatter", "softmax", "variance"])
def test_every_operator_of_these_families_is_here(family):
    covered = {name.split()[0] for name in CASES}
    names = {op.name.partition(".")[0].removeprefix("special_") for op in all_ops() if op.family == family}
    names = {name for name in names if not name.startswith("_")}  # those are called by others
    assert not names - covered - NO_SUMS, sorted(names - covered - NO_SUMS)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("places", [3, 1000, 100_000])
def test_places_in_any_order(dtype, places):
    """Both algorithms, for few and many additions per position, compared with float64."""
    torch.manual_seed(0)
    index = torch.randint(0, places, (900,))
    for shape in ((900,), (900, 5), (900, 40)):
        source = torch.randint(-4, 5, shape).to(dtype)
        start = torch.randint(-4, 5, (places, *shape[1:])).to(dtype)
        expected = start.double().index_add(0, index, source.double()).to(dtype)
        assert torch.equal(start.index_add(0, index, source), expected)
        assert torch.equal(start.index_put((index,), source, accumulate=True), expected)
        wide = index.reshape(-1, *[1] * (len(shape) - 1)).expand(shape)
        assert torch.equal(start.scatter_add(0, wide, source), expected)
        transposed = start.movedim(0, -1).scatter_add(-1, wide.movedim(0, -1), source.movedim(0, -1))
        assert torch.equal(transposed.movedim(-1, 0), expected)
