"""GradScaler: a loss is scaled up so that gradients in half types do not vanish, and gradients down again."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
from torch._lazy import names_what_is_absent

if TYPE_CHECKING:
    from torch.optim import Optimizer

__all__ = ["GradScaler", "OptState"]


class OptState:
    """How far an optimizer is within an iteration.

    Example:
        >>> torch.amp.grad_scaler.OptState.READY
        0
    """

    READY, UNSCALED, STEPPED = 0, 1, 2


class GradScaler:
    """Scales losses by a factor that grows while gradients are finite and shrinks when they are not.

    A disabled scaler hands everything through.

    Args:
        device (str, default "cuda"): "cpu" works; for "cuda", which is not there, it disables itself with a warning
        init_scale (float, default 65536.0): the first factor
        growth_factor (float, default 2.0): multiplies it after `growth_interval` finite steps in a row
        backoff_factor (float, default 0.5): multiplies it after a step that was not finite
        growth_interval (int, default 2000): how many finite steps make it grow
        enabled (bool, default True): False: do nothing

    Raises:
        AssertionError: `growth_factor` is not above 1, or `backoff_factor` not below

    Example:
        >>> model = nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        >>> scaler = torch.GradScaler("cpu", init_scale=8.0)
        >>> loss = model(torch.ones(4, 2)).sum()
        >>> scaler.scale(loss).backward()
        >>> scaler.step(optimizer)  # skipped where a gradient is infinite or NaN
        >>> scaler.update()
        >>> scaler.get_scale()
        8.0
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not torch.cuda.is_available():
            warnings.warn("GradScaler is enabled, but CUDA is not available: it disables itself", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if not growth_factor > 1.0:
            raise AssertionError(f"The growth factor must be > 1.0, got {growth_factor}")
        if not backoff_factor < 1.0:
            raise AssertionError(f"The backoff factor must be < 1.0, got {backoff_factor}")
        self._init_scale = init_scale
        self._scale: torch.Tensor | None = None  # the tensor is created when first needed
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        self._growth_tracker = 0  # finite steps since the factor last changed
        # By the id of an optimizer: its stage in the iteration, and whether a gradient was not finite.
        self._per_optimizer: dict[int, tuple[int, bool | None]] = {}

    def _checked_scale(self, caller: str) -> torch.Tensor:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {caller} but _scale is None: scaler.scale(loss or outputs) comes before it in an iteration"
            )
        return self._scale

    def scale(self, outputs: Any) -> Any:
        """Multiplies tensors by the factor.

        Args:
            outputs (Tensor or Iterable[Tensor]): losses

        Returns:
            the tensor, or the tensors of lists and tuples, times the factor

        Raises:
            ValueError: it is neither
        """
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = torch.tensor(self._init_scale, dtype=torch.float32)
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, (list, tuple)):
            scaled = [self.scale(each) for each in outputs]
            return type(outputs)(*scaled) if hasattr(outputs, "_fields") else type(outputs)(scaled)
        if hasattr(outputs, "__iter__") and not isinstance(outputs, (str, bytes)):
            return map(self.scale, outputs)
        raise ValueError(f"outputs must be a Tensor or an iterable of Tensors, got {type(outputs).__name__}")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divides the gradients of an optimizer's parameters by the factor, once between two updates.

        Args:
            optimizer (Optimizer): whose parameters

        Raises:
            RuntimeError: it was done already
            ValueError: a gradient is float16
        """
        if not self._enabled:
            return
        self._checked_scale("unscale_")
        state, _ = self._per_optimizer.get(id(optimizer), (OptState.READY, None))
        if state == OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state == OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        self._per_optimizer[id(optimizer)] = (OptState.UNSCALED, self._unscale(optimizer))

    def _unscale(self, optimizer: Optimizer) -> bool | None:
        """Whether a gradient is not finite; None where there are no gradients."""
        inverse = self._checked_scale("unscale_").double().reciprocal().float()
        infinite: bool | None = None
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if parameter.grad.dtype == torch.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                with torch.no_grad():
                    infinite = bool(infinite) or not bool(torch.isfinite(parameter.grad).all())
                    parameter.grad.mul_(inverse.to(parameter.grad.device))
        return infinite

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> float | None:
        """Takes a step on gradients divided by the factor, unless one of them is not finite.

        Args:
            optimizer (Optimizer): what takes it
            *args (Any): passed to `optimizer.step`
            **kwargs (Any): passed to `optimizer.step`

        Returns:
            what `optimizer.step` returned, or None

        Raises:
            RuntimeError: it was done already, or a closure is passed
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._checked_scale("step")
        state, _ = self._per_optimizer.get(id(optimizer), (OptState.READY, None))
        if state == OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state == OptState.READY:
            self.unscale_(optimizer)
        infinite = self._per_optimizer[id(optimizer)][1]
        if infinite is None:
            raise AssertionError("No inf checks were recorded for this optimizer: none of its parameters has a gradient")
        result = None if infinite else optimizer.step(*args, **kwargs)
        self._per_optimizer[id(optimizer)] = (OptState.STEPPED, infinite)
        return result

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Ends an iteration: changes the factor by what the gradients were like.

        Args:
            new_scale (float or Tensor, optional): set it to this instead
        """
        if not self._enabled:
            return
        scale = self._checked_scale("update")
        if new_scale is not None:
            scale.fill_(float(new_scale))
        else:
            found = [infinite for _, infinite in self._per_optimizer.values() if infinite is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                scale.mul_(self._backoff_factor)
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = scale * self._growth_factor
                    if torch.isfinite(grown):
                        scale.copy_(grown)
                    self._growth_tracker = 0
        self._per_optimizer = {}

    def get_scale(self) -> float:
        """The factor as a float; 1 of a disabled scaler."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def is_enabled(self) -> bool:
        """Whether the scaler does anything."""
        return self._enabled

    def get_growth_factor(self) -> float:
        """What the factor is multiplied by after enough finite steps."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by after enough finite steps.

        Args:
            new_factor (float): above 1
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied by after a step that was not finite."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by after a step that was not finite.

        Args:
            new_factor (float): below 1
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many finite steps in a row make the factor grow."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set how many finite steps in a row make the factor grow.

        Args:
            new_interval (int): the number
        """
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes, for a checkpoint; empty of a disabled scaler."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` of another scaler gave; a disabled scaler takes nothing.

        Args:
            state_dict (dict): what it gave

        Raises:
            RuntimeError: it is that of a disabled scaler
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]

    def __getstate__(self) -> dict[str, Any]:
        if self._enabled and self._per_optimizer:
            raise AssertionError("A GradScaler can be pickled only between iterations, before scale() or after update()")
        return self.__dict__.copy()


names_what_is_absent(__name__)
