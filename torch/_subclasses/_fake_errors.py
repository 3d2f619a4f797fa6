"""What fake tensors raise."""

from __future__ import annotations

from typing import Any


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor that has no fake counterpart."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _OperatorException(RuntimeError):
    def __init__(self, func: Any) -> None:
        super().__init__(str(func))
        self.func = func


class DynamicOutputShapeException(_OperatorException):
    """The shape of an operator's result depends on elements, which a fake tensor has not. `func` is the operator."""


class DataDependentOutputException(_OperatorException):
    """An operator returns a number or a choice that depends on elements. `func` is the operator."""


class UnsupportedOperatorException(_OperatorException):
    """An operator has no kernel that computes shapes alone. `func` is the operator."""


class UnsupportedMutationAliasingException(RuntimeError):
    """A change in place whose effect on aliases cannot be followed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MetadataMismatchError(RuntimeError):
    """A fake result differs from the real one."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FakeTensorDeviceMismatchError(RuntimeError):
    """Arguments of one operator are on several devices."""
