"""assert_allclose, the predecessor of assert_close."""

from __future__ import annotations

import warnings

import torch
from torch.testing._comparison import assert_close

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_TOLERANCES = {torch.float16: (1e-3, 1e-3), torch.float32: (1e-4, 1e-5), torch.float64: (1e-5, 1e-8)}


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str = ""
) -> None:
    """Deprecated: `assert_close` with wider tolerances, which compares no dtypes.

    Args:
        actual (Any): a tensor, or what makes one
        expected (Any): what it should be
        rtol (float, optional): the relative tolerance; the dtypes say it, unless both are given
        atol (float, optional): the absolute tolerance
        equal_nan (bool, default True): NaN equals NaN
        msg (str, default ""): the message; made from the difference if empty

    Raises:
        AssertionError: they differ

    Example:
        >>> torch.testing.assert_allclose(torch.ones(2), torch.ones(2) + 1e-5)
    """
    warnings.warn("assert_allclose is deprecated, call assert_close", FutureWarning, stacklevel=2)
    first = actual if isinstance(actual, torch.Tensor) else torch.tensor(actual)
    second = expected if isinstance(expected, torch.Tensor) else torch.tensor(expected, dtype=first.dtype)
    if rtol is None and atol is None:
        pairs = [_TOLERANCES.get(tensor.dtype, (0.0, 0.0)) for tensor in (first, second)]
        rtol, atol = (max(values) for values in zip(*pairs))
    assert_close(first, second, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)
