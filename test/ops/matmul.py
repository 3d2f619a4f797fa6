"""Products of vectors, matrices and batches of them."""

import numpy as np
from scipy import special

import torch
import torch.nn.functional as F
from ops.common import (
    ALL,
    ALL_FLOATS,
    BOOL,
    COMPLEX,
    FLOATS,
    INTS,
    NUMBERS,
    ONES,
    REDUCED,
    VALUES,
    Op,
    Sample,
    internal,
    rand,
)


def bilinear(x, y, w, b=None):
    out = np.einsum("...i,oij,...j->...o", x, w, y)
    return out if b is None else out + b


def samples(dtype):
    for lead, i, j, o, bias in (
        ((2,), 2, 3, 1, True),
        ((), 2, 3, 2, False),
        ((2, 3), 4, 2, 3, True),
        ((0,), 2, 2, 2, True),
        ((5,), 1, 1, 1, False),
    ):
        bound = 1 if dtype in REDUCED else 3  # products of three, summed in the type
        weight = rand(o, i, j, dtype=dtype, seed=2, low=-bound, high=bound)
        yield Sample(
            rand(*lead, i, dtype=dtype),
            (rand(*lead, j, dtype=dtype, seed=1), weight, rand(o, dtype=dtype, seed=3) if bias else None),
        )


X, W = torch.zeros(2, 4), torch.zeros(1, 4, 4)

PRECISION = {"tolerance": 1e-4}


def product(name, ref, *shapes, dtypes=NUMBERS, **kwargs):
    """Two or more factors: one tuple of shapes for each sample."""

    def samples(dtype):
        factors = ([rand(*t, dtype=dtype, seed=i) for i, t in enumerate(s)] for s in shapes)
        return [Sample(first, tuple(others)) for first, *others in factors]

    return Op(name, samples, ref, dtypes, **{**PRECISION, **kwargs})


def added(name, ref, *shapes, dtypes=NUMBERS, **kwargs):
    """beta * first + alpha * product of the others."""

    def samples(dtype):
        for i, s in enumerate(shapes):
            first, *others = (rand(*t, dtype=dtype, seed=k) for k, t in enumerate(s))
            yield Sample(first, tuple(others))
            factors = {"beta": 2, "alpha": 3} if dtype in INTS else {"beta": 0.5, "alpha": -1.5}
            if i == 0 and dtype != torch.bool:
                yield Sample(first, tuple(others), factors)
                yield Sample(first, tuple(others), {"beta": 0})

    return Op(
        name,
        samples,
        lambda x, a, b, beta=1, alpha=1: (beta * x + alpha * ref(a, b)).astype(x.dtype),
        dtypes,
        inplace=True,
        **{**PRECISION, **kwargs},
    )


def cross_samples(dtype):
    x, y = rand(2, 3, dtype=dtype), rand(2, 3, dtype=dtype, seed=1)
    return [
        Sample(x, (y,), {"dim": 1}),
        Sample(rand(3, 2, dtype=dtype), (rand(3, 1, dtype=dtype, seed=1),), {"dim": 0}),
        Sample(rand(0, 3, dtype=dtype), (rand(0, 3, dtype=dtype),), {"dim": -1}),
    ]


def cross(a, b, dim=-1):
    a, b = np.broadcast_arrays(a, b)
    return np.cross(a, b, axis=dim)


EQUATIONS = [("ij,jk->ik", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("i,j->ij", (2,), (3,)), ("ij->ji", (2, 3)),
             ("...i,...i->...", (2, 3), (2, 3)), ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("i,i", (3,), (3,)), ("bij->b", (2, 2, 3)), ("i...->...", (2, 3))]  # fmt: skip


def einsum_samples(dtype):
    return [Sample([rand(*t, dtype=dtype, seed=i) for i, t in enumerate(s)], (e,)) for e, *s in EQUATIONS]


def tensordot_samples(dtype):
    a, b = rand(2, 3, 4, dtype=dtype), rand(4, 3, 2, dtype=dtype, seed=1)
    return [Sample(a, (b, k)) for k in (1, 0, ([0], [2]), ([1, 2], [1, 0]))] + [Sample(a, (rand(3, 4, 2, dtype=dtype, seed=2),))]


def linear_samples(dtype):
    w, b = rand(4, 3, dtype=dtype, seed=1), rand(4, dtype=dtype, seed=2)
    return [Sample(rand(*s, dtype=dtype), a) for s in ((3,), (2, 3), (2, 2, 3), (0, 3)) for a in ((w,), (w, b))] + [
        Sample(rand(2, 3, dtype=dtype), (w[0],))
    ]


def linear(x, w, b=0):
    return x @ w.T + b


PAIRS = (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 2)), ((2, 3), (2, 3, 2)), ((2, 1, 2, 3), (3, 3, 2)), ((0, 3), (3, 2)),
         ((2, 0), (0, 3)), ((3,), (2, 3, 2)), ((2, 2, 3), (3,)))  # fmt: skip

MATRICES = ((2, 3), (3, 4)), ((1, 1), (1, 1)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((33, 17), (17, 35))

BATCHES = ((2, 2, 3), (2, 3, 2)), ((0, 2, 3), (0, 3, 2)), ((2, 2, 0), (2, 0, 3)), ((3, 1, 2), (3, 2, 1))

DOTS = ((3,), (3,)), ((0,), (0,)), ((40,), (40,))

MM = [(lambda: torch.mm(ONES, ONES), RuntimeError, "cannot be multiplied"), (lambda: torch.mm(ONES, torch.ones(3)), RuntimeError, "must be a matrix|2-D|2D"),
      (lambda: torch.mm(ONES, torch.ones(3, 2).double()), RuntimeError, "same dtype|dtype")]  # fmt: skip

BMM = [
    (lambda: torch.bmm(ONES, ONES), RuntimeError, "must be a 3D tensor"),
    (lambda: torch.bmm(ONES[None], ONES[None]), RuntimeError, "Expected size"),
]

ADDMM = [(lambda: torch.addmm(ONES, ONES, ONES), RuntimeError, "cannot be multiplied"),
         (lambda: torch.addmm(torch.ones(5, 5), ONES, ONES.t()), RuntimeError, "must match the existing size|expanded size"),
         (lambda: torch.zeros(2).addmm_(ONES, ONES.t()), RuntimeError, "[Ss]hape|size|dim")]  # fmt: skip

DOT = [(lambda: torch.dot(ONES, ONES), RuntimeError, "1D tensors expected"), (lambda: torch.dot(ONES[0], torch.ones(2)), RuntimeError, "inconsistent tensor size"),
       (lambda: torch.dot(ONES[0], ONES[0].double()), RuntimeError, "same dtype")]  # fmt: skip

MATMUL = [(lambda: torch.matmul(ONES, ONES), RuntimeError, "cannot be multiplied"), (lambda: torch.matmul(torch.tensor(1.0), ONES), RuntimeError, "at least 1D"),
          (lambda: torch.matmul(ONES, torch.ones(4, 3, 2).int()), RuntimeError, "dtype|scalar type")]  # fmt: skip

EINSUM = [(lambda: torch.einsum("ij,jk", ONES), RuntimeError, "operand"), (lambda: torch.einsum("ijk", ONES), RuntimeError, "subscripts"),
          (lambda: torch.einsum("ij->k", ONES), RuntimeError, "output subscript"), (lambda: torch.einsum("ij,jk", ONES, ONES), RuntimeError, "broadcast|size")]  # fmt: skip


def activated(x, a, b, beta=1, alpha=1, use_gelu=False):
    y = beta * x + alpha * (a @ b)
    return y * special.ndtr(y).astype(y.dtype) if use_gelu else np.maximum(y, 0)


def activated_samples(dtype):
    for k in ({}, {"use_gelu": True}, {"beta": 2, "alpha": 0.5}):
        yield Sample(rand(5, dtype=dtype), (rand(3, 4, dtype=dtype, seed=1), rand(4, 5, dtype=dtype, seed=2)), k)


def groups(*ends):
    return torch.tensor(ends, dtype=torch.int32)


def grouped_samples(dtype):
    a, b = rand(2, 4, 8, dtype=dtype, low=-1, high=1), rand(2, 8, 16, dtype=dtype, low=-1, high=1, seed=1)
    flat_a, flat_b = a.reshape(8, 8), b[0]
    return [Sample(a, (b,)), Sample(flat_a, (b, groups(3, 8))), Sample(flat_a, (b, groups(0, 5))), Sample(a, (flat_b, groups(4, 16))),
            Sample(flat_a, (flat_b, groups(3, 8))), Sample(flat_a, (flat_b, groups(0, 6, 8)))]  # fmt: skip


def grouped(a, b, offs=None):
    if offs is None:
        return a @ b
    starts = [0, *offs[:-1]]
    if a.ndim == 2 and b.ndim == 2:
        return np.stack([a[:, i:j] @ b[i:j] for i, j in zip(starts, offs)])
    out = np.zeros((a.shape[-2], b.shape[-1]), a.dtype)
    for k, (i, j) in enumerate(zip(starts, offs)):
        if a.ndim == 2:
            out[i:j] = a[i:j] @ b[k]
        else:
            out[:, i:j] = a[k] @ b[:, i:j]
    return out


def packed_samples(dtype):
    for m, n, k in ((2, 3, 16), (1, 8, 64), (0, 2, 4)):
        yield Sample(
            rand(m, k, dtype=dtype, low=-1, high=1),
            (rand(n, k, dtype=torch.int8, low=-99, high=99), rand(n, dtype=dtype, low=0, high=0.01)),
        )


def int4_samples(dtype):
    for m, n, k, group in ((3, 16, 64, 32), (1, 32, 128, 64)):
        q = torch.from_numpy(np.random.RandomState(0).randint(0, 16, (n, k // 2))).to(torch.uint8) * 17
        yield Sample(rand(m, k, dtype=dtype, low=-1, high=1), (q, group, rand(k // group, n, 2, dtype=dtype, low=-0.1, high=0.1)))


def int4_product(x, packed, group, scales):
    q = np.stack([packed & 15, packed >> 4], -1).reshape(len(packed), -1).astype(np.float64) - 8
    scale, zero = (np.repeat(scales[..., i], group, 0).T for i in range(2))
    return (x @ (q * scale + zero).T).astype(x.dtype)


def dynamic_int4_weights(n, k, group):
    """Bytes of two weights, scales and a bias, as float32 numbers that have short forms."""
    random = np.random.RandomState(0)
    return random.randint(0, 256, n * k // 2), random.randint(1, 9, n * k // group) / 64, random.randint(-8, 9, n) / 4


def dynamic_int4_samples(dtype):
    for m, n, k, group, bias in ((3, 5, 64, 32, True), (2, 4, 64, 64, False), (1, 1, 32, 32, True)):
        if dtype != torch.bfloat16 or group == k:
            parts = dynamic_int4_weights(n, k, group)[: 3 if bias else 2]
            packed = torch.from_numpy(np.concatenate(parts)).float()
            yield Sample(rand(m, k, dtype=dtype, low=-3, high=3), (packed, group, k, n))


def dynamic_int4_product(x, packed, group, k, n):
    pairs, scales, bias = np.split(packed.astype(np.float64), [n * k // 2, n * k // 2 + n * k // group])
    pairs = pairs.astype(np.int64)
    q = np.stack([pairs & 15, pairs >> 4], -1).reshape(n, k) - 8
    weight = q * np.repeat(scales.reshape(n, -1), group, 1)
    # Each row in 256 levels from its minimum to its maximum.
    row_min, row_max = np.minimum(x.min(1, keepdims=True), 0), np.maximum(x.max(1, keepdims=True), 0)
    levels = np.float32(255) / (row_max - row_min)
    low, high = row_min * levels, row_max * levels
    zero = np.rint(np.clip(np.where(low + high > 1, -128 - low, 127 - high), -128, 127))
    rounded = (np.clip(np.rint(x * levels) + zero, -128, 127) - zero) / levels
    return (rounded @ weight.T + (bias if len(bias) else 0)).astype(x.dtype)


def dynamic_int4_pack_samples(dtype):
    pairs, scales, bias = (torch.from_numpy(part) for part in dynamic_int4_weights(4, 64, 32))
    pairs = pairs.to(torch.uint8).reshape(4, 32)
    yield Sample(pairs, (scales.bfloat16().reshape(4, 2), None, 32, 64, 4))
    yield Sample(pairs, (scales.float().reshape(4, 2), bias.float(), 32, 64, 4))


F8, ONE8 = torch.float8_e4m3fn, torch.tensor(1.0)
E8 = torch.ones(4, 4).to(F8)


def scaled_samples(dtype):
    """Small integers, which float8 holds exactly, with a scale for each matrix or for each row and column."""
    a, b = rand(3, 4, dtype=torch.int64).to(dtype), rand(4, 5, dtype=torch.int64, seed=1).to(dtype)
    yield Sample(a, (b, torch.tensor(0.5), torch.tensor(3.0)))
    yield Sample(a, (b, rand(3, 1, seed=2), rand(1, 5, seed=3)))
    yield Sample(a, (b, torch.tensor(0.5), torch.tensor(3.0), rand(5, dtype=dtype, seed=4)))
    yield Sample(a[:0], (b, torch.tensor(0.5), torch.tensor(3.0)))


def scaled_mm(a, b, scale_a, scale_b, bias=None, **out):
    return torch._scaled_mm(a.to(F8), b.to(F8), scale_a, scale_b, bias, out_dtype=torch.float32, **out)


def scaled_mm_v2(a, b, scale_a, scale_b, bias=None, **out):
    recipe = [int(scale_a.dim() == 2)]
    return torch._scaled_mm_v2(a.to(F8), b.to(F8), [scale_a], recipe, [], [scale_b], recipe, [], bias, torch.float32, **out)


def scaled_product(a, b, scale_a, scale_b, bias=0):
    return ((a * scale_a) @ (b * scale_b) + bias).astype(np.float32)


def SCALED2(scale_a, recipe_a, scale_b, recipe_b, swizzle=(), dims=()):
    return torch._scaled_mm_v2(E8, E8, scale_a, recipe_a, swizzle, scale_b, recipe_b, swizzle, None, None, dims)


PACKD, MMD = torch.ops.aten._dyn_quant_pack_4bit_weight, torch.ops.aten._dyn_quant_matmul_4bit
QD, SD = torch.zeros(4, 32, dtype=torch.uint8), torch.ones(4, 2)
PACK4, MM4 = torch.ops.aten._convert_weight_to_int4pack_for_cpu, torch.ops.aten._weight_int4pack_mm_for_cpu
Q4, S4 = torch.zeros(16, 16, dtype=torch.uint8), torch.ones(1, 16, 2)

A3, B3, GROUPED, PACKED = torch.ones(2, 3, 4), torch.ones(2, 4, 5), torch.ops.aten._grouped_mm, torch.ops.aten._weight_int8pack_mm
HALVES = (torch.float32, *REDUCED)

OPS = [
    Op("bilinear", samples, bilinear, FLOATS + REDUCED + INTS + COMPLEX, method=False, out=False, tolerance=1e-4,
       errors=((lambda: torch.bilinear(X, X, W[:, :, :3]), RuntimeError, "input2 size does not match weight size"),
               (lambda: torch.bilinear(X, X, W[:, :3]), RuntimeError, "input1 size does not match weight size"),
               (lambda: torch.bilinear(X, X[:1], W), RuntimeError, "batch dimensions do not match"),
               (lambda: torch.bilinear(X, X[0], W), RuntimeError, "input dimensions do not match"),
               (lambda: torch.bilinear(X, X, W, torch.ones(2)), RuntimeError, "bias size does not match weight size"))),
    product("mm", np.matmul, *MATRICES, errors=MM),
    product("bmm", np.matmul, *BATCHES, errors=BMM),
    product("mv", np.matmul, ((2, 3), (3,)), ((0, 3), (3,)), ((2, 0), (0,)), errors=[(lambda: torch.mv(ONES, torch.ones(2)), RuntimeError, "size mismatch")]),
    product("dot", np.dot, *DOTS, errors=DOT),
    product("vdot", np.vdot, *DOTS),
    product("inner", np.inner, ((3,), (3,)), ((2, 3), (4, 3)), ((), (3,)), ((2, 2, 3), (3,)),
            errors=[(lambda: torch.inner(ONES, torch.ones(2)), RuntimeError, "same size|must match")]),
    product("outer", np.outer, ((2,), (3,)), ((0,), (2,)), dtypes=ALL, errors=[(lambda: torch.outer(ONES, ONES[0]), RuntimeError, "1-D")]),
    product("ger", np.outer, ((2,), (3,)), dtypes=ALL),
    product("matmul", np.matmul, *PAIRS, errors=MATMUL),
    product("linalg_matmul", np.matmul, *PAIRS[:5], call=torch._C._linalg.linalg_matmul, method=False),
    product("kron", np.kron, ((2, 3), (1, 2)), ((2,), (3,)), ((2, 2), (2,)), ((), (2,)), ((0, 2), (2, 2)), dtypes=ALL),
    product("linalg_vecdot", lambda a, b: (np.conj(a) * b).sum(-1), ((2, 3), (2, 3)), ((3,), (2, 3)), ((2, 0), (2, 0)), dtypes=ALL_FLOATS + COMPLEX, call=torch._C._linalg.linalg_vecdot, method=False),
    product("chain_matmul", lambda *m: np.linalg.multi_dot(m), ((2, 3), (3, 4), (4, 2)), ((2, 3), (3, 2)), ((2, 3), (3, 1), (1, 4), (4, 2)), dtypes=NUMBERS, method=False),
    added("addmm", np.matmul, ((2, 2), (2, 3), (3, 2)), ((2,), (2, 3), (3, 2)), ((), (2, 3), (3, 2)), ((2, 1), (2, 0), (0, 3)), ((0, 2), (0, 3), (3, 2)), errors=ADDMM),
    added("addmv", np.matmul, ((2,), (2, 3), (3,)), ((), (2, 3), (3,)), ((2,), (2, 0), (0,))),
    added("addr", np.outer, ((2, 3), (2,), (3,)), ((3,), (2,), (3,)), ((), (2,), (3,)), ((0, 3), (0,), (3,)), dtypes=ALL),
    added("baddbmm", np.matmul, ((2, 2, 2), (2, 2, 3), (2, 3, 2)), ((2,), (2, 2, 3), (2, 3, 2)), ((2, 2, 2), (2, 2, 0), (2, 0, 2)),
          errors=[(lambda: torch.baddbmm(ONES[None], ONES[None], ONES[None]), RuntimeError, "size|cannot be multiplied")]),
    added("addbmm", lambda a, b: np.matmul(a, b).sum(0), ((2, 2), (2, 2, 3), (2, 3, 2)), ((2,), (2, 2, 3), (2, 3, 2)), ((2, 2), (0, 2, 3), (0, 3, 2))),
    Op("einsum", einsum_samples, lambda x, e: np.einsum(e, *x), NUMBERS, call=lambda x, e: torch.einsum(e, *x), method=False, out=False, errors=EINSUM, **PRECISION),
    Op("tensordot", tensordot_samples, np.tensordot, NUMBERS, method=False,
       errors=[(lambda: torch.tensordot(ONES, ONES, 1), RuntimeError, "contracted dimensions", VALUES), (lambda: torch.tensordot(ONES, ONES, -1), RuntimeError, "dims")], **PRECISION),
    Op("cross", cross_samples, cross, NUMBERS, errors=[(lambda: torch.cross(torch.ones(2), torch.ones(2), dim=0), RuntimeError, "length 3")], **PRECISION),
    Op("linalg_cross", cross_samples, cross, NUMBERS, call=torch._C._linalg.linalg_cross, method=False, **PRECISION),
    Op("linear", linear_samples, linear, NUMBERS, call=F.linear, method=False, out=False,
       errors=[(lambda: F.linear(ONES, torch.ones(2, 2)), RuntimeError, "cannot be multiplied")], **PRECISION),
    Op("_trilinear", lambda dtype: [Sample(rand(2, 3, dtype=dtype), (rand(5, 3, 4, dtype=dtype, seed=1), rand(2, 4, dtype=dtype, seed=2), [1, 3], [0], [1, 2], [2, 3]))],
       lambda a, b, c, *dims: np.einsum("ni,oij,nj->no", a, b, c), ALL_FLOATS + COMPLEX, takes=INTS + BOOL, call=torch._trilinear, method=False, out=False, tolerance=1e-4,
       errors=((lambda: torch._trilinear(ONES, ONES, ONES, [], [0], [], []), RuntimeError, "must have 2 dimensions"),)),
    Op("_int_mm", lambda dtype: [Sample(rand(*a, dtype=dtype), (rand(*b, dtype=torch.int8, seed=1),)) for a, b in (((3, 4), (4, 5)), ((20, 40), (40, 16)), ((0, 4), (4, 2)))],
       lambda a, b: a.astype(np.int32) @ b.astype(np.int32), (torch.int8, torch.uint8), method=False, grad=False,
       errors=((lambda: torch._int_mm(ONES, ONES), RuntimeError, "int8 or uint8"), (lambda: torch._int_mm(ONES.char(), ONES.char()), RuntimeError, "expected matrices"))),
    Op("_addmm_activation", activated_samples, activated, FLOATS, takes=REDUCED + INTS, **PRECISION),
    Op("_compute_linear_combination", lambda dtype: [Sample(rand(*s, dtype=dtype), (rand(2, 3, dtype=dtype, seed=1),)) for s in ((3,), (3, 4), (3, 2, 2))], lambda x, c: np.tensordot(c, x, 1), NUMBERS, takes=BOOL,
       call=torch._compute_linear_combination, method=False, errors=((lambda: torch._compute_linear_combination(torch.ones(3, 2), torch.ones(2, 4)), RuntimeError, "one column for each"),
       (lambda: torch._compute_linear_combination(torch.ones(3, 2), torch.ones(2, 3).double()), RuntimeError, "must be float32")), **PRECISION),
    internal("_grouped_mm", grouped_samples, grouped, HALVES, meta=False, tolerance=2e-2, grad=False, errors=(
        (lambda: GROUPED(A3.double(), B3.double()), RuntimeError, "must be float32, bfloat16 or float16"), (lambda: GROUPED(A3, B3.half()), RuntimeError, "as mat_a"),
        (lambda: GROUPED(A3[0], B3), RuntimeError, "needs offs"), (lambda: GROUPED(A3, B3, groups(1, 3)), RuntimeError, "offs is for"),
        (lambda: GROUPED(A3[0], B3, groups(1, 3).long()), RuntimeError, "int32"), (lambda: GROUPED(A3[0], B3, groups(3)), RuntimeError, "groups, but"),
        (lambda: GROUPED(A3[0], B3, groups(2, 1)), RuntimeError, "must ascend", VALUES), (lambda: GROUPED(A3[0], B3, groups(2, 4)), RuntimeError, "must ascend", VALUES),
        (lambda: GROUPED(A3, B3, bias=ONES), RuntimeError, "not supported"), (lambda: GROUPED(A3, B3, out_dtype=torch.half), RuntimeError, "out_dtype"),
        (lambda: GROUPED(A3[:1], B3), RuntimeError, "matrices in mat_a"), (lambda: GROUPED(A3, B3.transpose(1, 2)), RuntimeError, "columns of mat_a"))),
    internal("_weight_int8pack_mm", packed_samples, lambda x, w, s: (x @ w.astype(x.dtype).T) * s, HALVES, tolerance=2e-2, grad=False, errors=(
        (lambda: PACKED(ONES, ONES, ONES[0]), RuntimeError, "must be int8"), (lambda: PACKED(ONES.double(), ONES.char(), ONES[:, 0]), RuntimeError, "float32, float16 or bfloat16"),
        (lambda: PACKED(ONES, ONES[:, :2].char(), ONES[:, 0]), RuntimeError, "columns"), (lambda: PACKED(ONES, ONES.char(), ONES[0]), RuntimeError, "scales must have"),
        (lambda: PACKED(ONES, ONES.char(), ONES[:, 0].double()), RuntimeError, "scales must be"), (lambda: PACKED(A3, ONES.char(), ONES[0]), RuntimeError, "2 dimensions"))),
    internal("_convert_weight_to_int4pack_for_cpu", lambda dtype: [Sample(rand(16, 64, dtype=torch.int32, low=0, high=16), (1,))], None, (torch.int32,), takes=ALL, grad=False, errors=(
        (lambda: PACK4(ONES, 1), RuntimeError, "must be int32"), (lambda: PACK4(torch.ones(16, 3).int(), 1), RuntimeError, "divisible by 16"))),
    internal("_weight_int4pack_mm_for_cpu", int4_samples, int4_product, HALVES, grad=False, tolerance=2e-2, errors=(
        (lambda: MM4(torch.ones(2, 32).double(), Q4, 32, S4), RuntimeError, "float32, float16 or bfloat16"), (lambda: MM4(torch.ones(2, 32), Q4.int(), 32, S4), RuntimeError, "must be uint8"),
        (lambda: MM4(torch.ones(2, 34), Q4, 32, S4), RuntimeError, "columns"), (lambda: MM4(torch.ones(2, 32), Q4, 16, S4), RuntimeError, "qGroupSize must be"),
        (lambda: MM4(torch.ones(2, 32), Q4, 32, S4[0]), RuntimeError, "must have the shape"), (lambda: MM4(torch.ones(2, 32), Q4, 32, S4.half()), RuntimeError, "as the input"))),
    internal("_dyn_quant_pack_4bit_weight", dynamic_int4_pack_samples, lambda w, s, b, *_: np.concatenate([np.float32(x).ravel() for x in (w, s, b) if x is not None]), (torch.uint8,), takes=ALL, grad=False, errors=(
        (lambda: PACKD(QD.int(), SD, None, 32, 64, 4), RuntimeError, "must be uint8"), (lambda: PACKD(QD, SD, None, 33, 64, 4), RuntimeError, "block_size must be"),
        (lambda: PACKD(QD, SD[0], None, 32, 64, 4), RuntimeError, "expected 8 scales"), (lambda: PACKD(QD, SD, None, 32, 128, 4), RuntimeError, "bytes of weights"),
        (lambda: PACKD(QD, SD, SD, 32, 64, 4), RuntimeError, "bias must have 4"), (lambda: PACKD(QD, SD, None, 32, 64, -4), RuntimeError, "positive"))),
    internal("_dyn_quant_matmul_4bit", dynamic_int4_samples, dynamic_int4_product, (torch.float32, torch.bfloat16), grad=False, tolerance=2e-2, errors=(
        (lambda: MMD(torch.ones(2, 64).double(), torch.ones(136), 32, 64, 4), RuntimeError, "must be float32"), (lambda: MMD(torch.ones(64), torch.ones(136), 32, 64, 4), RuntimeError, "2 dimensions"),
        (lambda: MMD(torch.ones(2, 64), torch.ones(137), 32, 64, 4), RuntimeError, "packed weights must be"), (lambda: MMD(torch.ones(2, 64).bfloat16(), torch.ones(136), 32, 64, 4), RuntimeError, "bfloat16 if block_size"),
        (lambda: MMD(torch.ones(2, 64), torch.ones(136), 31, 64, 4), RuntimeError, "block_size must be"))),
    Op("_scaled_mm", scaled_samples, scaled_product, (torch.float32,), takes=ALL, call=scaled_mm, method=False, grad=False, errors=(
        (lambda: torch._scaled_mm(ONES, ONES, ONE8, ONE8), ValueError, "must be float8"), (lambda: torch._scaled_mm(E8[None], E8, ONE8, ONE8), RuntimeError, "expected matrices"),
        (lambda: torch._scaled_mm(E8, E8[:2], ONE8, ONE8), RuntimeError, "cannot be multiplied"), (lambda: torch._scaled_mm(E8, E8, ONE8.half(), ONE8), ValueError, "must be float32"),
        (lambda: torch._scaled_mm(E8, E8, torch.ones(4, 1), ONE8), ValueError, "must be float32"), (lambda: torch._scaled_mm(E8, E8, ONE8, ONE8, torch.ones(3)), RuntimeError, "bias must have 4"),
        (lambda: torch._scaled_mm(E8, E8, ONE8, ONE8, scale_result=torch.ones(2)), RuntimeError, "scale_result must be"))),
    Op("_scaled_mm_v2", scaled_samples, scaled_product, (torch.float32,), takes=ALL, call=scaled_mm_v2, method=False, grad=False, errors=(
        (lambda: SCALED2([ONE8], [2], [ONE8], [2]), ValueError, "both recipes"), (lambda: SCALED2([ONE8], [1], [ONE8], [0]), ValueError, "both recipes"),
        (lambda: SCALED2([ONE8, ONE8], [0], [ONE8], [0]), ValueError, "one scale and one"), (lambda: SCALED2([ONE8], [0], [ONE8], [0], [1]), ValueError, "no swizzle"),
        (lambda: SCALED2([ONE8], [0], [ONE8], [0], [], [0, 1]), RuntimeError, "contraction_dim"))),
]  # fmt: skip
