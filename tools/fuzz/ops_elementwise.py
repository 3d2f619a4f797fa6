"""Elementwise steps: unary, binary, ternary, conversions."""

from .registry import op
from .state import COMPLEX, FLOATS, INTS, broadcast, promote

SMOOTH = """abs neg exp sin cos tanh sigmoid sqrt rsqrt reciprocal square relu erf erfc expm1 log1p log log2 log10 tan
 asin acos atan sinh cosh asinh acosh atanh lgamma digamma erfinv exp2 sinc logit positive deg2rad rad2deg sgn""".split()
ROUNDING = "floor ceil round trunc frac sign nan_to_num".split()
TESTS = "signbit logical_not isnan isinf isfinite isposinf isneginf".split()
COMPLEX_TOO = set(
    """abs neg exp sin cos tanh sigmoid sqrt rsqrt reciprocal square log log2 log10 tan asin acos atan sinh cosh asinh
 acosh atanh positive sgn exp2 expm1 log1p sinc""".split()
)
ACTIVATIONS = """relu gelu silu softplus hardtanh hardswish hardsigmoid elu selu celu leaky_relu mish softsign logsigmoid relu6
 tanhshrink hardshrink softshrink""".split()
ARITHMETIC = "add sub mul div true_divide maximum minimum".split()
INEXACT = "fmax fmin atan2 hypot copysign logaddexp logaddexp2 float_power pow remainder fmod floor_divide xlogy".split()
COMPARE = "eq ne lt le gt ge logical_and logical_or logical_xor".split()
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm".split()
SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "remainder": "%", "floor_divide": "//", "eq": "==",
           "lt": "<", "ge": ">=", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}  # fmt: skip


def floated(dtype):
    return "float32" if dtype in INTS or dtype == "bool" else dtype


def real_of(dtype):
    return {"complex64": "float32", "complex128": "float64", "complex32": "float16"}.get(dtype, dtype)


@op(6)
def unary(s):
    name = s.choice(SMOOTH if s.chance(0.75) else ROUNDING)
    # PyTorch runs out of memory in some graphs with sgn of real numbers (its zero tensors).
    v = s.pick(lambda v: name in COMPLEX_TOO if v.complex else name != "sgn")
    if v is None:
        return None
    dtype = real_of(v.dtype) if name == "abs" else v.dtype
    if name in SMOOTH and name not in ("abs", "neg", "square", "relu", "positive", "sgn"):
        dtype = floated(v.dtype)
    code = f"torch.{name}({v.name})" if s.chance(0.6) else f"{v.name}.{name}()"
    if name == "neg" and s.chance(0.5):
        code = f"-{v.name}"
    return s.add(name, code, v.shape, dtype, v.grad)


@op(1)
def test(s):
    v = s.pick()
    name = s.choice(TESTS)
    return v and s.add(name, f"torch.{name}({v.name})", v.shape, "bool")


@op(0.5)
def unary_int(s):
    v = s.pick(lambda v: v.dtype in INTS or v.dtype == "bool")
    return v and s.add("bitwise_not", f"~{v.name}", v.shape, v.dtype)


@op(2)
def activation(s):
    v = s.pick(lambda v: v.floating)
    name = s.choice(ACTIVATIONS)
    return v and s.add(name, f"F.{name}({v.name})", v.shape, v.dtype, v.grad)


@op(0.7)
def activation_with_numbers(s):
    v = s.pick(lambda v: v.floating)
    if v is None:
        return None
    a = s.choice(("0.1", "0.5", "1.5"))
    name, code = s.choice((
        ("leaky_relu", f"F.leaky_relu({v.name}, {a})"), ("elu", f"F.elu({v.name}, {a})"), ("celu", f"F.celu({v.name}, {a})"),
        ("softplus", f"F.softplus({v.name}, beta={a}, threshold=2)"), ("threshold", f"F.threshold({v.name}, {a}, -1.0)"),
        ("hardshrink", f"F.hardshrink({v.name}, {a})"), ("softshrink", f"F.softshrink({v.name}, {a})"),
        ("gelu", f"F.gelu({v.name}, approximate='tanh')"), ("hardtanh", f"F.hardtanh({v.name}, -{a}, {a})"),
        ("logit", f"torch.logit({v.name}, eps=0.1)"), ("polygamma", f"torch.polygamma(1, {v.name})"),
        ("round", f"torch.round({v.name}, decimals=1)"),
    ))  # fmt: skip
    return s.add(name, code, v.shape, v.dtype, v.grad)


@op(8)
def binary(s):
    name = s.choice(ARITHMETIC if s.chance(0.65) else INEXACT)
    plain = name in ("maximum", "minimum", *INEXACT) and name not in ("pow", "float_power")
    v = s.pick(lambda v: not (plain and v.complex))
    if v is None:
        return None
    w = s.like(v)
    if w is None or (plain and w.complex):
        return None
    if s.chance(0.15):
        v, w = w, v
    dtype = promote(v, w)
    if name in ("div", "true_divide", "atan2", "hypot", "copysign", "logaddexp", "logaddexp2", "xlogy"):
        dtype = floated(dtype)
    if name == "float_power":
        dtype = "complex128" if v.complex or w.complex else "float64"
    code = f"torch.{name}({v.name}, {w.name})"
    if name in SYMBOLS and s.chance(0.5):
        code = f"{v.name} {SYMBOLS[name]} {w.name}"
    elif name in ("add", "sub") and s.chance(0.3) and dtype != "bool":
        code = f"torch.{name}({v.name}, {w.name}, alpha={s.number(dtype)})"
    elif name == "div" and s.chance(0.2) and not (v.complex or w.complex):
        dtype = promote(v, w)
        code = f"torch.div({v.name}, {w.name}, rounding_mode='{s.choice(('floor', 'trunc'))}')"
    return s.add(name, code, broadcast(v.shape, w.shape), dtype, v.grad or w.grad)


@op(5)
def with_number(s):
    name = s.choice(("add", "sub", "mul", "div", "pow", "remainder", "floor_divide", "maximum", "eq", "lt", "ge", "fmod"))
    v = s.pick(lambda v: not v.complex or name in ("add", "sub", "mul", "div", "pow", "eq"))
    if v is None:
        return None
    number = s.number(s.choice((v.dtype, v.dtype, "float32", "int64", "bool")))
    if s.chance(0.03):
        number = s.choice(("1j", "2.5 - 1j"))
    dtype = v.dtype
    if "." in number and not v.inexact:
        dtype = "float32"
    elif "j" in number:
        dtype = {"float64": "complex128"}.get(v.dtype, "complex64") if not v.complex else v.dtype
    elif v.dtype == "bool" and number not in ("True", "False"):
        dtype = "int64"
    if name == "div":
        dtype = floated(dtype)
    if name in ("eq", "lt", "ge"):
        dtype = "bool"
    if name == "maximum":
        name, code = "clamp_min", f"torch.clamp_min({v.name}, {number})"
    elif name in SYMBOLS and s.chance(0.7):
        swap = s.chance(0.3)
        code = f"({number}) {SYMBOLS[name]} {v.name}" if swap else f"{v.name} {SYMBOLS[name]} ({number})"
    else:
        code = f"torch.{name}({v.name}, {number})"
    return s.add(name, code, v.shape, dtype, v.grad)


@op(2)
def compare(s):
    name = s.choice(COMPARE)
    v = s.pick(lambda v: not v.complex)
    w = v and s.like(v)
    if w is None or w.complex:
        return None
    return s.add(name, f"torch.{name}({v.name}, {w.name})", broadcast(v.shape, w.shape), "bool")


@op(1)
def bits(s):
    name = s.choice(BITS)
    v = s.pick(lambda v: v.dtype in INTS)
    w = v and s.like(v, dtype=v.dtype if s.chance(0.6) else s.choice(INTS))
    if w is None or w.dtype not in INTS:
        return None
    return s.add(name, f"torch.{name}({v.name}, {w.name})", broadcast(v.shape, w.shape), promote(v, w))


@op(2.5)
def ternary(s):
    v = s.pick(lambda v: v.inexact)
    if v is None:
        return None
    w = s.like(v, dtype=v.dtype)
    x = s.like(v, dtype=v.dtype)
    shape = broadcast(v.shape, w.shape, x.shape)
    if shape is None:
        return None
    a, b, c = v.name, w.name, x.name
    name, code = s.choice((
        ("addcmul", f"torch.addcmul({a}, {b}, {c}, value={s.number(v.dtype)})"),
        ("addcdiv", f"torch.addcdiv({a}, {b}, {c}, value={s.number(v.dtype)})"),
        ("lerp", f"torch.lerp({a}, {b}, {c})"), ("lerp", f"torch.lerp({a}, {b}, 0.25)"),
    ))  # fmt: skip
    if name == "lerp" and "0.25" in code:
        shape = broadcast(v.shape, w.shape)
    return s.add(name, code, shape, v.dtype, v.grad or w.grad or x.grad)


@op(2)
def where(s):
    v = s.pick()
    w = v and s.like(v)
    m = w and s.like(v, dtype="bool")
    shape = m and broadcast(v.shape, w.shape, m.shape)
    if not m or shape is None:
        return None
    if s.chance(0.2):
        return s.add(
            "where", f"torch.where({m.name}, {v.name}, {s.number(v.dtype)})", broadcast(v.shape, m.shape), v.dtype, v.grad
        )
    return s.add("where", f"torch.where({m.name}, {v.name}, {w.name})", shape, promote(v, w), v.grad or w.grad)


@op(1)
def clamp(s):
    v = s.pick(lambda v: not v.complex and v.dtype != "bool")
    if v is None:
        return None
    if s.chance(0.5):
        low, high = s.choice((("-1", "2"), ("-0.5", "0.5"), ("None", "1"), ("0", "None"), ("2", "1")))
        dtype = "float32" if "." in low and not v.floating else v.dtype
        return s.add("clamp", f"torch.clamp({v.name}, {low}, {high})", v.shape, dtype, v.grad)
    w, x = s.like(v, dtype=v.dtype), s.like(v, dtype=v.dtype)
    shape = broadcast(v.shape, w.shape, x.shape)
    return shape and s.add("clamp", f"torch.clamp({v.name}, {w.name}, {x.name})", shape, v.dtype, v.grad or w.grad or x.grad)


@op(2)
def convert(s):
    v = s.pick()
    if v is None:
        return None
    dtype = s.dtype()
    how = s.choice((".to(torch.{})", ".type(torch.{})", ".to({}, copy=True)"))
    code = f"{v.name}.to(torch.{dtype}, copy=True)" if "copy" in how else v.name + how.format(dtype)
    if dtype in ("float32", "float64", "int64", "bool", "float16") and s.chance(0.3):
        names = {"float32": "float", "float64": "double", "int64": "long", "float16": "half"}
        code = f"{v.name}.{names.get(dtype, dtype)}()"
    return s.add("to", code, v.shape, dtype, v.grad)


@op(0.8)
def complex_parts(s):
    if s.chance(0.4):
        v = s.pick(lambda v: v.dtype in ("float32", "float64"))
        w = v and s.like(v, dtype=v.dtype)
        if not w:
            return None
        name = s.choice(("complex", "polar"))
        dtype = "complex64" if v.dtype == "float32" else "complex128"
        return s.add(name, f"torch.{name}({v.name}, {w.name})", broadcast(v.shape, w.shape), dtype, v.grad or w.grad)
    v = s.pick(lambda v: v.dtype in COMPLEX)
    name = s.choice(("angle", "conj", "conj_physical", "abs", "sgn", "resolve_conj"))
    if v is None:
        return None
    dtype = real_of(v.dtype) if name in ("angle", "abs") else v.dtype
    call = f"{v.name}.resolve_conj()" if name == "resolve_conj" else f"torch.{name}({v.name})"
    return s.add(name, call, v.shape, dtype, v.grad)


@op(1)
def copies(s):
    v = s.pick()
    if v is None:
        return None
    name, code, grad = s.choice((
        ("clone", f"{v.name}.clone()", True), ("detach", f"{v.name}.detach()", False),
        ("contiguous", f"{v.name}.contiguous()", True),
        ("zeros_like", f"torch.zeros_like({v.name})", False),
        ("full_like", f"torch.full_like({v.name}, {s.number(v.dtype)})", False),
        ("clone", f"{v.name}.clone(memory_format=torch.contiguous_format)", True), ("mul", f"{v.name} * 1", True),
        ("new_zeros", f"{v.name}.new_zeros({v.shape})", False), ("ones_like", f"torch.ones_like({v.name})", False),
    ))  # fmt: skip
    return s.add(name, code, v.shape, "int64" if name == "mul" and v.dtype == "bool" else v.dtype, v.grad and grad)


@op(0.3)
def heaviside_and_friends(s):
    v = s.pick(lambda v: v.dtype in FLOATS)
    w = v and s.like(v, dtype=v.dtype)
    name = s.choice(("heaviside", "nextafter", "isclose", "ldexp", "rsub", "dist"))
    if not w:
        return None
    shape = () if name == "dist" else broadcast(v.shape, w.shape)
    dtype = "bool" if name == "isclose" else v.dtype
    return s.add(name, f"torch.{name}({v.name}, {w.name})", shape, dtype, v.grad or w.grad)
