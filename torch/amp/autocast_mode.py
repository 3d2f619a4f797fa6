"""Autocast, which can only be disabled so far. Settings are stored; enabling it raises NotImplementedError."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, Literal, NoReturn, ParamSpec, TypeVar

import torch
from torch._lazy import names_what_is_absent

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

# The type that operators would be lowered to, by the kind of device. Devices that are not listed know no autocast.
_dtypes = dict.fromkeys(["cuda", "ipu", "xpu", "mps", "hpu", "mtia", "maia", "privateuseone"], torch.float16)
_dtypes.update(cpu=torch.bfloat16, xla=torch.bfloat16)
_KINDS = frozenset(_dtypes)
_CPU_DTYPES = (torch.bfloat16, torch.float16)
_state: dict[str, Any] = {"cache": True, "nesting": 0}

P = ParamSpec("P")
T = TypeVar("T")


def _kind(device_type: str) -> str:
    """The name of a device type that supports autocast."""
    kind = torch.device(device_type).type  # raises an error that lists the valid names
    if kind not in _KINDS:
        raise RuntimeError(f"autocast: device type '{kind}' has no autocast; those that have: {', '.join(sorted(_KINDS))}")
    return kind


def _refuse(device_type: str) -> NoReturn:
    raise NotImplementedError(
        f"autocast is not there yet in this version of torch, so it cannot be enabled for '{device_type}'; "
        "meanwhile pass enabled=False, or convert the model and its inputs, as in model.to(torch.bfloat16)"
    )


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch's autocast knows this kind of device.

    Args:
        device_type (str): "cpu", "cuda", ...

    Returns:
        True also where it can only be disabled so far

    Raises:
        RuntimeError: there is no such kind of device

    Example:
        >>> torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("meta")
        (True, False)
    """
    return torch.device(device_type).type in _KINDS


class autocast:
    """Runs a region, a `with` block or a decorated function, in mixed precision; in this version only with `enabled=False`.

    Args:
        device_type (str): "cpu", "cuda", ... For a GPU that is not there autocast disables itself, with a warning
        dtype (torch.dtype, optional): what operators would be lowered to; bfloat16 on the CPU, float16 on a GPU
        enabled (bool, default True): whether to do it
        cache_enabled (bool, optional): keep lowered weights for the length of the region

    Raises:
        NotImplementedError: it is enabled for a device that is there
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> with torch.autocast("cpu", enabled=False):
        ...     torch.ones(2).dtype
        torch.float32
    """

    def __init__(
        self, device_type: str, dtype: torch.dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = _kind(device_type)
        self.fast_dtype = _dtypes[self.device] if dtype is None else dtype
        self._cache_enabled = _state["cache"] if cache_enabled is None else cache_enabled
        self._enabled = False
        if not enabled:
            return
        if self.device == "cpu" and self.fast_dtype not in _CPU_DTYPES:
            warnings.warn(
                f"autocast on the CPU knows {_CPU_DTYPES[0]} and {_CPU_DTYPES[1]}, not {dtype}: it disables itself", stacklevel=2
            )
        elif self.device == "cpu":
            _refuse(self.device)
        else:
            warnings.warn(
                f"autocast for '{self.device}' is enabled, but that device is not available: it disables itself", stacklevel=2
            )

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *problem: object) -> Literal[False]:
        return False

    def __call__(self, func: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(func)
        def decorated(*args: P.args, **kwargs: P.kwargs) -> T:
            with self:
                return func(*args, **kwargs)

        return decorated


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: torch.dtype | None = None
) -> Callable[..., Any]:
    """Decorates `forward` of an autograd Function for autocast, without which it changes nothing.

    Args:
        fwd (function, optional): the forward; None: returns a decorator
        device_type (str): "cpu", "cuda", ...
        cast_inputs (torch.dtype, optional): what inputs would be lowered to

    Returns:
        the decorated function

    Raises:
        ValueError: `device_type` is no string

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu")
        ...     def forward(ctx, x):
        ...         return 2 * x
        >>> Double.apply(torch.ones(2))
        tensor([2., 2.])
    """
    _named(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        context = args[0]
        context._dtype, context._fwd_used_autocast = get_autocast_dtype(device_type), False
        return fwd(*args, **kwargs)

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates `backward` of an autograd Function whose `forward` has `custom_fwd`; without autocast it changes nothing.

    Args:
        bwd (function, optional): the backward; None: returns a decorator
        device_type (str): "cpu", "cuda", ...

    Returns:
        the decorated function

    Raises:
        ValueError: `device_type` is no string

    Example:
        >>> def backward(ctx, gradient):
        ...     return 2 * gradient
        >>> torch.amp.custom_bwd(backward, device_type="cpu")(None, torch.ones(2))
        tensor([2., 2.])
    """
    _named(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    return bwd


def _named(device_type: object) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


# --- the same state as functions of torch ---------------------------------------------------------------------


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """False: autocast cannot be enabled yet.

    Args:
        device_type (str, optional): "cpu", "cuda", ...

    Returns:
        False

    Raises:
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> torch.is_autocast_enabled("cpu")
        False
    """
    if device_type is not None:
        _kind(device_type)
    return False


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Disables autocast; it cannot be enabled yet.

    Args:
        device_type (str): "cpu", "cuda", ...; left out, a GPU is meant: `set_autocast_enabled(enabled)`
        enabled (bool): False

    Raises:
        NotImplementedError: `enabled` is True

    Example:
        >>> torch.set_autocast_enabled("cpu", False)
    """
    kind, on = ("cuda", device_type) if enabled is None else (_kind(str(device_type)), enabled)
    if on:
        _refuse(kind)


def get_autocast_dtype(device_type: str) -> torch.dtype:
    """The type that autocast would lower operators to.

    Args:
        device_type (str): "cpu", "cuda", ...

    Returns:
        the dtype

    Raises:
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> torch.get_autocast_dtype("cpu")
        torch.bfloat16
    """
    return _dtypes[_kind(device_type)]


def set_autocast_dtype(device_type: str, dtype: torch.dtype) -> None:
    """Sets the type that autocast would lower operators to.

    Args:
        device_type (str): "cpu", "cuda", ...
        dtype (torch.dtype): the type

    Raises:
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    _dtypes[_kind(device_type)] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether autocast would keep lowered weights for the length of a region.

    Returns:
        True at the start

    Example:
        >>> torch.is_autocast_cache_enabled()
        True
    """
    return _state["cache"]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether autocast would keep lowered weights for the length of a region.

    Args:
        enabled (bool): whether to

    Example:
        >>> torch.set_autocast_cache_enabled(True)
    """
    _state["cache"] = bool(enabled)


def clear_autocast_cache() -> None:
    """Drops the lowered weights that autocast keeps; there are none.

    Example:
        >>> torch.clear_autocast_cache()
    """


def autocast_increment_nesting() -> int:
    """Counts one region of autocast more.

    Returns:
        how many are open now

    Example:
        >>> torch.autocast_increment_nesting()
        1
        >>> torch.autocast_decrement_nesting()
        0
    """
    _state["nesting"] += 1
    return _state["nesting"]


def autocast_decrement_nesting() -> int:
    """Counts one region of autocast less.

    Returns:
        how many are open now

    Example:
        >>> torch.autocast_increment_nesting()
        1
        >>> torch.autocast_decrement_nesting()
        0
    """
    _state["nesting"] -= 1
    return _state["nesting"]


def _old_name(name: str, function: Callable[..., Any], kind: str, meanwhile: str) -> Callable[..., Any]:
    def old(*args: Any) -> Any:
        warnings.warn(
            f"torch.{name}() is deprecated. Please use torch.{meanwhile}('{kind}') instead.", DeprecationWarning, stacklevel=2
        )
        return function(kind, *args)

    old.__name__ = old.__qualname__ = name
    argument = {"set_autocast_dtype": _dtypes[kind], "set_autocast_enabled": False}.get(meanwhile, "")
    result = {"get_autocast_dtype": f"\n    {_dtypes[kind]}", "is_autocast_enabled": "\n    False"}.get(meanwhile, "")
    old.__doc__ = f"""The old name of `torch.{meanwhile}('{kind}', ...)`.

Example:
    >>> torch.{name}({argument}){result}
"""
    return old


get_autocast_gpu_dtype = _old_name("get_autocast_gpu_dtype", get_autocast_dtype, "cuda", "get_autocast_dtype")
get_autocast_cpu_dtype = _old_name("get_autocast_cpu_dtype", get_autocast_dtype, "cpu", "get_autocast_dtype")
get_autocast_ipu_dtype = _old_name("get_autocast_ipu_dtype", get_autocast_dtype, "ipu", "get_autocast_dtype")
get_autocast_xla_dtype = _old_name("get_autocast_xla_dtype", get_autocast_dtype, "xla", "get_autocast_dtype")
set_autocast_gpu_dtype = _old_name("set_autocast_gpu_dtype", set_autocast_dtype, "cuda", "set_autocast_dtype")
set_autocast_cpu_dtype = _old_name("set_autocast_cpu_dtype", set_autocast_dtype, "cpu", "set_autocast_dtype")
set_autocast_ipu_dtype = _old_name("set_autocast_ipu_dtype", set_autocast_dtype, "ipu", "set_autocast_dtype")
set_autocast_xla_dtype = _old_name("set_autocast_xla_dtype", set_autocast_dtype, "xla", "set_autocast_dtype")
is_autocast_cpu_enabled = _old_name("is_autocast_cpu_enabled", is_autocast_enabled, "cpu", "is_autocast_enabled")
is_autocast_ipu_enabled = _old_name("is_autocast_ipu_enabled", is_autocast_enabled, "ipu", "is_autocast_enabled")
is_autocast_xla_enabled = _old_name("is_autocast_xla_enabled", is_autocast_enabled, "xla", "is_autocast_enabled")
set_autocast_cpu_enabled = _old_name("set_autocast_cpu_enabled", set_autocast_enabled, "cpu", "set_autocast_enabled")
set_autocast_ipu_enabled = _old_name("set_autocast_ipu_enabled", set_autocast_enabled, "ipu", "set_autocast_enabled")
set_autocast_xla_enabled = _old_name("set_autocast_xla_enabled", set_autocast_enabled, "xla", "set_autocast_enabled")

names_what_is_absent(__name__)
