"""Events of Apple's GPUs."""

from torch.mps import Event

__all__ = ["Event"]
