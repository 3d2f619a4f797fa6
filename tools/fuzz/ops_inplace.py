"""In-place changes of plain tensors and of views."""

from .ops_views import index
from .registry import op
from .state import INTS, broadcast

UNARY = """neg_ exp_ sin_ cos_ tanh_ sigmoid_ sqrt_ reciprocal_ square_ relu_ abs_ floor_ round_ trunc_ frac_ sign_
 zero_ erf_ expm1_
 log1p_ atan_ sinh_ rsqrt_ log_ nan_to_num_ conj_physical_""".split()
BINARY = """add_ sub_ mul_ div_ copy_ pow_ remainder_ fmod_ atan2_ hypot_ copysign_ logical_and_ eq_ lt_ float_power_""".split()
SIGNS = {"add_": "+=", "sub_": "-=", "mul_": "*=", "div_": "/=", "pow_": "**=", "remainder_": "%=", "floor_divide_": "//="}


def target(s, fits=lambda v: True):
    """A variable to change; rarely a leaf that requires grad, because changing one is an error."""
    return s.pick(lambda v: fits(v) and not v.shared and (not (v.leaf and v.grad) or s.chance(0.03)))


def argument(s, v, dtype=None):
    """An operand for an in-place change of v: its shape broadcasts to v's."""
    for _ in range(3):
        w = s.like(v, dtype=dtype or (v.dtype if s.chance(0.8) else None))
        # An operand that overlaps v would be read while v is written; at best this is refused.
        if w is not None and broadcast(v.shape, w.shape) == v.shape and (w.root != v.root or w.name == v.name):
            return w
    return None


@op(4)
def unary_in_place(s):
    v = target(s, lambda v: v.inexact or s.chance(0.3))
    name = s.choice(UNARY)
    return v and s.change(name, f"{v.name}.{name}()", v)


@op(7)
def binary_in_place(s):
    v = target(s)
    if v is None:
        return None
    name = s.choice(BINARY[:5] if s.chance(0.75) else BINARY)
    if s.chance(0.3):
        number = s.number(v.dtype)
        code = f"{v.name} {SIGNS[name]} {number}" if name in SIGNS and s.chance(0.5) else f"{v.name}.{name}({number})"
        return None if name in ("copy_", "atan2_", "hypot_", "logical_and_") else s.change(name, code, v)
    w = argument(s, v)
    if w is None:
        return None
    code = f"{v.name} {SIGNS[name]} {w.name}" if name in SIGNS and s.chance(0.4) else f"{v.name}.{name}({w.name})"
    if name in ("add_", "sub_") and s.chance(0.2) and v.dtype != "bool":
        code = f"{v.name}.{name}({w.name}, alpha=2)"
    return s.change(name, code, v, grad=w.grad)


@op(2)
def ternary_in_place(s):
    v = target(s, lambda v: v.inexact)
    w = v and argument(s, v, v.dtype)
    x = w and argument(s, v, v.dtype)
    if not x:
        return None
    name, code = s.choice((
        ("addcmul_", f"{v.name}.addcmul_({w.name}, {x.name}, value=2)"), ("addcdiv_", f"{v.name}.addcdiv_({w.name}, {x.name})"),
        ("lerp_", f"{v.name}.lerp_({w.name}, 0.25)"), ("lerp_", f"{v.name}.lerp_({w.name}, {x.name})"),
    ))  # fmt: skip
    return s.change(name, code, v, grad=w.grad or x.grad)


@op(2)
def fill(s):
    v = target(s)
    if v is None:
        return None
    n = s.number(v.dtype)
    name, code = s.choice((
        ("fill_", f"{v.name}.fill_({n})"), ("zero_", f"{v.name}.zero_()"), ("clamp_", f"{v.name}.clamp_(-1, 2)"),
        ("clamp_min_", f"{v.name}.clamp_min_({n})"), ("tril_", f"{v.name}.tril_()"), ("triu_", f"{v.name}.triu_(1)"),
        ("cumsum_", f"{v.name}.cumsum_({s.dim(v)})"), ("cumprod_", f"{v.name}.cumprod_({s.dim(v)})"),
        ("relu_", f"F.relu({v.name}, inplace=True)"), ("leaky_relu_", f"F.leaky_relu_({v.name}, 0.1)"),
        ("elu_", f"F.elu({v.name}, inplace=True)"), ("silu_", f"F.silu({v.name}, inplace=True)"),
        ("hardtanh_", f"F.hardtanh({v.name}, inplace=True)"), ("threshold_", f"F.threshold({v.name}, 0.5, 2.0, inplace=True)"),
        ("celu_", f"F.celu({v.name}, inplace=True)"), ("selu_", f"F.selu({v.name}, inplace=True)"),
    ))  # fmt: skip
    return s.change(name, code, v)


@op(4)
def set_item(s):
    v = target(s, lambda v: v.dim)
    if v is None:
        return None
    text, shape = index(s, v.shape)
    sign = s.choice(("=", "=", "+=", "*=", "-="))
    if s.chance(0.4):
        return s.change("setitem", f"{v.name}[{text}] {sign} {s.number(v.dtype)}", v)
    picked = type(v)("", shape, v.dtype, root=v.root)
    w = argument(s, picked)
    return w and s.change("setitem", f"{v.name}[{text}] {sign} {w.name}", v, grad=w.grad)


@op(3)
def set_advanced(s):
    v = target(s, lambda v: v.dim and v.shape[0])
    if v is None:
        return None
    n = v.shape[0]
    how = s.choice(("mask", "rows", "masked_fill_", "index_put_"))
    if how in ("mask", "masked_fill_"):
        m = s.like(v, dtype="bool") if how == "masked_fill_" else s.pick(lambda m: m.dtype == "bool" and m.shape == v.shape)
        m = m or s.leaf(v.shape, "bool")
        if m is None or broadcast(m.shape, v.shape) != v.shape:
            return None
        number = s.number(v.dtype)
        code = f"{v.name}[{m.name}] = {number}" if how == "mask" else f"{v.name}.masked_fill_({m.name}, {number})"
        return s.change("setitem" if how == "mask" else how, code, v)
    rows = [s.rng.randrange(n) for _ in range(s.rng.randint(1, 3))]
    w = argument(s, type(v)("", (len(rows), *v.shape[1:]), v.dtype, root=v.root), v.dtype)
    if w is None:
        return None
    if len(set(rows)) < len(rows) and how == "rows":
        rows = rows[:1]
        w = argument(s, type(v)("", (1, *v.shape[1:]), v.dtype, root=v.root), v.dtype)
        if w is None:
            return None
    if how == "rows":
        return s.change("setitem", f"{v.name}[{rows}] = {w.name}", v, grad=w.grad)
    add = len(set(rows)) < len(rows) or s.chance(0.5)
    code = f"{v.name}.index_put_((torch.tensor({rows}),), {w.name}, accumulate={add})"
    return s.change("index_put_", code, v, grad=w.grad)


@op(3)
def along(s):
    """index_add_, index_copy_, index_fill_, scatter_ and so on."""
    v = target(s, lambda v: v.dim and v.count)
    if v is None:
        return None
    d = s.dim(v)
    n = v.shape[d]
    name = s.choice(
        ("index_add_", "index_copy_", "index_fill_", "scatter_", "scatter_add_", "scatter_reduce_", "masked_scatter_")
    )
    if name in ("index_add_", "index_copy_", "index_fill_"):
        k = s.rng.randint(1, n)
        rows = s.rng.sample(range(n), k) if name != "index_add_" else [s.rng.randrange(n) for _ in range(k)]
        if name == "index_fill_":
            return s.change(name, f"{v.name}.index_fill_({d}, torch.tensor({rows}), {s.number(v.dtype)})", v)
        shape = list(v.shape)
        shape[d] = k
        w = s.pick(lambda w: list(w.shape) == shape and w.dtype == v.dtype and w.root != v.root) or s.leaf(shape, v.dtype)
        return w and s.change(name, f"{v.name}.{name}({d}, torch.tensor({rows}), {w.name})", v, grad=w.grad)
    if name == "masked_scatter_":
        m = s.leaf(v.shape, "bool")
        w = m and s.leaf(v.shape, v.dtype)
        return w and s.change(name, f"{v.name}.masked_scatter_({m.name}, {w.name})", v, grad=w.grad)
    if v.dim != 2 or v.dtype not in ("float32", "float64", "int64", "bfloat16", "complex64"):
        return None
    other = v.shape[1 - d % 2]
    rows = [s.rng.randrange(n) for _ in range(other)] if name != "scatter_" else [s.rng.randrange(n)] * other
    shape = (1, other) if d % 2 == 0 else (other, 1)
    w = s.leaf(shape, v.dtype)
    if w is None:
        return None
    more, called = "", name
    if name == "scatter_reduce_":
        if v.complex:
            return None
        more = f", reduce='{s.choice(('sum', 'prod', 'amax', 'amin', 'mean'))}'" + s.choice(("", ", include_self=False"))
        called = "scatter_extremes_alone_" if "am" in more and "include" in more else name
    code = f"{v.name}.{name}({d}, torch.tensor({rows}).reshape({shape}), {w.name}{more})"
    return s.change(called, code, v, grad=w.grad)


@op(1.5)
def metadata(s):
    """Changes the shape in place, not the numbers."""
    v = target(s, lambda v: 1 <= v.dim <= 4)
    if v is None:
        return None
    a, b = s.dim(v), s.dim(v)
    shape = list(v.shape)
    name = s.choice(("t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_"))
    if name in ("transpose_", "swapaxes_"):
        shape[a], shape[b] = shape[b], shape[a]
        return s.change(name, f"{v.name}.{name}({a}, {b})", v, shape=shape)
    if name == "t_":
        return s.change(name, f"{v.name}.t_()", v, shape=shape[::-1]) if v.dim == 2 else None
    if name == "unsqueeze_":
        return s.change(name, f"{v.name}.unsqueeze_(0)", v, shape=[1, *shape])
    return s.change(name, f"{v.name}.squeeze_()", v, shape=[n for n in shape if n != 1])


@op(0.7)
def without_graph(s):
    v = s.pick(lambda v: v.inexact and not v.shared)
    if v is None:
        return None
    code = s.choice((f"{v.name}.mul_(2)", f"{v.name}.add_(1)", f"{v.name}.zero_()"))
    if s.chance(0.3):
        return s.change("detach().mul_", f"{v.name}.detach().mul_(2)", v)
    return s.change(code[len(v.name) + 1 :].split("(")[0], f"with torch.no_grad(): {code}", v)


@op(0.3)
def detach_in_place(s):
    # The newest variable has no views yet. Views would keep the history, and PyTorch does not define what they may do then.
    v = s.pick(lambda v: v.grad and not v.leaf and v is s.vars[-1])
    return v and s.change("detach_", f"{v.name}.detach_()", v)


@op(0.7)
def out_argument(s):
    v = s.pick(lambda v: v.floating or v.dtype in INTS)
    o = v and s.pick(lambda o: o.dtype == v.dtype and not o.grad and not o.shared and o.root != v.root)
    if not o:
        return None
    name = s.choice(("neg", "abs", "square", "clone"))
    if name == "clone":
        name, code = "mul", f"with torch.no_grad(): torch.mul({v.name}, 2, out={o.name})"
    else:
        code = f"with torch.no_grad(): torch.{name}({v.name}, out={o.name})"
    return s.change(f"{name} out=", code, o, shape=v.shape)
