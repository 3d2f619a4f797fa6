"""Automatic mixed precision: regions of lower precision, and scaled losses."""

from torch._lazy import lazy
from torch.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from torch.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__, _ = lazy(__name__)
