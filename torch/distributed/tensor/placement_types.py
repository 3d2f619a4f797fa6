"""Layouts of tensors that are spread over processes: values that describe them. The tensors themselves are not there yet."""

from __future__ import annotations

from dataclasses import dataclass

from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refused_classes("_StridedShard")


class Placement:
    """How a tensor is spread over one dimension of a mesh of processes.

    Example:
        >>> torch.distributed.tensor.Shard(0).is_shard()
        True
    """

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a part, along the dimension `dim` if one is given.

        Args:
            dim: a dimension of the tensor

        Example:
            >>> torch.distributed.tensor.Shard(1).is_shard(0)
            False
        """
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether every process has the whole tensor.

        Example:
            >>> torch.distributed.tensor.Replicate().is_replicate()
            True
        """
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether the tensor is the reduction of what the processes have, by `reduce_op` if one is given.

        Args:
            reduce_op: such as "sum"

        Example:
            >>> torch.distributed.tensor.Partial().is_partial("sum")
            True
        """
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part of the tensor.

    Args:
        dim: the dimension along which it is cut

    Example:
        >>> torch.distributed.tensor.Shard(0)
        Shard(dim=0)
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Every process has the whole tensor.

    Example:
        >>> torch.distributed.tensor.Replicate()
        Replicate()
    """


@dataclass(frozen=True)
class Partial(Placement):
    """The tensor is the reduction of what the processes have.

    Args:
        reduce_op: the reduction: "sum", "avg", "product", "max" or "min"

    Example:
        >>> torch.distributed.tensor.Partial()
        Partial(sum)
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"
