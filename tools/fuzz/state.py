"""What the generator knows about the program it writes: variables with their shapes and types, but no tensors."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from .program import Program, Step

FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTS = ("uint8", "int8", "int16", "int32", "int64")
RARE = ("complex32", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2")
DTYPES = {"float32": 38, "float64": 16, "float16": 5, "bfloat16": 6, "int64": 8, "int32": 4, "int16": 3, "int8": 3, "uint8": 4,
          "bool": 5, "complex64": 4, "complex128": 3} | dict.fromkeys(RARE, 0.2)  # fmt: skip
MAX_ELEMENTS = 600  # elements of a tensor
# Results of these may share memory with their argument.
VIEWS = set(
    """getitem transpose permute t T mT swapaxes movedim view reshape flatten ravel unflatten view_as reshape_as squeeze
 unsqueeze select narrow unfold diagonal expand broadcast_to expand_as chunk split tensor_split unbind as_strided real imag
 view_as_real view_as_complex view_dtype atleast_1d atleast_2d atleast_3d detach contiguous to conj resolve_conj positive
 real_if_close hstack vstack""".split()
)


@dataclass
class Var:
    name: str
    shape: tuple
    dtype: str
    grad: bool = False
    leaf: bool = False
    root: str = ""  # the variable whose memory it shares
    shared: bool = False  # not to be written to: its elements may share memory, or reinterpret those of another type

    @property
    def dim(self):
        return len(self.shape)

    @property
    def floating(self):
        return self.dtype in FLOATS

    @property
    def inexact(self):
        return self.dtype in FLOATS or self.dtype in COMPLEX

    @property
    def complex(self):
        return self.dtype in COMPLEX or self.dtype == "complex32"

    @property
    def count(self):
        return product(self.shape)


def product(numbers):
    n = 1
    for k in numbers:
        n *= k
    return n


def broadcast(*shapes):
    """The shape of the result; None if the shapes do not fit."""
    found = []
    for i in range(1, max(map(len, shapes)) + 1):
        sizes = {s[-i] for s in shapes if len(s) >= i} - {1}
        if len(sizes) > 1:
            return None
        found.append(sizes.pop() if sizes else 1)
    return tuple(reversed(found))


def promote(*of):
    """The promoted type of variables; 0-d variables count only if they are of a higher kind."""

    def kind(d):
        return 3 if d.startswith("complex") else 2 if d in FLOATS else 0 if d == "bool" else 1

    top = max(kind(v.dtype) for v in of)
    with_dims = [v.dtype for v in of if v.dim and kind(v.dtype) == top]
    types = with_dims or [v.dtype for v in of if kind(v.dtype) == top]
    if any(kind(v.dtype) == 2 for v in of if v.dim) and top == 3 and "float64" in [v.dtype for v in of if v.dim]:
        types = [*types, "complex128"]
    found = types[0]
    for d in types[1:]:
        found = pair(found, d)
    return found


ORDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
         "complex32", "complex64", "complex128")  # fmt: skip


def pair(a, b):
    if a == b:
        return a
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    return max(a, b, key=lambda d: ORDER.index(d) if d in ORDER else 0)


class State:
    """A program under construction, and the random choices behind it."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.program = Program(seed)
        self.vars: list[Var] = []
        self.main = self.dtype()

    # --- choices ---

    def chance(self, p):
        return self.rng.random() < p

    def choice(self, options):
        return self.rng.choice(list(options))

    def dtype(self):
        return self.rng.choices(list(DTYPES), list(DTYPES.values()))[0]

    def size(self):
        return self.rng.choices((1, 2, 3, 4, 5, 0, 7), (14, 30, 30, 16, 6, 1.5, 2))[0]

    def shape(self, dims=None):
        dims = self.rng.choices((0, 1, 2, 3, 4), (6, 20, 40, 24, 10))[0] if dims is None else dims
        if self.chance(0.04) and 1 <= dims <= 2:
            return (self.rng.randint(2, 4), self.rng.randint(60, 140))[-dims:]
        return tuple(self.size() for _ in range(dims))

    def pick(self, fits=lambda v: True):
        """A variable, later ones more often; None if none fits."""
        found = [v for v in self.vars if fits(v) and v.count <= MAX_ELEMENTS]
        return self.rng.choices(found, range(1, len(found) + 1))[0] if found else None

    def dim(self, v, wrap=True):
        """A dimension of the variable, negative at times."""
        n = max(v.dim, 1)
        d = self.rng.randrange(n)
        return d - n if wrap and self.chance(0.4) else d

    def number(self, dtype="float32"):
        """A Python number that suits the type, as text."""
        if dtype == "bool":
            return self.choice(("True", "False"))
        whole = self.choice(("0", "1", "2", "3", "-1", "-2", "5"))
        if dtype in INTS or dtype.startswith("uint"):
            return whole.lstrip("-") if dtype.startswith("uint") else whole
        return self.choice((whole, "0.5", "-1.5", "2.0", "0.25", "-0.75", "3.125"))

    # --- steps ---

    def name(self):
        names = {o for s in self.program.steps for o in s.outs}
        return f"v{len(names)}"

    def add(self, op, code, shape, dtype, grad=False, leaf=False):
        """`v7 = code`, of one result."""
        if product(shape) > MAX_ELEMENTS or len(shape) > 6:
            return None
        v = Var(self.name(), tuple(shape), dtype, grad and dtype in FLOATS + COMPLEX, leaf)
        self.program.steps.append(Step(f"{v.name} = {code}", op, [v.name]))
        self.vars.append(self.mark(op, code, v))
        return v

    def mark(self, op, code, v):
        """Records whether v, created by this code, may overlap itself, as views of such variables may."""
        names = re.findall(r"\bv\d+\b", code)
        source = next((w for w in self.vars if names and w.name == names[0]), v)
        v.root = source.root if op in VIEWS else v.name
        v.shared = op in ("unfold", "as_strided", "view_dtype", "conj") or any(w.shared for w in self.vars if w.name in names)
        return v

    def add_many(self, op, code, results):
        """`v7, v8 = code`; results: (shape, dtype, grad) of each."""
        if any(product(r[0]) > MAX_ELEMENTS for r in results) or not results:
            return None
        start = int(self.name()[1:])
        made = [Var(f"v{start + i}", tuple(r[0]), r[1], r[2] and r[1] in FLOATS + COMPLEX) for i, r in enumerate(results)]
        names = ", ".join(v.name for v in made)
        self.program.steps.append(Step(f"{names}{',' if len(made) == 1 else ''} = {code}", op, [v.name for v in made]))
        self.vars.extend(self.mark(op, code, v) for v in made)
        return made

    def change(self, op, code, v, *, grad=False, shape=None):
        """Adds an in-place change of a variable."""
        v.grad = v.grad or (grad and v.inexact)
        if shape is not None:
            v.shape = tuple(shape)
        self.program.steps.append(Step(code, op, [v.name]))
        return v

    def leaf(self, shape=None, dtype=None, grad=None, low=-4.0, high=4.0):
        """A new tensor of numbers that every type represents exactly (sixteenths)."""
        shape = self.shape() if shape is None else tuple(shape)
        dtype = dtype or (self.main if self.chance(0.7) else self.dtype())
        inexact = dtype in FLOATS + COMPLEX
        grad = inexact and (self.chance(0.75) if grad is None else grad)
        n = product(shape)
        if n == 0 or dtype in RARE:
            code = f"torch.arange({n}).to(torch.{dtype}).reshape({shape})"
            return self.add("leaf", code, shape, dtype)
        ask = f", dtype=torch.{dtype}" + (", requires_grad=True" if grad else "")
        if n > 40:
            k = self.choice((37, 53, 71))
            code = f"((torch.arange({n}) * {k} % 113 - 56) / 16).reshape({shape})"
            if inexact:
                code = f"torch.tensor({code}.tolist(){ask})"
            else:
                code = f"(torch.arange({n}) * {k} % {2 if dtype == 'bool' else 7}).reshape({shape}).to(torch.{dtype})"
            return self.add("leaf", code, shape, dtype, grad, True)
        return self.add("leaf", f"torch.tensor({self.literal(shape, dtype, low, high)}{ask})", shape, dtype, grad, True)

    def literal(self, shape, dtype, low, high):
        n = product(shape)
        rng = self.rng
        if dtype == "bool":
            flat = [rng.random() < 0.5 for _ in range(n)]
        elif dtype in INTS:
            lowest = 0 if dtype == "uint8" else -5
            flat = [rng.randint(lowest, 9) for _ in range(n)]
        else:
            every = [i / 16 for i in range(int(low * 16), int(high * 16) + 1)]
            distinct = n <= len(every) and self.chance(0.7)
            flat = rng.sample(every, n) if distinct else [rng.choice(every[::8]) for _ in range(n)]
            if self.chance(0.08):
                flat[rng.randrange(n)] = rng.choice(
                    ["nan", "inf", "-inf", "-0.0", "0.0", "1e30" if dtype != "float16" else "6e4"]
                )
            if dtype in COMPLEX:
                flat = [f"complex({x}, {rng.choice(every)})" for x in flat]
        return nested([str(x) for x in flat], shape)

    def like(self, v, dtype=None, **more):
        """Another variable that broadcasts with v: an existing one or a new leaf."""

        def fits(w):
            result_shape = broadcast(v.shape, w.shape)
            same = w is v and not self.chance(0.1)
            return (
                not same
                and result_shape is not None
                and product(result_shape) <= MAX_ELEMENTS
                and (dtype is None or w.dtype == dtype)
            )

        found = self.pick(fits) if self.chance(0.7) else None
        if found:
            return found
        shape = list(v.shape)
        for i in range(len(shape)):
            if self.chance(0.25):
                shape[i] = 1
        if self.chance(0.2):
            shape = shape[self.rng.randrange(len(shape) + 1) :]
        return self.leaf(shape, dtype or (v.dtype if self.chance(0.7) and v.dtype not in RARE else self.dtype()), **more)


def nested(flat, shape):
    if not shape:
        return flat[0]
    step = len(flat) // shape[0]
    return "[" + ", ".join(nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
