"""Streams and events of Intel's GPUs."""

from torch.xpu import Event, Stream

__all__ = ["Event", "Stream"]
