"""Automatic mixed precision. Autocast itself is missing: disabling it works, and enabling it raises an error."""

from torch._lazy import lazy
from torch.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from torch.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__, _ = lazy(__name__)
