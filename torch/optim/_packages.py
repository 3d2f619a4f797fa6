"""Helpers of `torch.optim.optimizer` that optimizers of other packages import from there."""

from __future__ import annotations

import functools

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let a step record gradients if, and only if, its optimizer is differentiable."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = torch.is_grad_enabled()
        try:
            torch.set_grad_enabled(bool(self.defaults["differentiable"]))
            return func(self, *args, **kwargs)
        finally:
            torch.set_grad_enabled(before)

    return step


def _default_to_fused_or_foreach(params: list[Tensor], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """(fused, foreach) for settings that are None. On a CPU `foreach` is never the default."""
    if torch.jit.is_scripting() or differentiable:
        return False, False
    kinds = (torch.Tensor, torch.nn.Parameter)
    fits = all(p is None or type(p) in kinds and p.is_floating_point() for p in params)
    return use_fused and fits, False


def _get_value(x: Any) -> Any:
    return x.item() if isinstance(x, torch.Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    return x


def _to_scalar(x: Any) -> Any:
    return x.squeeze() if isinstance(x, torch.Tensor) and x.dim() != 0 else x


def _get_scalar_dtype(is_fused: bool | None = None) -> torch.dtype:
    """The dtype of step counters."""
    return torch.float64 if not is_fused and torch.get_default_dtype() == torch.float64 else torch.float32


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex tensors in the lists by pairs of real numbers."""
    for number, parameter in enumerate(params):
        if parameter.is_complex():
            params[number] = torch.view_as_real(parameter)
            for items in state_and_grads:
                items[number] = torch.view_as_real(items[number])


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Where `foreach` is the default."""
    return ["cuda", "xpu", "mtia"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["cpu", "cuda", "xpu", "mps", "mtia"]


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda", "xpu", "hpu", *(["xla"] if supports_xla else [])]
