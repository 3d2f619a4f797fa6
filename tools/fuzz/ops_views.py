"""Views, and views of views."""

from .registry import op
from .state import COMPLEX, broadcast, product


def index(s, shape, tensors=False):
    """A basic index as text, and the shape of its result."""
    parts, found, left = [], [], list(shape)
    if s.chance(0.15):
        keep = s.rng.randrange(len(left) + 1)
        skipped, left = left[: len(left) - keep], left[len(left) - keep :]
        parts.append("...")
        found += skipped
    for n in left:
        what = s.rng.random()
        if what < 0.25 and n:
            i = s.rng.randrange(n)
            parts.append(str(i - n if s.chance(0.4) else i))
        elif what < 0.32:
            parts.append("None, :")
            found += [1, n]
        elif what < 0.7:
            start, stop, step = s.rng.randint(-n, n), s.rng.randint(-n, n + 1), s.choice((1, 1, 2, 3))
            start, stop = s.choice(("", start, 0)), s.choice(("", stop, max(n - 1, 0)))
            parts.append(f"{start}:{stop}" + (f":{step}" if step > 1 else ""))
            found.append(len(range(*slice(None if start == "" else start, None if stop == "" else stop, step).indices(n))))
        elif what < 0.9:
            parts.append(":")
            found.append(n)
        else:
            parts.append(":")
            found.append(n)
    while parts and parts[-1] == ":" and s.chance(0.6):
        parts.pop()
    return ", ".join(parts) or "...", tuple(found)


@op(5)
def basic_index(s):
    v = s.pick(lambda v: v.dim)
    if v is None:
        return None
    text, shape = index(s, v.shape)
    return s.add("getitem", f"{v.name}[{text}]", shape, v.dtype, v.grad)


@op(4)
def reorder(s):
    v = s.pick(lambda v: v.dim >= 1)
    if v is None:
        return None
    a, b = s.dim(v), s.dim(v)
    shape = list(v.shape)
    name = s.choice(("transpose", "permute", "t", "T", "mT", "swapaxes", "movedim"))
    if name in ("transpose", "swapaxes"):
        shape[a], shape[b] = shape[b], shape[a]
        code = f"{v.name}.{name}({a}, {b})"
    elif name == "permute":
        order = s.rng.sample(range(v.dim), v.dim)
        shape = [v.shape[i] for i in order]
        code = f"{v.name}.permute({tuple(order)})"
    elif name == "movedim":
        order = list(range(v.dim))
        order.insert(b % v.dim, order.pop(a % v.dim))
        shape = [v.shape[i] for i in order]
        code = f"torch.movedim({v.name}, {a}, {b})"
    elif name == "mT":
        if v.dim < 2:
            return None
        shape[-1], shape[-2] = shape[-2], shape[-1]
        code = f"{v.name}.mT"
    else:
        if v.dim > 2:
            return None
        shape.reverse()
        code = f"{v.name}.t()" if name == "t" else f"{v.name}.T"
    return s.add(name, code, shape, v.dtype, v.grad)


@op(4)
def reshaped(s):
    v = s.pick()
    if v is None:
        return None
    name = s.choice(("view", "reshape", "flatten", "ravel", "unflatten", "view_as", "reshape_as"))
    if name in ("flatten", "ravel"):
        if name == "flatten" and v.dim > 1 and s.chance(0.5):
            a = s.rng.randrange(v.dim - 1)
            b = s.rng.randrange(a, v.dim)
            shape = v.shape[:a] + (product(v.shape[a : b + 1]),) + v.shape[b + 1 :]
            return s.add(name, f"{v.name}.flatten({a}, {b})", shape, v.dtype, v.grad)
        return s.add(name, f"{v.name}.{name}()", (v.count,), v.dtype, v.grad)
    if name == "unflatten":
        even = [i for i in range(v.dim) if v.shape[i] and v.shape[i] % 2 == 0]
        if not even:
            return None
        d = s.choice(even)
        shape = v.shape[:d] + (2, v.shape[d] // 2) + v.shape[d + 1 :]
        return s.add(name, f"{v.name}.unflatten({d}, (2, -1))", shape, v.dtype, v.grad)
    if name in ("view_as", "reshape_as"):
        w = s.pick(lambda w: w.count == v.count)
        return s.add(name, f"{v.name}.{name}({w.name})", w.shape, v.dtype, v.grad)
    shape = regroup(s, v)
    requested = list(shape)
    if requested and v.count and s.chance(0.4):
        requested[s.rng.randrange(len(requested))] = -1
    return s.add(name, f"{v.name}.{name}({tuple(requested)})", shape, v.dtype, v.grad)


def regroup(s, v):
    """Another shape with the same number of elements; often one that a strided view allows."""
    if s.chance(0.5) and v.dim > 1:
        d = s.rng.randrange(v.dim - 1)
        return v.shape[:d] + (v.shape[d] * v.shape[d + 1],) + v.shape[d + 2 :]
    left, shape = v.count, []
    for p in (2, 3, 5, 7):
        while left and left % p == 0:
            left //= p
            if shape and s.chance(0.4):
                shape[s.rng.randrange(len(shape))] *= p
            else:
                shape.insert(s.rng.randrange(len(shape) + 1), p)
    if left != 1:
        shape.append(left)
    return tuple(shape[:5] if product(shape[:5]) == v.count else (v.count,))


@op(3)
def squeezed(s):
    v = s.pick(lambda v: v.dim < 5)
    if v is None:
        return None
    ones = [i for i, n in enumerate(v.shape) if n == 1]
    if ones and s.chance(0.6):
        if s.chance(0.4):
            return s.add("squeeze", f"{v.name}.squeeze()", [n for n in v.shape if n != 1], v.dtype, v.grad)
        d = s.choice(ones)
        shape = v.shape[:d] + v.shape[d + 1 :]
        ask = f"({d},)" if s.chance(0.2) else d
        return s.add("squeeze", f"{v.name}.squeeze({ask})", shape, v.dtype, v.grad)
    d = s.rng.randrange(v.dim + 1)
    return s.add("unsqueeze", f"{v.name}.unsqueeze({d})", v.shape[:d] + (1,) + v.shape[d:], v.dtype, v.grad)


@op(3)
def part(s):
    v = s.pick(lambda v: v.dim and v.count)
    if v is None:
        return None
    d = s.dim(v)
    n = v.shape[d]
    name = s.choice(("select", "narrow", "unfold", "diagonal"))
    if name == "select":
        code, shape = f"{v.name}.select({d}, {s.rng.randrange(-n, n)})", v.shape[: d % v.dim] + v.shape[d % v.dim + 1 :]
    elif name == "narrow":
        start = s.rng.randrange(n)
        length = s.rng.randint(1, n - start)
        code, shape = f"{v.name}.narrow({d}, {start}, {length})", list(v.shape)
        shape[d] = length
    elif name == "unfold":
        size, step = s.rng.randint(1, n), s.choice((1, 1, 2))
        shape = list(v.shape)
        shape[d] = (n - size) // step + 1
        code, shape = f"{v.name}.unfold({d}, {size}, {step})", [*shape, size]
    else:
        if v.dim < 2:
            return None
        offset = s.choice((0, 0, 1, -1))
        a, b = s.rng.sample(range(v.dim), 2)
        length = min(v.shape[a] + min(offset, 0), v.shape[b] - max(offset, 0))
        code = f"torch.diagonal({v.name}, {offset}, {a}, {b})"
        shape = [n for i, n in enumerate(v.shape) if i not in (a, b)] + [max(length, 0)]
    return s.add(name, code, shape, v.dtype, v.grad)


@op(3)
def expand(s):
    v = s.pick(lambda v: v.dim < 4)
    if v is None:
        return None
    name = s.choice(("expand", "broadcast_to", "expand_as"))
    if name == "expand_as":
        w = s.pick(lambda w: broadcast(v.shape, w.shape) == w.shape)
        return w and s.add(name, f"{v.name}.expand_as({w.name})", w.shape, v.dtype, v.grad)
    shape = [s.choice((2, 3)) if n == 1 and s.chance(0.8) else n for n in v.shape]
    if s.chance(0.5):
        shape = [s.choice((1, 2, 3)), *shape]
    requested = [
        -1 if i >= len(shape) - v.dim and s.chance(0.2) and n == v.shape[i - len(shape)] else n for i, n in enumerate(shape)
    ]
    code = f"{v.name}.expand({tuple(requested)})" if name == "expand" else f"torch.broadcast_to({v.name}, {tuple(shape)})"
    return s.add(name, code, shape, v.dtype, v.grad)


@op(3)
def pieces(s):
    v = s.pick(lambda v: v.dim and 0 < v.shape[0] <= 5)
    if v is None:
        return None
    d = s.dim(v)
    n = v.shape[d]
    if not 0 < n <= 5:
        return None

    def cut(sizes):
        return [(v.shape[: d % v.dim] + (k,) + v.shape[d % v.dim + 1 :], v.dtype, v.grad) for k in sizes]

    name = s.choice(("chunk", "split", "tensor_split", "unbind", "split_sizes"))
    if name == "unbind":
        shape = v.shape[: d % v.dim] + v.shape[d % v.dim + 1 :]
        return s.add_many(name, f"{v.name}.unbind({d})", [(shape, v.dtype, v.grad)] * n)
    if name == "split":
        k = s.rng.randint(1, n)
        return s.add_many(name, f"{v.name}.split({k}, {d})", cut([min(k, n - i) for i in range(0, n, k)]))
    if name == "split_sizes":
        k = s.rng.randint(0, n)
        return s.add_many("split", f"{v.name}.split([{k}, {n - k}], {d})", cut([k, n - k]))
    if name == "chunk":
        k = -(-n // s.choice((1, 2, 3)))
        return s.add_many(name, f"{v.name}.chunk({-(-n // k)}, {d})", cut([min(k, n - i) for i in range(0, n, k)]))
    return s.add_many(name, f"{v.name}.tensor_split(2, {d})", cut([n - n // 2, n // 2]))


@op(1)
def strided(s):
    v = s.pick(lambda v: v.count >= 4)
    if v is None:
        return None
    n = v.count
    dims = s.choice((1, 2))
    shape = tuple(s.rng.randint(1, 3) for _ in range(dims))
    strides = tuple(s.choice((0, 1, 1, 2)) for _ in range(dims))
    last = sum((k - 1) * t for k, t in zip(shape, strides))
    offset = s.rng.randint(0, max(n - 1 - last, 0))
    ask = f", {offset}" if s.chance(0.7) else ""
    return s.add("as_strided", f"{v.name}.as_strided({shape}, {strides}{ask})", shape, v.dtype, v.grad)


@op(1.2)
def complex_views(s):
    v = s.pick(lambda v: v.dtype in COMPLEX)
    if v is not None and s.chance(0.7):
        real = "float32" if v.dtype == "complex64" else "float64"
        name, code, shape = s.choice((
            ("real", f"{v.name}.real", v.shape), ("imag", f"{v.name}.imag", v.shape),
            ("view_as_real", f"torch.view_as_real({v.name})", (*v.shape, 2)),
        ))  # fmt: skip
        return s.add(name, code, shape, real, v.grad)
    v = s.pick(lambda v: v.dtype in ("float32", "float64") and v.dim and v.shape[-1] == 2)
    dtype = v and ("complex64" if v.dtype == "float32" else "complex128")
    return v and s.add("view_as_complex", f"torch.view_as_complex({v.name})", v.shape[:-1], dtype, v.grad)


BITS = {"int32": "float32", "int64": "float64", "int16": "float16", "uint8": "int8", "float32": "int32", "float64": "int64"}


@op(0.5)
def bits_as(s):
    v = s.pick(lambda v: v.dtype in BITS)
    if v is None:
        return None
    # The sign of a NaN is unspecified, and rounding changes bits, so only whole numbers are viewed as integers.
    shown = f"{v.name}.detach().nan_to_num().round()" if v.floating else v.name
    return s.add("view_dtype", f"{shown}.view(torch.{BITS[v.dtype]})", v.shape, BITS[v.dtype])


@op(0.6)
def small_views(s):
    v = s.pick(lambda v: v.dim <= 2)
    if v is None:
        return None
    n = s.choice((1, 2, 3))
    shape = {1: v.shape or (1,), 2: (1,) * (2 - v.dim) + v.shape}.get(n)
    if n == 3:
        shape = {0: (1, 1, 1), 1: (1, *v.shape, 1), 2: (*v.shape, 1)}[v.dim]
    return s.add(f"atleast_{n}d", f"torch.atleast_{n}d({v.name})", shape, v.dtype, v.grad)


@op(0.8)
def no_grad_view(s):
    """A view created without a graph, which may later be changed with one."""
    v = s.pick(lambda v: v.dim and v.shape[0])
    if v is None:
        return None
    made = s.add("getitem", f"{v.name}[0]", v.shape[1:], v.dtype)
    if made:
        step = s.program.steps[-1]
        step.code = f"with torch.no_grad(): {step.code}"
    return made
