"""Shared by the families: reductions, tuples of sizes, and `__torch_function__`."""

from __future__ import annotations

import warnings

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from torch import Tensor

    _F = TypeVar("_F", bound=Callable[..., Any])

    def has_torch_function(args: Sequence[Any], /) -> bool: ...
    def has_torch_function_unary(arg: Any, /) -> bool: ...
    def has_torch_function_variadic(*args: Any) -> bool: ...

else:
    has_torch_function = _C._has_torch_function
    has_torch_function_unary = _C._has_torch_function_unary
    has_torch_function_variadic = _C._has_torch_function_variadic

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

__all__ = ["has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "handle_torch_function"]


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
    """Let a subclass among `relevant_args` take over a call, by its `__torch_function__`.

    Args:
        public_api (callable): the function that was called
        relevant_args (sequence): the arguments to look for subclasses of Tensor in
        *args, **kwargs: all arguments of the call

    Returns:
        what the first `__torch_function__` gives that does not return NotImplemented

    Raises:
        TypeError: every one of them returned NotImplemented

    Example:
        >>> import torch
        >>> class Counted(torch.Tensor):
        ...     pass
        >>> def double(x):
        ...     if torch.overrides.has_torch_function((x,)):
        ...         return torch.overrides.handle_torch_function(double, (x,), x)
        ...     return x * 2
        >>> double(torch.ones(2))
        tensor([2., 2.])
    """
    from torch.overrides import handle_torch_function as handle

    return handle(public_api, relevant_args, *args, **kwargs)


def _with_defaults(function: Any, args: Any, kwargs: Any) -> tuple[Any, dict[str, Any]]:
    """Arguments as handlers get them: those with a default by name, all of them."""
    import inspect

    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    parameters = bound.signature.parameters.values()
    if any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters):
        return args, kwargs
    positional = [bound.arguments[p.name] for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    names = [p.name for p in parameters if p.default is not p.empty or p.kind is p.KEYWORD_ONLY]
    return tuple(positional), {name: bound.arguments[name] for name in names}


def overridable(count: int) -> Callable[[_F], _F]:
    """Let a subclass among the first `count` arguments override the call."""

    def decorate(function: Any) -> Any:
        def public(*args: Any, **kwargs: Any) -> Any:
            if has_torch_function(args[:count]):
                args_with_defaults, kwargs = _with_defaults(function, args, kwargs)
                return handle_torch_function(public, args[:count], *args_with_defaults, **kwargs)
            return function(*args, **kwargs)

        public.__name__ = public.__qualname__ = function.__name__
        public.__module__, public.__doc__, public.__wrapped__ = (
            "torch.nn.functional",
            function.__doc__,
            function,
        )
        return public

    return decorate


def reduction_code(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """The number that operators use for a reduction. The two booleans are its form before version 0.4."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    try:
        return _REDUCTIONS[reduction]
    except (KeyError, TypeError):
        raise ValueError(f"{reduction} is not a valid value for reduction") from None


def legacy_reduction(size_average: bool | None, reduce: bool | None, stacklevel: int = 4) -> str:
    average = True if size_average is None else size_average
    reduced = True if reduce is None else reduce
    name = "none" if not reduced else "mean" if average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.", stacklevel=stacklevel
    )
    return name


def apply_reduction(loss: Tensor, code: int) -> Tensor:
    return loss if code == 0 else loss.mean() if code == 1 else loss.sum()


def warn_sizes(input: Tensor, target: Tensor) -> None:
    """Warns about a loss of tensors with different shapes, which is nearly always a mistake."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This "
            "will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=4,
        )


def repeat(value: Any, count: int) -> tuple[Any, ...]:
    """`value` as a tuple of `count`."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
