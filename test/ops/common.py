"""Entries of the operator table, and sample inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

import torch

FLOATS = (torch.float32, torch.float64)
REDUCED = (torch.float16, torch.bfloat16)
INTS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
COMPLEX = (torch.complex64, torch.complex128)
BOOL = (torch.bool,)
REAL = FLOATS + REDUCED + INTS
NUMBERS = REAL + COMPLEX
ALL = NUMBERS + BOOL
ALL_FLOATS = FLOATS + REDUCED
ANY_REAL = REAL + BOOL

TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-10, torch.float16: 4e-3, torch.bfloat16: 3e-2,
             torch.complex64: 2e-5, torch.complex128: 1e-10}  # fmt: skip


@dataclass
class Sample:
    input: object
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)

    def to(self, device):
        """The same values on a device; tensors that are identical stay identical."""
        known = {}

        def move(x):
            if isinstance(x, (torch.Tensor, torch.UntypedStorage)):
                return known.setdefault(id(x), x.to(device=device))
            if isinstance(x, dict):
                return {k: move(v) for k, v in x.items()}
            return type(x)(map(move, x)) if type(x) in (list, tuple) else x

        return Sample(move(self.input), move(self.args), move(self.kwargs))


@dataclass
class Op:
    """One operator.

    name     "add": torch.add unless `call` is set; "div.mode" is another entry for div
    make     dtype -> samples on the CPU (see below for ready-made ones); `samples` has them on any device
    ref      the same on NumPy arrays (bfloat16 arrives as float32); None: no reference, only the other checks
    dtypes   the dtypes that it accepts
    grad     gradcheck and gradgradcheck in float64 (and complex128 where it is in dtypes)
    takes    further accepted dtypes: for some arguments only, or with values that NumPy cannot represent
    method, inplace, out   whether those forms exist
    meta     False: the result's shape depends on values, or there is no kernel for the meta device
    values   False: the result is uninitialized memory
    host     tensors among the arguments stay on the CPU
    angle    imaginary parts of results are angles: other devices find them up to multiples of 2 pi
    factory  it creates tensors from numbers only, on the device in the keyword `device`
    errors   [(callable, exception type, pattern of the message)]; VALUES at the end: a kernel detects the mistake, so meta does not;
             ON_CPU too: only the CPU's kernel, because those of other devices end, or do not look
    """

    name: str
    make: Callable[[torch.dtype], Iterable[Sample]]
    ref: Callable | None = None
    dtypes: tuple = FLOATS
    call: Callable | None = None
    grad: bool = True
    gradgrad: bool | None = None  # same as grad by default
    method: bool = True
    inplace: bool = False
    out: bool = True
    meta: bool = True
    noncontiguous: bool = True
    factory: bool = False
    values: bool = True
    view: bool = False  # the results show the memory of the input
    tolerance: float | None = None
    errors: tuple = ()
    takes: tuple = ()
    host: bool = False
    angle: bool = False
    family: str = ""  # the module of the entry

    def samples(self, dtype, device="cpu"):
        """Samples with their tensors on a device. They are created on the CPU: meta has no values, and a new device is not yet trusted."""
        with torch.device("cpu"):
            made = list(self.make(dtype))
        for s in made:
            if self.factory:
                s = Sample(s.input, s.args, {**s.kwargs, "device": device})
            if device != "cpu":
                s = Sample(s.to(device).input, s.args, s.kwargs) if self.host else s.to(device)
            yield s

    @property
    def draws(self):
        """Whether it draws random numbers, which are not the reference's on other devices than the CPU (see shared/seeded.py)."""
        return getattr(self.call, "draws", False)

    @property
    def fn(self):
        if self.call:
            return self.call
        found = torch
        for part in self.name.split("."):
            found = getattr(found, part)
        return found


# --- numbers ---------------------------------------------------------------------------------------------


def rand(*shape, dtype=torch.float32, low=-3.0, high=3.0, seed=0):
    """Numbers of any dtype from a fixed stream; ints and floats within [low, high)."""
    state = np.random.RandomState(seed + 7919 * (len(shape) + sum(shape)))
    if dtype == torch.bool:
        return torch.from_numpy(state.rand(*shape) > 0.5) if shape else torch.tensor(True)
    values = np.asarray(state.uniform(low, high, shape))
    if dtype.is_complex:
        values = values + 1j * np.asarray(state.uniform(low, high, shape))
    elif not dtype.is_floating_point:
        if not dtype.is_signed:
            values = np.abs(values)
        values = np.trunc(values)
        return torch.from_numpy(np.asarray(values).astype(np.int64)).to(dtype)
    return torch.empty(shape, dtype=dtype).copy_(torch.from_numpy(np.asarray(values)))


def to_numpy(x):
    """A tensor (or a list of them) as NumPy: bfloat16 and float16 as float32, because NumPy computes those differently."""
    if isinstance(x, torch.Tensor):
        x = x.detach().cpu().resolve_conj().resolve_neg()
        return x.float().numpy() if x.dtype in REDUCED else x.numpy()
    if isinstance(x, (list, tuple)):
        return type(x)(to_numpy(v) for v in x)
    return x


def wide(f):
    """A reference that computes integers in float64: NumPy would choose float16 for small ones."""

    def ref(*args, **kwargs):
        args = [np.asarray(a) for a in args]
        return f(*(a.astype(np.float64) if a.dtype.kind in "biu" else a for a in args), **kwargs)

    return ref


# --- ready-made samples ------------------------------------------------------------------------------------

SHAPES = ((), (1,), (5,), (3, 4), (2, 3, 4), (0,), (2, 0, 3), (33, 17), (3, 13337))  # the last: work for several threads


def unary(low=-3.0, high=3.0, shapes=SHAPES):
    """One tensor, in many shapes."""
    return lambda dtype: [Sample(rand(*s, dtype=dtype, low=low, high=high)) for s in shapes]


def binary(low=-3.0, high=3.0, low2=None, high2=None):
    """Two tensors: of one shape, broadcast, with a 0-d one, empty."""
    pairs = (((), ()), ((5,), (5,)), ((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)), ((4,), ()),
             ((0,), (0,)), ((2, 0), (1,)), ((65, 3), (65, 3)),
             ((3, 13337), (3, 13337)), ((3, 13337), (3, 1)))  # fmt: skip
    lo2, hi2 = (low if low2 is None else low2), (high if high2 is None else high2)
    return lambda dtype: [Sample(rand(*a, dtype=dtype, low=low, high=high), (rand(*b, dtype=dtype, low=lo2, high=hi2, seed=1),))
                          for a, b in pairs]  # fmt: skip


def reduction(low=-3.0, high=3.0, dims=True, full=True, empty=False):
    """One tensor reduced over everything, one dimension, several, with keepdim."""

    def samples(dtype):
        found = []
        for s in ((), (5,), (3, 4), (2, 3, 4), (70, 3), (0,), (2, 0, 3))[: None if empty else 5]:
            x = rand(*s, dtype=dtype, low=low, high=high)
            if full:
                found.append(Sample(x))
            if dims and s:
                found += [Sample(x, (0,)), Sample(x, (-1,), {"keepdim": True})]
                if len(s) > 1:
                    found.append(Sample(x, ((0, 1),)))
        return found

    return samples


def axis_aware(f):
    """A NumPy reduction called as torch calls: (x, dim, keepdim=False)."""

    def ref(x, dim=None, keepdim=False, **kwargs):
        axis = tuple(dim) if isinstance(dim, (tuple, list)) else dim
        return f(x, axis=axis, keepdims=keepdim, **kwargs) if axis is not None else f(x)

    return ref


VALUES = "needs values"  # of an error
ON_CPU = "found by the CPU's kernel"
FUNCTION_ONLY = {"method": False, "out": False}  # forms of an entry

# --- index tensors ------------------------------------------------------------------------------------

LIB = torch.ops.aten
ONES = torch.ones(2, 3)
ROWS = torch.tensor([2, 0, 2])
NOT_LONG = torch.tensor([0.5])
BEYOND = torch.tensor([5])


def along(x, dim):
    """A 0-d tensor also has one valid dimension."""
    return np.moveaxis(x.reshape(1) if x.ndim == 0 else x, dim, 0)


def internal(name, make, ref=None, dtypes=FLOATS, **kwargs):
    """An entry for an operator that Python code calls only as torch.ops.aten.NAME."""
    return Op(name, make, ref, dtypes, **{"call": getattr(LIB, name), **FUNCTION_ONLY, **kwargs})
