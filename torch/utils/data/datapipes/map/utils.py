"""Collections of what can be indexed."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from torch.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["SequenceWrapperMapDataPipe"]


class SequenceWrapperMapDataPipe(MapDataPipe[Any]):
    """A list or a dictionary as a pipe.

    Args:
        sequence (sequence or mapping): the samples
        deepcopy (bool, default True): keep a copy of them

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper({"a": 100})["a"]
        100
    """

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        if deepcopy:
            try:
                sequence = copy.deepcopy(sequence)
            except TypeError:
                warnings.warn(
                    "SequenceWrapper: the samples cannot be copied, so that changes of them are seen here; deepcopy=False "
                    "accepts that",
                    stacklevel=2,
                )
        self.sequence = sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)
