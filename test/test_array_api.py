"""The namespace of the array API standard 2025.12: its names and signatures, and where it differs from torch's own functions."""

import cmath
import inspect
import itertools
import math

import pytest

import torch

XP = torch.ones(1).__array_namespace__(api_version="2025.12")

REDUCTION = "x, /, *, axis, keepdims"
# Signatures of the standard; names not listed here have one or two positional arguments.
SIGNATURES = {
    "arange": "start, /, stop, step, *, dtype, device",
    "asarray": "obj, /, *, dtype, device, copy",
    "empty": "shape, *, dtype, device",
    "empty_like": "x, /, *, dtype, device",
    "eye": "n_rows, n_cols, /, *, k, dtype, device",
    "from_dlpack": "x, /, *, device, copy",
    "full": "shape, fill_value, *, dtype, device",
    "full_like": "x, /, fill_value, *, dtype, device",
    "linspace": "start, stop, /, num, *, dtype, device, endpoint",
    "meshgrid": "*arrays, indexing",
    "ones": "shape, *, dtype, device",
    "ones_like": "x, /, *, dtype, device",
    "tril": "x, /, *, k",
    "triu": "x, /, *, k",
    "zeros": "shape, *, dtype, device",
    "zeros_like": "x, /, *, dtype, device",
    "astype": "x, dtype, /, *, copy, device",
    "can_cast": "from_, to, /",
    "finfo": "type, /",
    "iinfo": "type, /",
    "isdtype": "dtype, kind",
    "result_type": "*arrays_and_dtypes",
    "clip": "x, /, min, max",
    "broadcast_arrays": "*arrays",
    "broadcast_shapes": "*shapes",
    "broadcast_to": "x, /, shape",
    "concat": "arrays, /, *, axis",
    "expand_dims": "x, /, axis",
    "flip": "x, /, *, axis",
    "moveaxis": "x, source, destination, /",
    "permute_dims": "x, /, axes",
    "repeat": "x, repeats, /, *, axis",
    "reshape": "x, /, shape, *, copy",
    "roll": "x, /, shift, *, axis",
    "squeeze": "x, /, axis",
    "stack": "arrays, /, *, axis",
    "tile": "x, repetitions, /",
    "unstack": "x, /, *, axis",
    "argmax": REDUCTION,
    "argmin": REDUCTION,
    "argsort": "x, /, *, axis, descending, stable",
    "sort": "x, /, *, axis, descending, stable",
    "nonzero": "x, /",
    "searchsorted": "x1, x2, /, *, side, sorter",
    "take": "x, indices, /, *, axis",
    "take_along_axis": "x, indices, /, *, axis",
    "where": "condition, x1, x2, /",
    "isin": "x1, x2, /, *, invert",
    "unique_all": "x, /",
    "unique_counts": "x, /",
    "unique_inverse": "x, /",
    "unique_values": "x, /",
    "all": REDUCTION,
    "any": REDUCTION,
    "count_nonzero": REDUCTION,
    "max": REDUCTION,
    "min": REDUCTION,
    "mean": REDUCTION,
    "sum": "x, /, *, axis, dtype, keepdims",
    "prod": "x, /, *, axis, dtype, keepdims",
    "std": "x, /, *, axis, correction, keepdims",
    "var": "x, /, *, axis, correction, keepdims",
    "cumulative_sum": "x, /, *, axis, dtype, include_initial",
    "cumulative_prod": "x, /, *, axis, dtype, include_initial",
    "diff": "x, /, *, axis, n, prepend, append",
    "matmul": "x1, x2, /",
    "matrix_transpose": "x, /",
    "tensordot": "x1, x2, /, *, axes",
    "vecdot": "x1, x2, /, *, axis",
}
UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan log
log10 log1p log2 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc""".split()
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal floor_divide
greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply nextafter
not_equal pow remainder subtract""".split()
SIGNATURES.update(dict.fromkeys(UNARY, "x, /") | dict.fromkeys(BINARY, "x1, x2, /"))
LINALG = {
    "cholesky": "x, /, *, upper",
    "cross": "x1, x2, /, *, axis",
    "diagonal": "x, /, *, offset",
    "matrix_norm": "x, /, *, keepdims, ord",
    "matrix_power": "x, n, /",
    "matrix_rank": "x, /, *, rtol",
    "outer": "x1, x2, /",
    "pinv": "x, /, *, rtol",
    "qr": "x, /, *, mode",
    "solve": "x1, x2, /",
    "svd": "x, /, *, full_matrices",
    "trace": "x, /, *, offset, dtype",
    "vector_norm": "x, /, *, axis, keepdims, ord",
    **dict.fromkeys("det eig eigh eigvals eigvalsh inv slogdet svdvals".split(), "x, /"),
    **{name: SIGNATURES[name] for name in ("matmul", "matrix_transpose", "tensordot", "vecdot")},
}
FFT = dict.fromkeys("fft ifft rfft irfft hfft ihfft".split(), "x, /, *, n, axis, norm")
FFT |= dict.fromkeys("fftn ifftn rfftn irfftn".split(), "x, /, *, s, axes, norm")
FFT |= dict.fromkeys(("fftshift", "ifftshift"), "x, /, *, axes")
FFT |= dict.fromkeys(("fftfreq", "rfftfreq"), "n, /, *, d, dtype, device")

INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64]


def shape_of(function):
    """A signature without defaults and annotations."""
    signature = inspect.signature(function)
    plain = [
        p.replace(default=inspect.Parameter.empty, annotation=inspect.Parameter.empty) for p in signature.parameters.values()
    ]
    return str(inspect.Signature(plain))[1:-1]


@pytest.mark.parametrize("module, expected", [("", SIGNATURES), ("linalg", LINALG), ("fft", FFT)], ids=["main", "linalg", "fft"])
def test_names_and_signatures(module, expected):
    space = getattr(XP, module) if module else XP
    assert {name: shape_of(getattr(space, name)) for name in expected} == expected
    assert set(expected) <= set(space.__all__)


def test_constants_dtypes_and_versions():
    assert (XP.e, XP.pi, XP.inf, XP.newaxis) == (math.e, math.pi, math.inf, None) and math.isnan(XP.nan)
    assert XP.__array_api_version__ == "2025.12" and torch.ones(1).__array_namespace__() is XP
    info = XP.__array_namespace_info__()
    for name, dtype in info.dtypes().items():
        assert getattr(XP, name) is dtype
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert info.default_dtypes()["real floating"] is torch.float32 and torch.device("cpu") in info.devices()
    with pytest.raises(ValueError, match="api_version"):
        torch.ones(1).__array_namespace__(api_version="1999.1")


def test_to_device():
    x = torch.ones(2)
    assert x.to_device("cpu") is x and x.to_device("meta").is_meta
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)


def test_promotion_is_by_dtype_alone():
    one = torch.tensor(1.0, dtype=torch.float64)
    assert torch.add(torch.ones(2), one).dtype == torch.float32  # PyTorch's rule
    assert XP.add(torch.ones(2), one).dtype == torch.float64
    assert XP.add(torch.ones(2), 1).dtype == XP.add(2.5, torch.ones(2)).dtype == torch.float32
    assert XP.multiply(torch.ones(2), 1j).dtype == torch.complex64
    with pytest.raises(TypeError, match="at least one argument must be a Tensor"):
        XP.add(1, 2)


def test_promotion_of_integers():
    expected = {
        (torch.uint8, torch.int8): torch.int16,
        (torch.uint16, torch.int8): torch.int32,
        (torch.uint16, torch.int64): torch.int64,
        (torch.uint32, torch.int32): torch.int64,
        (torch.uint8, torch.uint64): torch.uint64,
    }
    for (a, b), dtype in expected.items():
        assert XP.result_type(a, b) == XP.result_type(torch.ones(1, dtype=b), a) == dtype
    with pytest.raises(TypeError, match="no integer type holds both"):
        XP.result_type(torch.uint64, torch.int8)
    assert XP.can_cast(torch.int8, torch.int16) and not XP.can_cast(torch.uint64, torch.int64)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_of_every_width(dtype):
    limits = torch.iinfo(dtype)
    modulus = 2**limits.bits

    def wrapped(value):
        return (value - limits.min) % modulus + limits.min

    a, b = [limits.max, limits.min, 3, 7], [limits.max, 1, 2, 5]
    x, y = torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype)
    for name, function in {
        "add": lambda p, q: p + q,
        "subtract": lambda p, q: p - q,
        "multiply": lambda p, q: p * q,
        "maximum": max,
        "minimum": min,
        "bitwise_xor": lambda p, q: p ^ q,
        "floor_divide": lambda p, q: p // q,
        "remainder": lambda p, q: p % q,
    }.items():
        result = getattr(XP, name)(x, y)
        assert result.dtype == dtype and result.tolist() == [wrapped(function(p, q)) for p, q in zip(a, b)], name
    assert XP.square(x).tolist() == [wrapped(p * p) for p in a]
    assert XP.pow(x, torch.tensor(3, dtype=dtype)).tolist() == [wrapped(p**3) for p in a]
    assert XP.matmul(x, y).item() == XP.vecdot(x, y).item() == wrapped(sum(p * q for p, q in zip(a, b)))
    assert XP.linalg.outer(x, y)[1].tolist() == [wrapped(a[1] * q) for q in b]
    assert XP.isin(x, y).tolist() == [p in b for p in a] and XP.isin(x, y, invert=True).tolist() == [p not in b for p in a]
    wide = torch.uint64 if limits.min == 0 else torch.int64
    assert XP.sum(x).dtype == XP.prod(x).dtype == XP.cumulative_sum(x).dtype == wide
    for name in ("ceil", "floor", "round", "trunc"):
        assert torch.equal(getattr(XP, name)(x), x)


def test_large_exponents_of_uint64():
    x = torch.tensor([2, 3, 1], dtype=torch.uint64)
    assert XP.pow(x, torch.tensor(2**64 - 1, dtype=torch.uint64)).tolist() == [pow(v, 2**64 - 1, 2**64) for v in (2, 3, 1)]


def test_shifts_beyond_the_width():
    x = torch.tensor([-5, 5], dtype=torch.int8)
    assert XP.bitwise_left_shift(x, 8).tolist() == [0, 0] and XP.bitwise_right_shift(x, 100).tolist() == [-1, 0]
    assert XP.bitwise_right_shift(x, 1).tolist() == [-3, 2]


def test_signs():
    nan, inf = math.nan, math.inf
    x = XP.sign(torch.tensor([nan, -inf, -0.0, 2.0]))
    assert math.isnan(x[0]) and x[1:].tolist() == [-1, 0, 1]
    assert XP.sign(torch.tensor([3 + 4j, 0j])).tolist() == pytest.approx([0.6 + 0.8j, 0j])
    assert XP.maximum(torch.tensor([nan, 1.0]), 0.0).isnan().tolist() == [True, False]
    assert XP.round(torch.tensor([0.5 + 1.5j])).tolist() == [2j]


def test_manipulation():
    x = torch.arange(6).reshape(1, 2, 3)
    assert XP.expand_dims(x, axis=(0, -1)).shape == (1, 1, 2, 3, 1) and XP.squeeze(x, 0).shape == (2, 3)
    with pytest.raises(ValueError, match="axis 1 has size 2"):
        XP.squeeze(x, 1)
    assert XP.concat([torch.ones(2), torch.ones(1, 2, dtype=torch.float64)[0]]).dtype == torch.float64
    assert XP.concat([x, x], axis=None).shape == (12,) and XP.permute_dims(x, (2, 0, 1)).shape == (3, 1, 2)
    assert XP.reshape(x, (6,), copy=True).data_ptr() != x.data_ptr() == XP.reshape(x, (6,), copy=False).data_ptr()
    with pytest.raises(ValueError, match="needs a copy"):
        XP.reshape(x.mT, (6,), copy=False)
    assert XP.flip(x)[0, 0, 0] == 5 and XP.roll(x, 1)[0, 0, 0] == 5 and len(XP.unstack(x, axis=1)) == 2
    assert XP.broadcast_shapes((2, 1), (3,)) == (2, 3)
    with pytest.raises(ValueError):
        XP.broadcast_shapes((2,), (3,))


def test_reductions_over_no_axes_and_several():
    x = torch.arange(24.0).reshape(2, 3, 4)
    for name in ("sum", "prod", "mean", "max", "min"):
        assert torch.equal(getattr(XP, name)(x, axis=()), x)
        assert getattr(XP, name)(x, axis=(0, 2), keepdims=True).shape == (1, 3, 1)
    assert XP.all(x, axis=()).dtype == torch.bool and XP.count_nonzero(x, axis=(1, 2)).tolist() == [11, 12]
    assert XP.var(x, axis=(0, 1), correction=1.0).allclose(x.reshape(6, 4).var(0)) and XP.std(x).allclose(x.std(correction=0))
    assert XP.cumulative_sum(x[0, 0], include_initial=True).tolist() == [0, 0, 1, 3, 6]
    assert XP.cumulative_prod(x[0, 0] + 1, include_initial=True).tolist() == [1, 1, 2, 6, 24]
    assert XP.argmax(x, keepdims=True).shape == (1, 1, 1)
    with pytest.raises(ValueError, match="axis must be given"):
        XP.cumulative_sum(x)
    with pytest.raises(IndexError, match="out of range"):
        XP.sum(x, axis=3)


def test_searching_and_sets():
    x = torch.tensor([[3, 1, 3], [2, 1, 2]])
    values, indices, inverse, counts = XP.unique_all(x)
    assert values.tolist() == [1, 2, 3] and indices.tolist() == [1, 3, 0] and counts.tolist() == [2, 2, 2]
    assert torch.equal(values[inverse], x)
    nan = torch.tensor([math.nan, 1.0, math.nan])
    assert XP.unique_counts(nan).counts.tolist() == [1, 1, 1] and XP.unique_values(nan).shape == (3,)
    assert XP.take(x, torch.tensor([-1, 0], dtype=torch.int8), axis=1).tolist() == [[3, 3], [2, 2]]
    assert XP.take_along_axis(x, torch.tensor([[-1], [1]])).tolist() == [[3], [1]]
    sorter = torch.tensor([2, 0, 1])
    assert XP.searchsorted(torch.tensor([5.0, 9.0, 1.0]), torch.tensor([4.0, 9.0]), side="right", sorter=sorter).tolist() == [
        1,
        3,
    ]
    equal = torch.tensor([1, 0, 1, 0])
    assert XP.argsort(equal, descending=True).tolist() == [0, 2, 1, 3] and XP.sort(equal).tolist() == [0, 0, 1, 1]
    assert XP.where(torch.tensor([True, False]), 1, torch.zeros(2)).tolist() == [1.0, 0.0]


def test_linear_algebra():
    x = torch.tensor([[4.0, 1.0], [2.0, 3.0]], dtype=torch.float64)
    assert XP.linalg.eigvals(x).real.sort().values.tolist() == pytest.approx([2, 5])
    assert XP.linalg.solve(torch.stack([x, x, x]), torch.ones(2, dtype=torch.float64)).shape == (3, 2)
    assert XP.linalg.solve(x, torch.ones(5, 2, 1, dtype=torch.float64)).shape == (5, 2, 1)
    assert XP.linalg.trace(torch.tensor([[250, 1], [1, 250]], dtype=torch.uint8)).item() == 500
    assert XP.linalg.svd(x).Vh.shape == (2, 2) and XP.linalg.slogdet(x).logabsdet.item() == pytest.approx(math.log(10))
    assert XP.linalg.vector_norm(x, axis=()).tolist() == x.tolist()
    assert XP.vecdot(torch.tensor([1j]), torch.tensor([1j])).item() == 1
    with pytest.raises(ValueError, match="axis 1|axis must be"):
        XP.vecdot(x, x, axis=1)


def test_gradients_flow():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    XP.sum(XP.multiply(XP.clip(x, 0.0, 1.5), 3.0)).backward()
    assert x.grad.tolist() == [3.0, 0.0]


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, math.inf, -math.inf, math.nan]
# The C standard leaves these signs, or whether a part is zero, to the library.
UNSPECIFIED = {
    "acos": lambda z: math.isinf(z.real) and math.isnan(z.imag),
    "acosh": lambda z: z.real == 0 and math.isnan(z.imag),
    "asin": lambda z: math.isinf(z.real) and math.isnan(z.imag),
    "atan": lambda z: math.isinf(z.real) and math.isnan(z.imag),
    "cos": lambda z: z.real == 0 and math.isnan(z.imag),
    "cosh": lambda z: math.isnan(z.real) and z.imag == 0,
    "exp": lambda z: z.real == -math.inf and not math.isfinite(z.imag),
    "sin": lambda z: math.isnan(z.real) and (z.imag == 0 or math.isinf(z.imag)),
    "sinh": lambda z: z.real == 0 and math.isnan(z.imag),
    "tan": lambda z: (math.isinf(z.imag) and not math.isfinite(z.real)) or (z.imag == 0 and math.isnan(z.real)),
    "tanh": lambda z: (math.isinf(z.real) and not math.isfinite(z.imag)) or (z.real == 0 and math.isnan(z.imag)),
}


def same_part(a, b):
    if math.isnan(b):
        return math.isnan(a)
    if b == 0 or math.isinf(b):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return math.isclose(a, b, rel_tol=1e-12)


@pytest.mark.parametrize("name", "acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh".split())
def test_special_values_of_complex_functions(name):
    """As Annex G of the C standard has them, in vectors and in the rest behind the last vector."""
    grid = [complex(a, b) for a, b in itertools.product(SPECIAL, repeat=2)]
    results = getattr(XP, name)(torch.tensor(grid * 2 + grid[:3], dtype=torch.complex128)).tolist()
    wrong = []
    for z, value in zip(grid * 2 + grid[:3], results):
        if UNSPECIFIED.get(name, lambda z: False)(z):
            continue
        try:
            expected = getattr(cmath, name)(z)
        except (ValueError, OverflowError):  # Python raises where the C function returns infinities or NaN
            continue
        if not (same_part(value.real, expected.real) and same_part(value.imag, expected.imag)):
            wrong.append((z, value, expected))
    assert not wrong
