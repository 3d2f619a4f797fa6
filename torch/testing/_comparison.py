"""assert_close."""

from __future__ import annotations

import cmath
from collections import namedtuple
from collections.abc import Mapping, Sequence

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}
_LAYOUTS = (torch.strided,)


def default_tolerances(*inputs: Any) -> tuple[float, float]:
    """(rtol, atol) of the least precise of tensors or dtypes."""
    pairs = [_TOLERANCES.get(x.dtype if isinstance(x, torch.Tensor) else x, (0.0, 0.0)) for x in inputs]
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


_Settings = namedtuple("_Settings", "subclasses rtol atol equal_nan device dtype layout stride msg")


class _Failure(Exception):
    """A difference, which propagates out of nested containers."""

    def __init__(self, kind, text, place=()):
        super().__init__(text)
        self.kind, self.text, self.place = kind, text, place


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: Any = None,
) -> None:  # fmt: skip
    """Raise an AssertionError unless abs(actual - expected) <= atol + rtol * abs(expected) everywhere.

    Args:
        actual (Any): tensors, numbers, NumPy arrays, and sequences and mappings of them
        expected (Any): what it should be
        allow_subclasses (bool, default True): types may differ
        rtol (float, optional): the relative tolerance; the dtypes say it, unless both are given
        atol (float, optional): the absolute tolerance
        equal_nan (bool, default False): NaN equals NaN
        check_device (bool, default True): compare devices
        check_dtype (bool, default True): compare dtypes
        check_layout (bool, default True): compare layouts
        check_stride (bool, default False): compare strides
        msg (str or function, optional): the message, or a function of it

    Raises:
        AssertionError: they differ
        ValueError: only one tolerance is given
        TypeError: there is no way to compare them

    Example:
        >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
        >>> torch.testing.assert_close([1, 2], [1, 3])
        Traceback (most recent call last):
        AssertionError: 2 is not 3
    """
    __tracebackhide__ = True
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    settings = _Settings(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, msg)
    try:
        _compare(actual, expected, settings)
    except _Failure as failure:
        text = failure.text
        if failure.place:
            text += "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in failure.place)
        if msg is not None:
            text = msg(text) if callable(msg) else msg
        kind = failure.kind
    else:
        return
    raise kind(text)


def _compare(actual, expected, s):
    if isinstance(actual, Sequence) and isinstance(expected, Sequence) and not isinstance(actual, str):
        if len(actual) != len(expected):
            raise _Failure(AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        _each(range(len(actual)), actual, expected, s)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        missing, extra = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        if missing or extra:
            raise _Failure(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(extra)}",
            )
        _each(sorted(actual, key=str), actual, expected, s)
    elif actual is None or expected is None:
        if actual is not expected:
            raise _Failure(AssertionError, f"None mismatch: {actual} is not {expected}")
    elif isinstance(actual, bool) and isinstance(expected, bool):
        if actual is not expected:
            raise _Failure(AssertionError, f"Booleans mismatch: {actual} is not {expected}")
    elif _number(actual) and _number(expected):
        _numbers(actual, expected, s)
    else:
        _tensors(*_as_tensors(actual, expected, s), s)


def _each(keys, actual, expected, s):
    for key in keys:
        try:
            _compare(actual[key], expected[key], s)
        except _Failure as failure:
            failure.place = (key, *failure.place)
            raise


def _number(value):
    return isinstance(value, (int, float, complex))


def _as_tensors(actual, expected, s):
    direct = isinstance(actual, torch.Tensor) and isinstance(expected, torch.Tensor)
    if not s.subclasses and type(actual) is not type(expected):
        raise _Failure(
            AssertionError,
            f"None of the pairs can compare: the types {type(actual)} and {type(expected)} are not equal, and "
            "subclasses are not allowed",
        )
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not direct and not related:
        raise _Failure(TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.")
    try:
        pair = [x if isinstance(x, torch.Tensor) else torch.as_tensor(x) for x in (actual, expected)]
    except Exception:
        raise _Failure(
            TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
        ) from None
    return pair


def _tolerances(s, *like):
    return default_tolerances(*like) if s.rtol is None else (s.rtol, s.atol)


def _numbers(actual, expected, s):
    kinds = {int: torch.int64, float: torch.float64, complex: torch.complex128, bool: torch.bool}
    dtypes = [kinds[next(kind for kind in (bool, int, float, complex) if isinstance(x, kind))] for x in (actual, expected)]
    rtol, atol = _tolerances(s, *dtypes)
    if s.dtype and type(actual) is not type(expected):
        raise _Failure(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.")
    if actual == expected or s.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
        return
    distance, allowed = abs(actual - expected), atol + rtol * abs(expected)
    if cmath.isfinite(distance) and distance <= allowed:
        return
    word = "equal" if rtol == atol == 0 else "close"
    head = f"Scalars are not {word}!\n\nExpected {expected} but got {actual}.\n"
    relative = distance / abs(expected) if expected != 0 else float("inf")
    raise _Failure(AssertionError, head + _distances(distance, atol, relative, rtol))


def _distances(distance, atol, relative, rtol, at="", relative_at=""):
    up = "" if rtol == atol == 0 else f" (up to {atol} allowed)"
    relative_up = "" if rtol == atol == 0 else f" (up to {rtol} allowed)"
    name = "Greatest absolute" if at else "Absolute"
    other = "Greatest relative" if at else "Relative"
    return f"{name} difference: {distance}{at}{up}\n{other} difference: {relative}{relative_at}{relative_up}"


def _tensors(actual, expected, s):
    if actual.shape != expected.shape:
        raise _Failure(AssertionError, f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.")
    for is_checked, name in ((s.layout, "layout"), (s.device, "device"), (s.dtype, "dtype")):
        mine, theirs = getattr(actual, name), getattr(expected, name)
        if is_checked and mine != theirs:
            raise _Failure(AssertionError, f"The values for attribute '{name}' do not match: {mine} != {theirs}.")
    if s.stride and actual.layout is torch.strided and actual.stride() != expected.stride():
        raise _Failure(
            AssertionError, f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
        )
    rtol, atol = _tolerances(s, actual, expected)
    with torch.no_grad():
        actual, expected = actual.detach(), expected.detach()
        if actual.layout is not torch.strided:
            actual, expected = actual.to_dense(), expected.to_dense()
        if actual.is_meta or expected.is_meta:
            return
        actual, expected = actual.cpu(), expected.cpu()
        if actual.dtype != expected.dtype:
            dtype = torch.promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.to(dtype), expected.to(dtype)
        if actual.dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
            actual, expected = actual.float(), expected.float()
        close = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=s.equal_nan)
        if bool(close.all()):
            return
        raise _Failure(AssertionError, _message(actual, expected, close, rtol, atol))


def _message(actual, expected, close, rtol, atol):
    """How many elements differ, and the position and size of the largest difference."""
    word = "equal" if rtol == atol == 0 else "close"
    if actual.dim() == 0:
        a, b = actual.item(), expected.item()
        distance = abs(a - b)
        return f"Scalars are not {word}!\n\nExpected {b} but got {a}.\n" + _distances(
            distance, atol, distance / abs(b) if b != 0 else float("inf"), rtol
        )
    wrong, total = int((~close).sum()), close.numel()
    if not actual.is_floating_point() and not actual.is_complex():
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)
    distance = (actual - expected).abs()
    masked = torch.where(close, torch.zeros_like(distance), distance)
    relative = torch.where(close, torch.zeros_like(distance), distance / expected.abs())
    max_distance, max_at = _peak(masked)
    far, far_at = _peak(relative)
    return f"Tensor-likes are not {word}!\n\nMismatched elements: {wrong} / {total} ({wrong / total:.1%})\n" + _distances(
        max_distance, atol, far, rtol, f" at index {max_at}", f" at index {far_at}"
    )


def _peak(values):
    flat = values.flatten()
    k = int(flat.argmax())
    place, rest = [], k
    for length in reversed(values.shape):
        place.append(rest % length)
        rest //= length
    return flat[k].item(), tuple(reversed(place))


def allclose_message(actual: torch.Tensor, expected: torch.Tensor) -> str:
    """The message of assert_close on tensors of one dtype, for other checkers."""
    close = torch.isclose(actual.detach(), expected.detach())
    return "" if bool(close.all()) else _message(actual.detach(), expected.detach(), close, 1e-5, 1e-8)
