"""Layouts of tensors that are spread over processes: values that describe them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


def chunk_range(size: int, num_chunks: int, index: int) -> tuple[int, int]:
    """Where part `index` of `num_chunks` begins and ends: all parts are as long as the first, but for the last ones."""
    length = -(-size // num_chunks)
    return min(length * index, size), min(length * (index + 1), size)


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

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), tuple(vars(self).values())


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

    @staticmethod
    def local_shard_size_and_offset(curr_local_size: int, num_chunks: int, rank: int) -> tuple[int, int]:
        """How long a part is, and where it begins.

        Args:
            curr_local_size: the size of the dimension
            num_chunks: how many parts there are
            rank: which part

        Returns:
            the length and the offset

        Example:
            >>> torch.distributed.tensor.Shard.local_shard_size_and_offset(5, 2, 1)
            (2, 3)
        """
        start, end = chunk_range(curr_local_size, num_chunks, rank)
        return end - start, start


@dataclass(frozen=True)
class _StridedShard(Shard):
    """A part that was cut after those of later dimensions of the mesh, such as by FSDP after tensor parallelism.

    `split_factor` is the number of parts that the dimension was in before.
    """

    split_factor: int = 1

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"


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


@dataclass(frozen=True)
class _NormPartial(Partial):
    """What the processes have are norms of parts; the tensor is the norm of all of them."""

    norm_type: float = 2.0

    def __repr__(self) -> str:
        return f"_NormPartial({self.norm_type})"
