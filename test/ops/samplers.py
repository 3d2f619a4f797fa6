"""Samplers: the reference follows the published algorithms with the words of the generator. Some of PyTorch's numbers are written out below."""

import math

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, FLOATS, INTS, LIB, REDUCED, VALUES, Op, Sample, internal, rand
from ops.shared.seeded import LOOSE, Words, seeded


def each(one):
    def ref(*args):
        words = Words()
        args = np.broadcast_arrays(*args)
        return (
            np.array([one(words, *map(float, v)) for v in zip(*(a.ravel() for a in args))])
            .reshape(args[0].shape)
            .astype(args[0].dtype)
        )

    return ref


def poisson(words, mean):
    """Knuth's for small means."""
    count, product = 0, words.uniform()
    while mean and product > math.exp(-mean):
        count, product = count + 1, product * words.uniform()
    return count


def binomial(words, n, p):
    if n <= 0 or p <= 0 or p >= 1:
        return n if p >= 1 else 0
    rare, tries, found = min(p, 1 - p), 0, -1
    while tries <= n:
        tries += math.ceil(math.log(words.uniform()) / math.log1p(-rare))
        found += 1
    return found if p <= 0.5 else n - found


def gamma(words, alpha):
    """Marsaglia and Tsang 2000."""
    scale = (1 - words.uniform()) ** (1 / alpha) if alpha < 1 else 1.0
    d = alpha + (alpha < 1) - 1 / 3
    while True:
        x = words.normal()
        v = (1 + x / math.sqrt(9 * d)) ** 3
        if v <= 0:
            continue
        u = 1 - words.uniform()
        if u < 1 - 0.0331 * x**4 or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return scale * d * v


def dirichlet(alpha):
    found = each(gamma)(alpha.astype(np.float64))
    return (found / found.sum(-1, keepdims=True)).astype(alpha.dtype)


def gamma_grad(alpha, x):
    """The slope of the cumulative distribution along the shape, over the density."""
    from scipy import special, stats

    step = 1e-5 * alpha.astype(np.float64)
    slope = (special.gammainc(alpha + step, x) - special.gammainc(alpha - step, x)) / (2 * step)
    return (-slope / stats.gamma.pdf(x, alpha.astype(np.float64))).astype(alpha.dtype)


def beta_grad(x, alpha, total):
    from scipy import special, stats

    a, b = alpha.astype(np.float64), (total - alpha).astype(np.float64)
    step = 1e-5 * a
    slope = (special.betainc(a + step, b, x) - special.betainc(a - step, b, x)) / (2 * step)
    return (-slope / stats.beta.pdf(x, a, b) / (1 - x)).astype(x.dtype)


def gamma_points(dtype):
    from scipy import special

    a = np.array([0.05, 0.5, 1.0, 3.0, 40.0, 900.0])
    for q in (0.01, 0.3, 0.7, 0.99):
        yield Sample(torch.tensor(a, dtype=dtype), (torch.tensor(special.gammaincinv(a, q), dtype=dtype),))
    x = torch.tensor([0.5, 1.0, 3.0], dtype=dtype)
    yield Sample(x[:, None], (x * 2,))
    yield Sample(x[:0], (x[:0],))


def beta_points(dtype):
    x = rand(4, 1, dtype=dtype, low=0.05, high=0.95)
    alpha = torch.tensor([0.05, 0.7, 2.0, 30.0], dtype=dtype)
    for b in (0.25, 0.5, 2.0):
        yield Sample(x, (alpha, alpha + b))
    yield Sample(x[:0], (alpha, alpha))


def positive(low, high):
    return lambda dtype: [Sample(rand(*s, dtype=dtype, low=low, high=high)) for s in ((3,), (2, 3, 5), (0, 2))]


def tries(dtype):
    n, p = rand(3, 4, dtype=dtype, low=0, high=9).trunc(), rand(3, 4, dtype=dtype, low=-0.1, high=1.1, seed=1)
    return [Sample(n, (p,)), Sample(n, (p[0],)), Sample(n[:0], (p[:0],))]


ANCHORS = {
    "torch.poisson(torch.tensor([3.0, 50.0, 1e6, 12.0]))": [6.0, 47.0, 999372.0, 8.0],
    "torch.poisson(torch.full((6,), 20.0, dtype=torch.float64))": [19.0, 22.0, 15.0, 21.0, 19.0, 18.0],
    "torch.binomial(torch.full((6,), 100.0), torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9, 0.99]))": [11.0, 25.0, 51.0, 71.0, 91.0, 99.0],
    "torch.binomial(torch.full((4,), 1e5, dtype=torch.float64), torch.full((4,), 0.4, dtype=torch.float64))": [39982.0, 40065.0, 39839.0, 40036.0],
    "torch.binomial(torch.full((4,), 40.0), torch.full((4,), 0.5))": [21.0, 17.0, 21.0, 20.0],
    "torch._standard_gamma(torch.tensor([0.1, 0.5, 1.0, 3.0, 100.0]))": [3.12923564e-16, 0.0441509187, 1.05320406, 4.28260231, 93.8281326],
    "torch._standard_gamma(torch.tensor([1e-3, 0.5, 1e4], dtype=torch.float64))": [2.22507386e-308, 0.0441509202, 10040.0549],
    "torch._sample_dirichlet(torch.tensor([[0.3, 1.0, 2.0], [0.01, 0.01, 0.01]]))": [[2.95141081e-06, 0.0594502389, 0.940546811], [6.36376314e-13, 0.993508995, 0.00649101986]],
    "torch._sample_dirichlet(torch.tensor([[0.3, 1.0, 2.0], [10.0, 1.0, 0.5]], dtype=torch.float64))": [[2.95140939e-06, 0.0594502396, 0.940546809], [0.830364519, 0.049947202, 0.119688279]],
    "torch.rrelu(torch.tensor([-1.0, 2.0, -1.0]), training=True)": [-0.327094376, 2.0, -0.272462487],
}  # fmt: skip


def anchor(code):
    """A program after manual_seed(0), and PyTorch's result."""
    call = seeded(lambda x: eval(code, {"torch": torch}).double())
    return Op("binomial.numbers", lambda dtype: [Sample(torch.zeros(()))], lambda x: np.array(ANCHORS[code]), (torch.float32,), takes=ALL, call=call, method=False,
              out=False, meta=False, noncontiguous=False, grad=False, tolerance=1e-6)  # fmt: skip


def fills(name, *cases):
    """The operator returns what its in-place form writes."""
    fill = getattr(torch.Tensor, name.removesuffix("_functional") + "_")
    call = seeded(getattr(torch.ops.aten, name))

    def same(x, *args):
        result = call(x, *args)
        assert torch.equal(result, seeded(fill)(x.clone(), *args)) if not x.is_meta else True
        return result

    return internal(name, lambda dtype: [Sample(rand(2, 5, dtype=dtype), c) for c in cases], None, FLOATS, call=same, takes=REDUCED + INTS + (torch.bool, torch.complex64, torch.complex128),
                    noncontiguous=False, grad=False)  # fmt: skip


X = torch.ones(3)
W = torch.full((3,), 0.5)
LOOSE_ONLY = {**LOOSE, "out": False}

OPS = [
    Op("poisson", positive(0.0, 9.0), each(poisson), ALL_FLOATS, call=seeded(torch.poisson), gradgrad=False, **LOOSE_ONLY, errors=(
        (lambda: torch.poisson(-X), RuntimeError, "non-negative", VALUES), (lambda: torch.poisson(X.int()), NotImplementedError, "not implemented for 'Int'"))),
    Op("binomial", tries, each(binomial), FLOATS, call=seeded(torch.binomial), grad=False, **LOOSE_ONLY, errors=(
        (lambda: torch.binomial(X, X.double()), RuntimeError, "expected scalar type Float for prob"), (lambda: torch.binomial(X, torch.ones(2)), RuntimeError, "do not broadcast"),
        (lambda: torch.binomial(X.half(), X.half()), NotImplementedError, "binomial_cpu"))),
    internal("_standard_gamma", positive(0.2, 5.0), each(gamma), FLOATS, call=seeded(torch._standard_gamma), grad=False, noncontiguous=False, tolerance=1e-5),
    internal("_sample_dirichlet", positive(0.2, 5.0), dirichlet, FLOATS, call=seeded(torch._sample_dirichlet), grad=False, noncontiguous=False, tolerance=1e-5),
    internal("_standard_gamma_grad", gamma_points, gamma_grad, FLOATS, grad=False, tolerance=1e-4, errors=(
        (lambda: LIB._standard_gamma_grad(X, X.double()), RuntimeError, "expected dtype float32 for `output`"),
        (lambda: LIB._standard_gamma_grad(X.half(), X.half()), NotImplementedError, "not implemented for 'Half'"))),
    internal("_dirichlet_grad", beta_points, beta_grad, FLOATS, grad=False, tolerance=1e-4, errors=(
        (lambda: LIB._dirichlet_grad(W, X.double(), X), RuntimeError, "expected dtype float32 for `alpha`"),
        (lambda: LIB._dirichlet_grad(W, X, X.double()), RuntimeError, "expected dtype float32 for `total`"),
        (lambda: LIB._dirichlet_grad(W.half(), X.half(), X.half()), NotImplementedError, "not implemented for 'Half'"))),
    *(fills(*case) for case in (("normal_functional", (), (1.0, 2.0)), ("uniform", (), (1.0, 2.0)), ("exponential", (), (2.0,)), ("geometric", (0.5,)), ("cauchy", (), (1.0, 2.0)),
                                ("log_normal", (), (1.0, 0.5)), ("random", (), (5,), (2, 7)))),
    *(anchor(code) for code in ANCHORS),
]  # fmt: skip
