"""Operators of Triton kernels, which this version cannot run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


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
