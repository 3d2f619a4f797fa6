"""Autocast: regions whose products and convolutions are computed in a lower precision. Note [Autocast] in autocast_mode.h."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec, TypeVar

import torch
from torch import _C
from torch._lazy import names_what_is_absent

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_KINDS = frozenset("cpu cuda ipu xpu mps hpu mtia maia privateuseone xla".split())  # of devices that know autocast
_FAST_DTYPES = (torch.bfloat16, torch.float16)

P = ParamSpec("P")
T = TypeVar("T")


def _kind(device_type: str) -> str:
    """The name of a device type that supports autocast."""
    kind = torch.device(device_type).type  # raises an error that lists the valid names
    if kind not in _KINDS:
        raise RuntimeError(f"autocast: device type '{kind}' has no autocast; those that have: {', '.join(sorted(_KINDS))}")
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch's autocast knows this kind of device.

    Args:
        device_type (str): "cpu", "cuda", ...

    Returns:
        True also where no such device is there

    Raises:
        RuntimeError: there is no such kind of device

    Example:
        >>> torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("meta")
        (True, False)
    """
    return torch.device(device_type).type in _KINDS


def _can_use(device: str, dtype: torch.dtype) -> bool:
    """Whether a region of a GPU can be enabled; warns if not."""
    if device != "cuda" or not torch.cuda.is_available():
        warnings.warn(f"autocast for '{device}' is enabled, but that device is not available: it disables itself", stacklevel=3)
        return False
    if dtype == torch.bfloat16 and not torch.cuda.is_bf16_supported():
        raise RuntimeError("autocast: this GPU does not support bfloat16; use dtype=torch.float16")
    return True


class autocast:
    """Runs a region, a `with` block or a decorated function, in mixed precision.

    Products, convolutions and attention take their floating-point arguments in `dtype`; losses, Fourier transforms,
    decompositions and other operators that need it take theirs in float32; `cat` and `stack` take the widest type of
    their arguments. On GPUs also exponentials, logarithms, powers, softmax, norms and sums give float32. All other operators
    run as always, and float64 is never cast. Backward runs in the types that forward used, outside of the region.

    Args:
        device_type (str): "cpu", "cuda", ... For a GPU that is not there autocast disables itself, with a warning
        dtype (torch.dtype, optional): the lower precision, bfloat16 or float16; bfloat16 on the CPU by default, float16 on GPUs
        enabled (bool, default True): False: compute as outside of any region
        cache_enabled (bool, optional): keep the lowered copies of parameters until the outermost region ends

    Raises:
        RuntimeError: this kind of device knows no autocast, or the GPU knows no bfloat16

    Example:
        >>> model = nn.Linear(4, 2)
        >>> with torch.autocast("cpu"):
        ...     model(torch.ones(1, 4)).dtype
        torch.bfloat16
        >>> model.weight.dtype
        torch.float32
    """

    def __init__(
        self, device_type: str, dtype: torch.dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = _kind(device_type)
        self.fast_dtype = get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._before: list[
            tuple[bool, torch.dtype, bool]
        ] = []  # of the regions that are open, since one object can be entered twice
        if enabled and self.device == "cpu" and self.fast_dtype not in _FAST_DTYPES:
            warnings.warn(
                f"autocast on the CPU knows {_FAST_DTYPES[0]} and {_FAST_DTYPES[1]}, not {self.fast_dtype}: it disables itself",
                stacklevel=2,
            )
            enabled = False
        elif enabled and self.device != "cpu":
            enabled = _can_use(self.device, self.fast_dtype)
        self._enabled = enabled

    def __enter__(self) -> autocast:
        kind = self.device
        self._before.append((_C._autocast_is_enabled(kind), _C._autocast_get_dtype(kind), _C._autocast_is_cache_enabled()))
        _C._autocast_set_enabled(kind, self._enabled)
        _C._autocast_set_dtype(kind, self.fast_dtype)
        _C._autocast_increment_nesting()
        _C._autocast_set_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *problem: object) -> Literal[False]:
        enabled, dtype, cache = self._before.pop()
        if _C._autocast_decrement_nesting() == 0:
            _C._autocast_clear_cache()
        _C._autocast_set_enabled(self.device, enabled)
        _C._autocast_set_dtype(self.device, dtype)
        _C._autocast_set_cache_enabled(cache)
        return False

    def __call__(self, func: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(func)
        def decorated(*args: P.args, **kwargs: P.kwargs) -> T:
            with self:
                return func(*args, **kwargs)

        return decorated


def _enter_autocast(*values: Any) -> autocast:
    """Begin a region: (device type, dtype, enabled, cache enabled). Recorded graphs call it where a `with` block stood."""
    return autocast(*values).__enter__()


def _exit_autocast(mode: autocast) -> None:
    """End a region that `_enter_autocast` began."""
    mode.__exit__(None, None, None)


def _cast(value: Any, kind: str, dtype: torch.dtype) -> Any:
    """A value with the floating-point tensors of a device in it in another type; float64 stays."""
    if isinstance(value, torch.Tensor):
        eligible = value.is_floating_point() and value.device.type == kind and value.dtype != torch.float64
        return value.to(dtype) if eligible else value
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, Mapping):
        return {_cast(k, kind, dtype): _cast(v, kind, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(v, kind, dtype) for v in value)
    return value


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: torch.dtype | None = None
) -> Callable[..., Any]:
    """Decorates `forward` of an autograd Function for use in autocast's regions; outside of them it changes nothing.

    Args:
        fwd (function, optional): the forward; None: returns a decorator
        device_type (str): "cpu", "cuda", ...
        cast_inputs (torch.dtype, optional): in a region, forward gets its floating-point tensors in this type and runs
            with autocast disabled; None: it runs as part of the region

    Returns:
        the decorated function

    Raises:
        ValueError: `device_type` is no string

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return 2 * x
        >>> with torch.autocast("cpu"):
        ...     Double.apply(torch.ones(2, dtype=torch.bfloat16))
        tensor([2., 2.])
    """
    _named(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        enabled = is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates `backward` of an autograd Function whose `forward` has `custom_fwd`: it runs in the region that forward saw.

    Args:
        bwd (function, optional): the backward; None: returns a decorator
        device_type (str): "cpu", "cuda", ...

    Returns:
        the decorated function

    Raises:
        ValueError: `device_type` is no string

    Example:
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu")
        ...     def forward(ctx, m):
        ...         ctx.save_for_backward(m)
        ...         return m @ m
        ...     @staticmethod
        ...     @torch.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, gradient):
        ...         (m,) = ctx.saved_tensors
        ...         return (gradient @ m.t() + m.t() @ gradient).float()
        >>> x = torch.eye(2, requires_grad=True)
        >>> with torch.autocast("cpu"):
        ...     y = Square.apply(x)
        >>> y.float().sum().backward()
        >>> x.grad
        tensor([[2., 2.],
                [2., 2.]])
    """
    _named(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated


def _named(device_type: object) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


# --- the same state as functions of torch ---------------------------------------------------------------------


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether this thread is in an enabled region.

    Args:
        device_type (str, optional): "cpu", "cuda", ...; "cuda" by default

    Returns:
        a bool

    Raises:
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> with torch.autocast("cpu"):
        ...     torch.is_autocast_enabled("cpu")
        True
    """
    return _C._autocast_is_enabled("cuda" if device_type is None else _kind(device_type))


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Enables or disables autocast for this thread, as a region does on entry.

    Args:
        device_type (str): "cpu", "cuda", ...; left out, a GPU is meant: `set_autocast_enabled(enabled)`
        enabled (bool): whether to

    Raises:
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> torch.set_autocast_enabled("cpu", False)
    """
    kind, on = ("cuda", device_type) if enabled is None else (_kind(str(device_type)), enabled)
    _C._autocast_set_enabled(kind, on)


def get_autocast_dtype(device_type: str) -> torch.dtype:
    """The type that autocast lowers operators to in this thread.

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
    return _C._autocast_get_dtype(_kind(device_type))


def set_autocast_dtype(device_type: str, dtype: torch.dtype) -> None:
    """Sets the type that autocast lowers operators to in this thread.

    Args:
        device_type (str): "cpu", "cuda", ...
        dtype (torch.dtype): the type

    Raises:
        RuntimeError: this kind of device knows no autocast

    Example:
        >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    _C._autocast_set_dtype(_kind(device_type), dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether autocast keeps lowered copies of parameters until the outermost region ends.

    Returns:
        True at the start

    Example:
        >>> torch.is_autocast_cache_enabled()
        True
    """
    return _C._autocast_is_cache_enabled()


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether autocast keeps lowered copies of parameters until the outermost region ends.

    Args:
        enabled (bool): whether to

    Example:
        >>> torch.set_autocast_cache_enabled(True)
    """
    _C._autocast_set_cache_enabled(enabled)


def clear_autocast_cache() -> None:
    """Releases the lowered copies of parameters that autocast keeps.

    Example:
        >>> torch.clear_autocast_cache()
    """
    _C._autocast_clear_cache()


def autocast_increment_nesting() -> int:
    """Counts one region of autocast more.

    Returns:
        how many are open in this thread

    Example:
        >>> torch.autocast_increment_nesting()
        1
        >>> torch.autocast_decrement_nesting()
        0
    """
    return _C._autocast_increment_nesting()


def autocast_decrement_nesting() -> int:
    """Counts one region of autocast less.

    Returns:
        how many are open in this thread

    Example:
        >>> torch.autocast_increment_nesting()
        1
        >>> torch.autocast_decrement_nesting()
        0
    """
    return _C._autocast_decrement_nesting()


def _old_name(name: str, function: Callable[..., Any], kind: str, meanwhile: str) -> Callable[..., Any]:
    def old(*args: Any) -> Any:
        warnings.warn(
            f"torch.{name}() is deprecated. Please use torch.{meanwhile}('{kind}') instead.", DeprecationWarning, stacklevel=2
        )
        return function(kind, *args)

    old.__name__ = old.__qualname__ = name
    dtype = _C._autocast_get_dtype(kind)
    argument = {"set_autocast_dtype": dtype, "set_autocast_enabled": False}.get(meanwhile, "")
    result = {"get_autocast_dtype": f"\n    {dtype}", "is_autocast_enabled": "\n    False"}.get(meanwhile, "")
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
