"""Functions of torch.library that few programs use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch import library


def fallthrough_kernel(*args: Any, **kwargs: Any) -> NoReturn:
    """Stands for "no kernel: go on with the next key" in `Library.impl`; it is never called.

    Args:
        *args (Any): any
        **kwargs (Any): any

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.library.fallthrough_kernel()
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("torch.library.fallthrough_kernel: it is a mark for Library.impl, and is never called")


class _FakeContext:
    """What a fake kernel asks for sizes that depend on data."""

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> int:
        raise NotImplementedError("get_ctx().new_dynamic_size(): the size depends on data, which a meta tensor has not")

    create_unbacked_symint = new_dynamic_size


def get_ctx() -> Any:
    """For the function of `register_fake`: asks for sizes that depend on data, which meta tensors cannot have.

    Returns:
        an object whose `new_dynamic_size()` raises NotImplementedError

    Example:
        >>> torch.library.get_ctx().new_dynamic_size()
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    return _FakeContext()


def register_autocast(op: Any, device_type: str, cast_inputs: torch.dtype, /, *, lib: library.Library | None = None) -> None:
    """Let an operator run in one dtype under autocast.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        device_type (str): "cpu" or "cuda"
        cast_inputs (torch.dtype): what its floating point tensors are converted to
        lib (Library, optional): with which the rule goes

    Raises:
        ValueError: another type of device

    Example:
        >>> @torch.library.custom_op("docs_autocast::same", mutates_args=())
        ... def same(x: torch.Tensor) -> torch.Tensor:
        ...     return x.clone()
        >>> torch.library.register_autocast(same, "cpu", torch.bfloat16)
        >>> same(torch.ones(1)).dtype
        torch.float32
    """
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"register_autocast: expected device_type to be 'cpu' or 'cuda', got {device_type!r}")
    namespace, name = library._split(library._name(op))
    packet = getattr(getattr(torch.ops, namespace), name.split(".")[0])

    def cast(value):
        if isinstance(value, torch.Tensor):
            matches = value.is_floating_point() and value.device.type == device_type and value.dtype != torch.float64
            return value.to(cast_inputs) if matches else value
        if isinstance(value, (list, tuple)):
            return type(value)(map(cast, value))
        return value

    def kernel(*args, **kwargs):
        with torch.autocast(device_type, enabled=False):
            return packet(*map(cast, args), **{key: cast(value) for key, value in kwargs.items()})

    library._library(namespace, lib).impl(name, kernel, {"cpu": "AutocastCPU", "cuda": "AutocastCUDA"}[device_type])


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Callable[..., Any] | None = None, /, *,
                            lib: library.Library | None = None) -> Any:  # fmt: skip
    """A rule for one operator under one mode or class of tensors, which this version cannot register.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        torch_dispatch_class (type): of the mode or tensor
        func (function, optional): the rule
        lib (Library, optional): with which the rule goes

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.library.register_torch_dispatch("aten::neg", torch.Tensor, None)
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("register_torch_dispatch: define __torch_dispatch__ of the mode instead")


def triton_op(name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, schema: str | None = None) -> NoReturn:
    """An operator of Triton kernels, which this version cannot run.

    Args:
        name (str): "namespace::name"
        fn (function, optional): the function
        mutates_args (Iterable[str] or str): what it changes in place
        schema (str, optional): in place of the annotations

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.library.triton_op("docs::kernel", mutates_args=())
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("torch.library.triton_op: Triton's kernels need a GPU")


def wrap_triton(triton_kernel: Callable[..., Any], /) -> NoReturn:
    """A Triton kernel that can be traced, which this version cannot run.

    Args:
        triton_kernel (function): the kernel

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.library.wrap_triton(abs)
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("torch.library.wrap_triton: Triton's kernels need a GPU")


for _function in (fallthrough_kernel, get_ctx, register_autocast, register_torch_dispatch, triton_op, wrap_triton):
    _function.__module__ = "torch.library"
