"""New tensors: filled, ranges, of the shape of another."""

import tempfile

import numpy as np

import torch
from ops.common import ALL, FLOATS, INTS, NUMBERS, REAL, VALUES, Op, Sample, rand, unary
from ops.shared.creation import of_numpy, shape_only


def sized(name, ref, *extra, **kwargs):
    """torch.NAME(size, ..., dtype=)."""

    def samples(dtype):
        return [Sample(s, extra, {"dtype": dtype}) for s in ((), (3,), (2, 0), (2, 3, 4))]

    return Op(name, samples, ref, ALL, method=False, out=False, grad=False, noncontiguous=False, factory=True, **kwargs)


def made(f):
    return lambda *args, dtype=None: f(*args).astype(of_numpy(dtype))


def number(name, ref, *samples, dtypes=FLOATS + INTS, **kwargs):
    """torch.NAME(numbers..., dtype=)."""
    return Op(name, lambda d: [Sample(s[0], s[1:], {"dtype": d}) for s in samples], made(ref), dtypes, method=False, out=False, grad=False,
              noncontiguous=False, factory=True, **kwargs)  # fmt: skip


def like(name, value, *extra, **kwargs):
    return Op(name, lambda d: [Sample(s.input, extra) for s in unary()(d)], lambda x, *a: np.full_like(x, value), ALL, method=False, out=False,
              grad=False, **kwargs)  # fmt: skip


def new(name, value, *extra):
    return Op(name, lambda d: [Sample(rand(2, dtype=d), ((3, 2), *extra))], lambda x, size, *a: np.full(size, value, x.dtype), ALL,
              call=lambda x, *a: getattr(x, name)(*a), out=False, grad=False)  # fmt: skip


def without_options(name, call, sample=lambda d: Sample(rand(2, 3, dtype=d))):
    """An entry whose samples fit the out= form, which has no dtype and no device."""
    forms = {"method": False, "out": False, "grad": False, "values": False, "meta": False, "noncontiguous": False}
    return Op(name, lambda d: [sample(d)], None, (torch.float32,), takes=ALL, call=call, **forms)


SIZES = [(lambda: torch.zeros(-1), RuntimeError, "negative"),
         (lambda: torch.zeros(2**40, 2**40), RuntimeError, "overflow"),
         (lambda: torch.full((2,), 300, dtype=torch.uint8), RuntimeError, "without overflow", VALUES),
         (lambda: torch.zeros(2, pin_memory=True), RuntimeError, "pin_memory", VALUES)]  # fmt: skip

RANGES = [(lambda: torch.arange(0, 5, 0), RuntimeError, "step must be nonzero"),
          (lambda: torch.arange(5, 0), RuntimeError, "inconsistent with step sign"),
          (lambda: torch.arange(0, float("inf")), RuntimeError, "unsupported range")]  # fmt: skip


def read_back(x):
    """The elements, by way of a file. The out= overload gives the same."""
    with tempfile.NamedTemporaryFile() as file:
        torch.from_file(file.name, shared=True, size=x.numel(), dtype=x.dtype).copy_(x)
        found = torch.from_file(file.name, size=x.numel(), dtype=x.dtype)
        assert torch.equal(found, torch.ops.aten.from_file.out(file.name, size=x.numel(), out=torch.empty(0, dtype=x.dtype)))
        return found


OPS = [
    sized("zeros", made(np.zeros), errors=SIZES),
    sized("ones", made(np.ones)),
    sized("full", made(np.full), 3),
    shape_only("empty", torch.empty),
    shape_only("empty_strided", lambda size, **options: torch.empty_strided(size, (1, 3), **options)),
    shape_only("empty_permuted", lambda size, **options: torch.empty_permuted(size, (1, 0), **options)),
    shape_only("empty_like", lambda size, **options: torch.empty_like(torch.zeros(size, **options))),
    shape_only("new_empty", lambda size, **options: torch.zeros(1, **options).new_empty(size)),
    shape_only("new_empty_strided", lambda size, **options: torch.zeros(1, **options).new_empty_strided(size, (1, 3))),
    like("zeros_like", 0),
    like("ones_like", 1),
    like("full_like", 2, 2),
    new("new_zeros", 0),
    new("new_ones", 1),
    new("new_full", 2, 2),
    number("arange", np.arange, (5,), (1, 9), (1, 9, 2), (9, 0, -3), (0,), dtypes=REAL, errors=RANGES),
    number("range", lambda a, b, s=1: np.arange(a, b + s, s), (1, 4), (1, 9, 2), dtypes=REAL),
    number("linspace", np.linspace, (0, 9, 10), (1, 5, 5), (2, 3, 1), dtypes=NUMBERS),
    number("logspace", np.logspace, (0, 2, 3), (0, 1, 5), dtypes=NUMBERS, tolerance=1e-4),
    number("eye", np.eye, (3,), (2, 4), (0,), dtypes=ALL),
    number("scalar_tensor", np.array, (3,), dtypes=ALL),
    *(
        Op(
            "linspace",
            lambda d, ends=ends: [Sample(*ends(d), {"dtype": d})],
            lambda start, end, steps, dtype: np.linspace(start, end, steps).astype(of_numpy(dtype)),
            call=lambda *a, device=None, **k: torch.linspace(*a, **k),
            method=False,
            out=False,
            grad=False,
            noncontiguous=False,
            meta=False,
        )
        for ends in (
            lambda d: (torch.tensor(1, dtype=d), (5.0, 9)),
            lambda d: (1.0, (torch.tensor(5, dtype=d), 9)),
            lambda d: (torch.tensor(1, dtype=d), (torch.tensor(5, dtype=d), 9)),
        )
    ),
    without_options("empty_like", torch.empty_like),
    without_options("empty_strided", torch.empty_strided, lambda d: Sample((2, 3), ((3, 1),))),
    without_options("empty_permuted", torch.empty_permuted, lambda d: Sample((2, 3), ((1, 0),))),
    without_options("new_empty", torch.Tensor.new_empty, lambda d: Sample(rand(2, dtype=d), ((2, 3),))),
    without_options("new_empty_strided", torch.Tensor.new_empty_strided, lambda d: Sample(rand(2, dtype=d), ((2, 3), (3, 1)))),
    *(Op("logspace", lambda d, ends=ends: [Sample(*ends(d), {"dtype": d})], lambda start, end, steps, base, dtype: np.logspace(start, end, steps, base=base).astype(of_numpy(dtype)),
         NUMBERS, call=lambda *a, device=None, **k: torch.logspace(*a, **k), method=False, out=False, grad=False, noncontiguous=False, meta=False, tolerance=1e-3)
      for ends in (lambda d: (torch.tensor(1, dtype=d), (3.0, 3, 2.0)), lambda d: (1.0, (torch.tensor(3, dtype=d), 3, 2.0)), lambda d: (torch.tensor(1, dtype=d), (torch.tensor(3, dtype=d), 3, 2.0)))),
    Op("from_file", lambda dtype: [Sample(rand(n, dtype=dtype)) for n in (0, 6)], np.copy, ALL, call=read_back, method=False, out=False, grad=False, meta=False, noncontiguous=False),
]  # fmt: skip
