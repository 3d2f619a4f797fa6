"""How attention over processes works."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class _RotateMethod(Enum):
    """How keys and values get to all processes."""

    ALL_TO_ALL = auto()  # from one to the next, while attention of the last ones is computed
    ALL_GATHER = auto()  # all at once


@dataclass
class _ContextParallelOptions:
    """The choices."""

    convert_to_f32: bool = True  # results are added up in float32
    enable_load_balance: bool = True  # each process has a part of the beginning and one of the end
    rotate_method: _RotateMethod = _RotateMethod.ALL_GATHER


_cp_options = _ContextParallelOptions()


def set_rotate_method(rotate_method: str) -> None:
    """Chooses how keys and values get to all processes.

    Args:
        rotate_method (str): "allgather", all at once, which is the default; "alltoall", from one process to the next while it
            computes, which needs memory for two parts only

    Raises:
        NotImplementedError: another one

    Example:
        >>> from torch.distributed.tensor.experimental._attention import set_rotate_method
        >>> set_rotate_method("allgather")
    """
    methods = {"allgather": _RotateMethod.ALL_GATHER, "alltoall": _RotateMethod.ALL_TO_ALL}
    if rotate_method not in methods:
        raise NotImplementedError(f"set_rotate_method(): expected 'allgather' or 'alltoall', got {rotate_method!r}")
    _cp_options.rotate_method = methods[rotate_method]
