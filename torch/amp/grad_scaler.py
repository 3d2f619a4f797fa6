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
        device (str, default "cuda"): where the gradients are; for "cuda" without a GPU it disables itself with a warning
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
        # The factor, and the number of finite steps since it last changed, are made on the device of the first loss and stay
        # there: scale(), unscale_() and update() wait for nothing.
        self._scale: torch.Tensor | None = None
        self._growth_tracker: torch.Tensor | None = None
        self._init_growth_tracker = 0
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        # By the id of an optimizer: its stage in the iteration, and for each device whether a gradient was not finite.
        self._per_optimizer_states: dict[int, dict[str, Any]] = {}

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
        if isinstance(outputs, torch.Tensor):
            scale = self._start(outputs.device) if self._scale is None else self._scale
            return outputs * scale.to(outputs.device, non_blocking=True)
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
        state = self._state_of(optimizer)
        if state["stage"] == OptState.UNSCALED:
            raise RuntimeError("unscale_(): the gradients of this optimizer are unscaled already; update() begins the next step")
        if state["stage"] == OptState.STEPPED:
            raise RuntimeError("unscale_(): this optimizer has made its step already; update() begins the next one")
        inverse = self._checked_scale("unscale_").double().reciprocal().float()
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, False)
        state["stage"] = OptState.UNSCALED

    def _start(self, device: torch.device) -> torch.Tensor:
        self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=device)
        self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32, device=device)
        return self._scale

    def _state_of(self, optimizer: Optimizer) -> dict[str, Any]:
        new = {"stage": OptState.READY, "found_inf_per_device": {}}
        return self._per_optimizer_states.setdefault(id(optimizer), new)

    def _unscale_grads_(
        self, optimizer: Optimizer, inverse: torch.Tensor, allow_fp16: bool
    ) -> dict[torch.device, torch.Tensor]:  # fmt: skip
        """Multiplies the gradients by `inverse`: by device, whether one is not finite. Devices without gradients have none."""
        lists: dict[torch.device, list[torch.Tensor]] = {}
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                gradient = self._part(parameter.grad)
                if gradient.dtype == torch.float16 and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if gradient.is_sparse:
                    # Sums of repeated entries may overflow in half types, where none of them does.
                    gradient = gradient._values() if gradient.is_coalesced() else _coalesced(parameter)
                lists.setdefault(gradient.device, []).append(gradient)
        found = {}
        with torch.no_grad():
            for device, gradients in lists.items():
                found[device] = torch.zeros((), dtype=torch.float32, device=device)
                by = inverse.to(device, non_blocking=True)
                torch._amp_foreach_non_finite_check_and_unscale_(gradients, found[device], by)
        return found

    def _part(self, gradient: torch.Tensor) -> torch.Tensor:
        """What of a gradient this process has."""
        return gradient

    def _check_inf_per_device(self, optimizer: Optimizer) -> dict[torch.device, torch.Tensor]:
        """Looks for gradients that are not finite, and leaves all as they are."""
        one = torch.ones_like(self._checked_scale("_check_inf_per_device"))
        state = self._state_of(optimizer)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, one, True)
        return state["found_inf_per_device"]

    def _found_inf_per_device(self, optimizer: Optimizer) -> dict[torch.device, torch.Tensor]:
        return self._state_of(optimizer)["found_inf_per_device"]

    def _sum_on(self, device: torch.device, found: list[torch.Tensor]) -> torch.Tensor:
        total = found[0].to(device, non_blocking=True)
        for other in found[1:]:
            total = total + other.to(device, non_blocking=True)
        return total

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
            raise RuntimeError("GradScaler.step(): closures are not supported while the scaler is enabled")
        scale = self._checked_scale("step")
        state = self._state_of(optimizer)
        if state["stage"] == OptState.STEPPED:
            raise RuntimeError("step(): this optimizer has made its step already; update() begins the next one")
        fused = getattr(optimizer, "_step_supports_amp_scaling", False)
        if state["stage"] == OptState.READY:
            if fused:
                self._check_inf_per_device(optimizer)
            else:
                self.unscale_(optimizer)
        found = list(state["found_inf_per_device"].values())
        if not found:
            raise AssertionError("No inf checks were recorded for this optimizer: none of its parameters has a gradient")
        if fused:
            result = self._fused_step(optimizer, scale, found, state["stage"] == OptState.READY, args, kwargs)
        else:
            # The one wait of an iteration: whether the optimizer steps is decided here.
            result = None if any(each.item() for each in found) else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _fused_step(
        self, optimizer: Any, scale: torch.Tensor, found: list[torch.Tensor], is_scaled: bool, args: Any, kwargs: Any
    ) -> Any:  # fmt: skip
        """A step whose kernel divides the gradients, and does nothing if one is not finite: it needs no wait."""
        optimizer.grad_scale = scale if is_scaled else None
        optimizer.found_inf = self._sum_on(scale.device, found).clamp(max=1)
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Ends an iteration: changes the factor by what the gradients were like.

        Args:
            new_scale (float or Tensor, optional): set it to this instead
        """
        if not self._enabled:
            return
        scale, tracker = self._checked_scale("update"), self._growth_tracker
        if new_scale is not None:
            if isinstance(new_scale, torch.Tensor):
                scale.copy_(new_scale.reshape(()))
            else:
                scale.fill_(float(new_scale))
        else:
            found = [each for state in self._per_optimizer_states.values() for each in state["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            assert tracker is not None
            torch._amp_update_scale_(
                scale, tracker, self._sum_on(scale.device, found), self._growth_factor, self._backoff_factor,
                self._growth_interval,
            )  # fmt: skip
        self._per_optimizer_states = {}

    def _get_growth_tracker(self) -> int:
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

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
        settings = {name: getattr(self, f"_{name}") for name in ("growth_factor", "backoff_factor", "growth_interval")}
        return {"scale": self.get_scale(), **settings, "_growth_tracker": self._get_growth_tracker()}

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
            raise RuntimeError("GradScaler.load_state_dict(): the state dict is empty, as that of a disabled scaler is")
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        if self._scale is not None:
            self._start(self._scale.device)
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError("A GradScaler can be pickled only between iterations, before scale() or after update()")
            # Tensors of a device stay where they are: the copy makes its own.
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker())
            state.update(_scale=None, _growth_tracker=None)
        return state


def _coalesced(parameter: torch.Tensor) -> torch.Tensor:
    """The values of a parameter's sparse gradient, its repeated entries summed in place."""
    gradient = parameter.grad
    assert gradient is not None
    parameter.grad = gradient.coalesce()
    return parameter.grad._values()


names_what_is_absent(__name__)
