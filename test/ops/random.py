"""Random numbers: the reference makes them from the words of the generator (MT19937, which NumPy has too).

Each call starts from seed 0, so that the numbers are PyTorch's; some of those are written out below.
"""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, ANY_REAL, COMPLEX, FLOATS, ON_CPU, REAL, REDUCED, VALUES, Op, Sample, rand
from ops.shared.seeded import GENERATOR, LOOSE, Words, seeded

DIGITS = {torch.float32: 24, torch.float64: 53, torch.float16: 11, torch.bfloat16: 8}


def filled(one):
    """A reference that fills the input's shape with one(words, *args)."""

    def ref(x, *args, **kwargs):
        words = Words()
        return np.array([one(words, *args, **kwargs) for _ in range(x.size)]).reshape(x.shape).astype(x.dtype)

    return ref


def uniforms(words, n, dtype):
    return np.array([words.uniform() if dtype == torch.float64 else words.narrow(24) for _ in range(n)])


def normals(words, n, dtype, mean=0.0, std=1.0):
    """Fewer than 16 are drawn singly; otherwise 8 pairs per block, and the last 16 are redrawn if they do not fill a block."""
    if n < 16:
        return np.array([words.normal() for _ in range(n)]) * std + mean

    data = np.zeros(n)
    drawn = n // 16 * 16 if dtype in REDUCED else n
    data[:drawn] = uniforms(words, drawn, dtype)

    def block(at):
        u, v = 1 - data[at : at + 8].copy(), data[at + 8 : at + 16].copy()
        radius, angle = np.sqrt(-2 * np.log(u)), 2 * np.pi * v
        data[at : at + 8], data[at + 8 : at + 16] = radius * np.cos(angle), radius * np.sin(angle)

    for at in range(0, n - 15, 16):
        block(at)
    if n % 16:
        data[n - 16 :] = uniforms(words, 16, dtype)
        block(n - 16)
    return data * std + mean


def paired(f):
    """The same for complex numbers: real and imaginary parts in turn."""

    def ref(x, *args, dtype, **kwargs):
        if dtype in COMPLEX:
            parts = f(
                np.empty(2 * x.size),
                *args,
                dtype={torch.complex64: torch.float32}.get(dtype, torch.float64),
                halves=True,
                **kwargs,
            )
            return (parts[::2] + 1j * parts[1::2]).reshape(x.shape)
        return f(x, *args, dtype=dtype, **kwargs).reshape(x.shape)

    return ref


@paired
def uniform(x, low=0.0, high=1.0, dtype=None, halves=False):
    return uniforms(Words(), x.size, dtype) * (high - low) + low


@paired
def normal(x, mean=0.0, std=1.0, dtype=None, halves=False):
    return normals(Words(), x.size, dtype, mean, std / np.sqrt(2) if halves else std)


def fill(name, ref, dtypes, cases, errors=(), grad=True, tolerance=1e-5, typed=False):
    """An operator that fills a tensor: x.name(*case) for each case. typed: the reference receives the dtype."""
    fn = seeded(lambda x, *args, dtype=None, **kwargs: getattr(x.clone(), name)(*args, **kwargs))

    def samples(dtype):
        for case in cases:
            for shape in ((3,), (2, 3, 5), (0, 2), ()):
                yield Sample(rand(*shape, dtype=dtype), case, {"dtype": dtype} if typed else {})

    return Op(
        name,
        samples,
        ref,
        dtypes,
        call=fn,
        method=False,
        out=False,
        noncontiguous=False,
        grad=grad,
        errors=errors,
        tolerance=tolerance,
    )


def narrowed(low, high, dtype):
    """The ends moved inwards where the type would round a number outside."""
    if dtype not in DIGITS:
        return low, high
    digits = DIGITS[dtype]

    def rounded(v):
        return float(torch.tensor(float(v)).to(torch.float64).to(dtype)) if dtype != torch.float64 else float(v)

    def step(v):
        return 1 << max(0, abs(v).bit_length() - digits)

    if rounded(low + 1) < low:
        low = int(rounded(low + 1)) + step(low + 1)
    if rounded(high - 1) >= high:
        high = int(rounded(high - 1)) - step(high - 1)
    return low, high


def integers(words, n, low, high, dtype=None):
    low, high = narrowed(low, high, dtype)
    span = high - low
    return [(words.wide() if span >= 2**28 else words.word()) % span + low for _ in range(n)]


def random(x, *ends, dtype):
    words = Words()
    if ends:
        low, high = (0, ends[0]) if len(ends) == 1 else ends
        if high is None:
            high = 2 ** DIGITS[dtype] + 1 if dtype in DIGITS else torch.iinfo(dtype).max + 1 if dtype != torch.bool else 2
        found = integers(words, x.size, low, high, None if len(ends) == 2 and ends[1] is None else dtype)
    elif dtype in DIGITS:
        span = 2 ** DIGITS[dtype] + 1
        found = [(words.wide() if dtype == torch.float64 else words.word()) % span for _ in range(x.size)]
    elif dtype == torch.bool:
        found = [words.word() & 1 for _ in range(x.size)]
    else:
        span = torch.iinfo(dtype).max + 1
        found = [(words.wide() if dtype == torch.int64 else words.word()) % span for _ in range(x.size)]
    kind = float if dtype in DIGITS else bool if dtype == torch.bool else np.int64
    return np.array(found, dtype=kind).reshape(x.shape)


def sized(name, ref, dtypes, errors=(), tolerance=1e-5):
    """rand(size), rand_like(x), both with a dtype."""
    fn, like = getattr(torch, name), getattr(torch, name + "_like")

    def samples(dtype):
        for shape in ((3,), (2, 3, 5), (0, 2), ()):
            yield Sample(shape, (), {"dtype": dtype})
        yield Sample((3,), (), {"dtype": dtype, "generator": GENERATOR})

    def as_fill(size, dtype, generator=None):
        return ref(np.empty(size), dtype=dtype)

    same = {"method": False, "noncontiguous": False, "grad": False, "tolerance": tolerance}
    return (Op(name, samples, as_fill, dtypes, call=seeded(fn), out=True, factory=True, errors=errors, **same),
            Op(name + "_like", lambda dtype: [Sample(torch.zeros(2, 5), (), {"dtype": dtype})], lambda x, dtype: ref(x, dtype=dtype), dtypes,
               call=seeded(like), out=False, **same))  # fmt: skip


def randint_samples(dtype):
    top = 100 if dtype != torch.bool else 2
    for ends in ((top,), (0, top), (2**31 - 1,), (-(2**40), 2**40)) if dtype == torch.int64 else ((top,), (0, top)):
        yield Sample(ends, ((2, 3),), {"dtype": dtype})
        yield Sample(ends, ((2, 3),), {"dtype": dtype, "generator": GENERATOR})


def randint_ref(ends, size, dtype, generator=None):
    low, high = (0, *ends)[-2:]
    kind = float if dtype in DIGITS else bool if dtype == torch.bool else np.int64
    return np.array(integers(Words(), int(np.prod(size)), low, high, dtype)).reshape(size).astype(kind)


def randperm_ref(n, dtype, generator=None):
    words, p = Words(), np.arange(n[0], dtype=float if dtype in DIGITS else np.int64)
    for i in range(n[0] - 1):
        j = i + words.word() % (n[0] - i)
        p[[i, j]] = p[[j, i]]
    return p


def bernoulli(p, *args):
    words = Words()
    return np.array(
        [float(words.uniform() < v) if p.dtype == np.float64 else float(words.narrow(24) < v) for v in p.ravel()]
    ).reshape(p.shape)


def multinomial(p, count, replacement=False):
    words, rows = Words(), np.atleast_2d(p).astype(float)
    found = []
    if not replacement:
        keys = np.array([-np.log1p(-words.uniform()) for _ in range(rows.size)]).reshape(rows.shape)
        found = np.argsort(-rows / keys, axis=1, kind="stable")[:, :count]
    else:
        for row in rows:
            found.append([int(np.searchsorted(np.cumsum(row / row.sum()), words.uniform(), side="left")) for _ in range(count)])
    return np.array(found, dtype=np.int64).reshape(*p.shape[:-1], count)


def normal_of(mean, std, **kwargs):
    return torch.normal(mean, std, **kwargs)


def normal_ref(mean, std):
    shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
    dtype = next(d for d in (mean, std) if isinstance(d, np.ndarray)).dtype
    return (
        normals(Words(), int(np.prod(shape)), torch.float64 if dtype == np.float64 else torch.float32).reshape(shape) * std + mean
    )


def normal_samples(dtype):
    mean, std = rand(2, 3, 4, dtype=dtype), rand(2, 3, 4, dtype=dtype, low=0.1, seed=1)
    yield from (Sample(mean, (std,)), Sample(mean, (0.5,)), Sample(mean[0, 0], (std[0],)))


ANCHORS = {
    "torch.rand(3)": [0.49625659, 0.768221796, 0.0884774327],
    "torch.randn(3)": [1.54099607, -0.293428898, -2.17878938],
    "torch.randn(17)[-3:]": [0.946298361, -0.843676746, 0.931826591],
    "torch.randint(0, 10, (5,))": [4.0, 9.0, 3.0, 0.0, 3.0],
    "torch.randint(0, 2**31 - 1, (3,))": [818069386.0, 1179589038.0, 272611717.0],
    "torch.randperm(6)": [2.0, 5.0, 3.0, 0.0, 1.0, 4.0],
    "torch.rand(3, dtype=torch.float64)": [0.970053002, 0.707819864, 0.459382943],
    "torch.randn(3, dtype=torch.float64)": [1.54099611, -0.293428906, -2.17878938],
    "torch.bernoulli(torch.full((6,), 0.5))": [1.0, 0.0, 1.0, 1.0, 1.0, 0.0],
    "torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 2)": [2.0, 1.0],
    "torch.normal(1.0, 2.0, (3,))": [4.08199215, 0.413142174, -3.35757875],
    "torch.empty(3).exponential_()": [3.50832629, 1.23038471, 0.615044117],
    "torch.dropout(torch.ones(6), 0.5, True)": [0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
    "torch.empty(3).cauchy_()": [10.5977297, 0.764767289, -0.128299341],
    "torch.empty(3).log_normal_()": [59.2634163, 1.51155996, 0.0348194614],
    "torch.empty(3).geometric_(0.3)": [1.0, 1.0, 3.0],
    "torch.rand(2, dtype=torch.complex64).real": [0.49625659, 0.0884774327],
    "torch.empty(3).random_()": [8325664.0, 12888472.0, 1484222.0],
    "torch.empty(3, dtype=torch.float64).random_(0, 2**40)": [741280623151.0, 506137267392.0, 291447657211.0],
    "torch.randn(20, dtype=torch.float16)[:3]": [-1.12597656, -1.15234375, -0.250488281],
}  # fmt: skip


def anchor(name, code):
    """A program after manual_seed(0), and its result."""
    call = seeded(lambda x: eval(code, {"torch": torch}).double())
    return Op(name, lambda dtype: [Sample(torch.zeros(()))], lambda x: np.array(ANCHORS[code]), (torch.float32,), takes=ALL, call=call, method=False,
              out=False, meta=False, noncontiguous=False, grad=False, tolerance=1e-6)  # fmt: skip


X, NAN = torch.zeros(3), float("nan")

WHOLE = REAL + (torch.bool,)

P, ROWS = torch.tensor([0.2, 0.5, 0.3]), torch.tensor([[0.1, 0.2, 0.7, 0.0], [0.5, 0.0, 0.25, 0.25]])


def drawn_into(name, overload):
    """The out= overload, with a new tensor of the type that is asked for."""
    op = getattr(getattr(torch.ops.aten, name), overload)
    return lambda x, *args, dtype, **kwargs: op(x, *args, **kwargs, out=torch.empty_like(x, dtype=dtype))


OPS = [
    fill("uniform_", uniform, FLOATS + REDUCED + COMPLEX, ((), (-1.0, 2.0)), typed=True, errors=(
        (lambda: X.uniform_(2, 1), RuntimeError, "from=2 > to=1"), (lambda: X.uniform_(NAN, 1), RuntimeError, "from"),
        (lambda: X.uniform_(-3e38, 3e38), RuntimeError, "expects to-from"), (lambda: X.int().uniform_(), NotImplementedError, "not implemented for 'Int'"))),
    fill("normal_", normal, FLOATS + REDUCED + COMPLEX, ((), (-1.0, 2.0), (1.0, 0.0)), typed=True, tolerance=1e-4, errors=(
        (lambda: X.normal_(0, -1), RuntimeError, "std >= 0"), (lambda: X.normal_(0, NAN), RuntimeError, "std >= 0"),
        (lambda: X.int().normal_(), NotImplementedError, "not implemented for 'Int'", VALUES))),
    fill("exponential_", filled(lambda w, lambd=1.0: -np.log1p(-w.uniform()) / lambd), FLOATS + REDUCED, ((), (2.5,)), errors=(
        (lambda: X.exponential_(0), RuntimeError, "lambda"), (lambda: X.exponential_(NAN), RuntimeError, "lambda"),
        (lambda: X.int().exponential_(), RuntimeError, "xponential", VALUES))),
    fill("geometric_", filled(lambda w, p: np.ceil(np.log(w.uniform()) / np.log1p(-p))), REAL, ((0.5,), (0.1,)), errors=(
        (lambda: X.geometric_(0), RuntimeError, r"\(0, 1\)"), (lambda: X.geometric_(1), RuntimeError, r"\(0, 1\)"))),
    fill("cauchy_", filled(lambda w, median=0.0, sigma=1.0: median + sigma * np.tan(np.pi * (w.uniform() - 0.5))), FLOATS + REDUCED, ((), (2.0, 0.5)),
         tolerance=1e-4, errors=((lambda: X.cauchy_(0, 0), RuntimeError, "sigma > 0"), (lambda: X.cauchy_(0, NAN), RuntimeError, "sigma"))),
    fill("log_normal_", filled(lambda w, mean=1.0, std=2.0: np.exp(w.normal() * std + mean)), FLOATS + REDUCED, ((), (0.0, 0.5)),
         errors=((lambda: X.log_normal_(0, 0), RuntimeError, "std > 0"), (lambda: X.log_normal_(0, -1), RuntimeError, "std"))),
    fill("random_", random, WHOLE, ((), (2,), (0, 2), (1, None)), grad=False, typed=True, errors=(
        (lambda: X.random_(2, 1), RuntimeError, "'from' to be less than 'to'"), (lambda: X.random_(0), RuntimeError, "'from' to be less than 'to'"),
        (lambda: X.to(torch.int8).random_(0, 300), RuntimeError, "to - 1 is out of bounds"),
        (lambda: X.to(torch.uint8).random_(-1, 5), RuntimeError, "from is out of bounds"),
        (lambda: X.half().random_(0, 70000), RuntimeError, "to - 1 is out of bounds"))),
    fill("random_", random, FLOATS + (torch.int64,), ((2**27,), (2**28,), (2**40,), (-(2**33), 2**33 + 7)), grad=False, typed=True),
    fill("random_", random, (torch.bfloat16,), ((2**20,), (-1000, 1001)), grad=False, typed=True),
    fill("bernoulli_", filled(lambda w, p=0.5: float(w.uniform() < p)), WHOLE, ((), (0.2,), (1.0,), (0.0,)), errors=(
        (lambda: X.bernoulli_(1.5), RuntimeError, "p to be in|0 <= p|p >= 0"), (lambda: X.bernoulli_(NAN), RuntimeError, "p"))),
    Op("bernoulli_", lambda dtype: [Sample(rand(2, 3, dtype=dtype), (rand(2, 3, low=0.0, high=1.0),)), Sample(rand(2, 3, dtype=dtype), (rand(3, low=0.0, high=1.0),))],
       lambda x, p: bernoulli(np.broadcast_to(p, x.shape)).astype(x.dtype), WHOLE, call=seeded(lambda x, p: x.clone().bernoulli_(p)), out=False, grad=False, **LOOSE,
       errors=((lambda: X.bernoulli_(torch.tensor([2.0, 0.5, 0.5])), RuntimeError, "p_in", VALUES), (lambda: X.bernoulli_(torch.ones(2)), RuntimeError, "size", VALUES))),
    Op("bernoulli", lambda dtype: [Sample(rand(*s, dtype=dtype, low=0.0, high=1.0)) for s in ((3,), (2, 3, 5), (0,), ())], bernoulli, ALL_FLOATS,
       call=seeded(torch.bernoulli), errors=((lambda: torch.bernoulli(X + 1.5), RuntimeError, "p_in", VALUES),
                                             (lambda: torch.bernoulli(X.int()), NotImplementedError, "not implemented for 'Int'")), **LOOSE),
    Op("bernoulli", lambda dtype: [Sample(rand(2, 3, dtype=dtype), (0.3,))], filled(lambda w, p: float(w.uniform() < p)), ANY_REAL, call=seeded(torch.bernoulli),
       out=False, grad=False, **LOOSE),
    Op("bernoulli", lambda dtype: [Sample(rand(2, 3, dtype=dtype), (rand(2, 3, low=0.0, high=1.0),))], lambda x, p: bernoulli(p).astype(x.dtype), WHOLE,
       call=seeded(torch.ops.aten.bernoulli.Tensor), grad=False, **{**LOOSE, "out": False}),
    Op("multinomial", lambda dtype: [Sample(p.to(dtype), args) for p in (P, ROWS) for args in ((1,), (2,), (2, False), (5, True))], multinomial, ALL_FLOATS,
       call=seeded(torch.multinomial), grad=False, **LOOSE,
       errors=((lambda: torch.multinomial(P, 4), RuntimeError, "without replacement"), (lambda: torch.multinomial(P, 0), RuntimeError, "n_sample <= 0"),
               (lambda: torch.multinomial(X, 1), RuntimeError, "sum", ON_CPU), (lambda: torch.multinomial(P - 1, 1), RuntimeError, "< 0", ON_CPU),
               (lambda: torch.multinomial(P * NAN, 1), RuntimeError, "nan", ON_CPU), (lambda: torch.multinomial(P[None, None], 1), RuntimeError, "1 or 2 dim")), meta=False),
    Op("normal", normal_samples, normal_ref, FLOATS, takes=REDUCED, call=seeded(normal_of), method=False, noncontiguous=False, tolerance=1e-4, grad=False, errors=(
        (lambda: torch.normal(X, -1.0), RuntimeError, "std >= 0"), (lambda: torch.normal(X, X - 1), RuntimeError, "elements of std >= 0", VALUES),
        (lambda: torch.normal(X, torch.ones(2)), RuntimeError, "must match"), (lambda: torch.normal(0.0, -1.0, (2,)), RuntimeError, "std >= 0"),
        (lambda: torch.normal(X, X + 1j), RuntimeError, "non-complex"))),
    Op("normal", lambda dtype: [Sample(0.5, (rand(2, 3, 4, dtype=dtype, low=0.1),))], normal_ref, FLOATS, call=seeded(normal_of), method=False,
       noncontiguous=False, tolerance=1e-4, grad=False),
    *sized("rand", uniform, FLOATS + REDUCED + COMPLEX, errors=(
        (lambda: torch.rand(-1), RuntimeError, "negative dimension"), (lambda: torch.rand(2, dtype=torch.int), NotImplementedError, "not implemented for 'Int'"))),
    *sized("randn", normal, FLOATS + REDUCED + COMPLEX, tolerance=1e-4, errors=(
        (lambda: torch.randn(-1), RuntimeError, "negative dimension"), (lambda: torch.randn(2, dtype=torch.int), NotImplementedError, "not implemented for 'Int'", VALUES))),
    Op("randint", randint_samples, randint_ref, WHOLE, call=seeded(lambda ends, size, **k: torch.randint(*ends, size, **k)), grad=False, factory=True, **LOOSE, errors=(
        (lambda: torch.randint(3, 3, (2,)), RuntimeError, "'from' to be less than 'to'"), (lambda: torch.randint(0, (2,)), RuntimeError, "'from' to be less"),
        (lambda: torch.randint(0, 300, (2,), dtype=torch.uint8), RuntimeError, "to - 1 is out of bounds"),
        (lambda: torch.randint(0, 2, (-1,)), RuntimeError, "negative dimension"))),
    Op("randint_like", lambda dtype: [Sample(torch.zeros(2, 3), a, {"dtype": dtype}) for a in ((2,), (0, 2))],
       lambda x, *ends, dtype: randint_ref(ends, x.shape, dtype), WHOLE, call=seeded(torch.randint_like), out=False, grad=False, **LOOSE),
    *(Op(name, lambda dtype: [Sample(torch.zeros(2, 5), (), {"dtype": dtype, "generator": GENERATOR})], lambda x, dtype, generator, ref=ref: ref(x, dtype=dtype), FLOATS + REDUCED,
         call=seeded(getattr(torch, name)), grad=False, **{**LOOSE, "out": False, "tolerance": 1e-4}) for name, ref in (("rand_like", uniform), ("randn_like", normal))),
    *(Op("randint_like", lambda dtype, a=a: [Sample(torch.zeros(2, 3), a, {"dtype": dtype, **k}) for k in ({}, {"generator": GENERATOR})],
         lambda x, *ends, dtype, generator=None: randint_ref(tuple(map(int, ends)), x.shape, dtype), REAL, call=seeded(torch.randint_like), grad=False, meta=not isinstance(a[0], torch.Tensor),
         **{**LOOSE, "out": False}) for a in ((2,), (0, 2), (torch.tensor(2),))),
    Op("randperm", lambda dtype: [Sample((n,), (), {"dtype": dtype, **g}) for n in (0, 1, 5, 100) for g in ({}, {"generator": GENERATOR})], randperm_ref, REAL,
       call=seeded(lambda n, **k: torch.randperm(*n, **k)), grad=False, factory=True, **LOOSE, errors=(
        (lambda: torch.randperm(-1), RuntimeError, "negative"), (lambda: torch.randperm(129, dtype=torch.int8), RuntimeError, "without overflow"),
        (lambda: torch.randperm(2050, dtype=torch.float16), RuntimeError, "n cannot be greater than 2049"),
        (lambda: torch.randperm(2**24 + 2, dtype=torch.float32), RuntimeError, "n cannot be greater than"))),
    *(anchor("rand.numbers", code) for code in ANCHORS),
    *(Op(name, lambda d: [Sample(torch.zeros(2, 5, dtype=d))], None, FLOATS, takes=REDUCED + COMPLEX, call=seeded(getattr(torch, name)),
         out=False, grad=False, **LOOSE) for name in ("rand_like", "randn_like")),
    Op("randint_like", lambda d: [Sample(torch.zeros(2, 5, dtype=d), a) for a in ((9,), (1, 9))], None, tuple(t for t in WHOLE if t != torch.bool), call=seeded(torch.randint_like),
       out=False, grad=False, **LOOSE),
    Op("normal.sized", lambda d: [Sample(0.5, (2.0, (2, 3)))], None, FLOATS, call=seeded(torch.normal), method=False, out=False, grad=False,
       takes=ALL, noncontiguous=False, meta=False),
    *(Op(f"{name}.like", lambda d, a=a: [Sample(rand(2, 5, dtype=d), a)], None, FLOATS, call=seeded(f), takes=ALL, out=False, grad=False, **LOOSE) for name, a, f in (
        ("bernoulli", (0.3,), lambda x, p: torch.ops.aten.bernoulli.float_out(x, p, out=torch.empty_like(x))),
        ("normal", (1.0, 2.0), lambda x, *a: torch.ops.aten.normal.out(x, *a, out=torch.empty_like(x))))),
    *(Op(name, lambda dtype: [Sample(torch.zeros(2, 5), (), {"dtype": dtype, "generator": GENERATOR})], lambda x, dtype, generator, ref=ref: ref(x, dtype=dtype), FLOATS + REDUCED, method=False,
         call=seeded(drawn_into(name, "generator_out")), grad=False, out=False, noncontiguous=False, tolerance=1e-4) for name, ref in (("rand_like", uniform), ("randn_like", normal))),
    *(Op("randint_like", lambda dtype, a=a, k=k: [Sample(torch.zeros(2, 3), a, {"dtype": dtype, **k})], lambda x, *ends, dtype, generator=None: randint_ref(tuple(map(int, ends)), x.shape, dtype),
         REAL, call=seeded(drawn_into("randint_like", overload)), grad=False, meta=False, **{**LOOSE, "out": False}) for overload, a, k in (
            ("generator_out", (2,), {"generator": GENERATOR}), ("low_generator_dtype_out", (0, 2), {"generator": GENERATOR}), ("Tensor_out", (torch.tensor(2),), {}),
            ("Tensor_generator_out", (torch.tensor(2),), {"generator": GENERATOR}))),
]  # fmt: skip
