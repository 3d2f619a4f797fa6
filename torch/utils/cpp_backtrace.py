"""The C++ frames of the current call, as text."""

from __future__ import annotations

import torch

__all__ = ["get_cpp_backtrace"]


def get_cpp_backtrace(frames_to_skip: int = 0, maximum_number_of_frames: int = 64) -> str:
    """The C++ frames of the current call, the innermost first.

    Args:
        frames_to_skip (int, default 0): how many of the innermost are left out
        maximum_number_of_frames (int, default 64): how many there are at most

    Returns:
        a title, and one line for each frame

    Example:
        >>> from torch.utils.cpp_backtrace import get_cpp_backtrace
        >>> get_cpp_backtrace(maximum_number_of_frames=2).splitlines()[0]
        'C++ stack, innermost call first:'
    """
    return torch._C._get_cpp_backtrace(frames_to_skip, maximum_number_of_frames)
