"""Modules spread over processes. Their settings can be made; applying them needs DTensor, which is not there."""

from __future__ import annotations

from typing import Any

from torch.distributed._not_there import not_there as _not_there
from torch.distributed.tensor.placement_types import Placement, Replicate, Shard

_missing = _not_there(__name__, globals())
_missing.refuses("loss_parallel parallelize_module _apply")
_missing.refused_classes("PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput")


class ParallelStyle:
    """How `parallelize_module` spreads a module.

    Example:
        >>> isinstance(torch.distributed.tensor.parallel.ColwiseParallel(), torch.distributed.tensor.parallel.ParallelStyle)
        True
    """

    src_data_rank: int | None = 0

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        globals()["_apply"]()


class _Linear(ParallelStyle):
    """Settings of a linear module or an embedding."""

    def __init__(self, given: Placement, result: Placement, use_local_output: bool) -> None:
        self.input_layouts, self.output_layouts = (given,), (result,)
        self.use_local_output = use_local_output

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class ColwiseParallel(_Linear):
    """Each process has some of the columns of the result: rows of the weight.

    Args:
        input_layouts: of the argument (default: whole)
        output_layouts: of the result (default: cut along the last dimension)
        use_local_output: whether the result is this process's part as a plain tensor

    Example:
        >>> torch.distributed.tensor.parallel.ColwiseParallel().output_layouts
        (Shard(dim=-1),)
    """

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None, use_local_output: bool = True
    ) -> None:  # fmt: skip
        super().__init__(input_layouts or Replicate(), output_layouts or Shard(-1), use_local_output)
        self.desired_input_layouts = (Replicate(),)


class RowwiseParallel(_Linear):
    """Each process has some of the columns of the argument: columns of the weight.

    Args:
        input_layouts: of the argument (default: cut along the last dimension)
        output_layouts: of the result (default: whole)
        use_local_output: whether the result is a plain tensor

    Example:
        >>> torch.distributed.tensor.parallel.RowwiseParallel().input_layouts
        (Shard(dim=-1),)
    """

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None, use_local_output: bool = True
    ) -> None:  # fmt: skip
        super().__init__(input_layouts or Shard(-1), output_layouts or Replicate(), use_local_output)


class SequenceParallel(ParallelStyle):
    """Each process has some of the positions of a sequence.

    Args:
        sequence_dim: the dimension of positions
        use_local_output: whether the result is a plain tensor

    Example:
        >>> torch.distributed.tensor.parallel.SequenceParallel().sequence_sharding
        (Shard(dim=1),)
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        super().__init__()
        self.sequence_sharding = (Shard(sequence_dim),)
        self.use_local_output = use_local_output
