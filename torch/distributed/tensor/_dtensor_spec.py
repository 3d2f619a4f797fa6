"""What is known about a tensor that is spread over processes: its mesh, its placements, its shape as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _StridedShard, chunk_range

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh


class TensorMeta(NamedTuple):
    """The shape, the strides and the dtype of the whole tensor."""

    shape: torch.Size
    stride: tuple[int, ...]
    dtype: torch.dtype


class DTensorSpec:
    """The layout of one tensor."""

    __slots__ = ("mesh", "placements", "tensor_meta", "_hash")

    def __init__(
        self, mesh: DeviceMesh, placements: Sequence[Placement], tensor_meta: TensorMeta | None = None
    ) -> None:  # fmt: skip
        self.mesh, self.placements, self.tensor_meta = mesh, tuple(placements), tensor_meta
        self._hash = hash((mesh, self.placements, tensor_meta))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, DTensorSpec)
            and self._hash == other._hash
            and self.placements == other.placements
            and self.tensor_meta == other.tensor_meta
            and self.mesh == other.mesh
        )

    def __repr__(self) -> str:
        shape = None if self.tensor_meta is None else tuple(self.tensor_meta.shape)
        return f"DTensorSpec({self.placements} of {shape} on {self.mesh})"

    def __getstate__(self) -> tuple[DeviceMesh, tuple[Placement, ...], TensorMeta | None]:
        return self.mesh, self.placements, self.tensor_meta

    def __setstate__(self, state: tuple[DeviceMesh, tuple[Placement, ...], TensorMeta | None]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    @property
    def device_mesh(self) -> DeviceMesh:
        return self.mesh

    @property
    def meta(self) -> TensorMeta:
        assert self.tensor_meta is not None
        return self.tensor_meta

    @property
    def shape(self) -> torch.Size:
        return self.meta.shape

    @property
    def stride(self) -> tuple[int, ...]:
        return self.meta.stride

    @property
    def ndim(self) -> int:
        return len(self.meta.shape)

    def is_replicated(self) -> bool:
        return all(p.is_replicate() for p in self.placements)

    def local_shape(self) -> tuple[int, ...]:
        """The shape of this process's part."""
        return local_shape_and_offset(self.shape, self.mesh, self.placements)[0]


def sharding_order(placements: Sequence[Placement]) -> list[int]:
    """The dimensions of the mesh that cut the tensor, in the order in which they do: strided ones come last."""
    cutting = [i for i, p in enumerate(placements) if isinstance(p, Shard)]
    return sorted(cutting, key=lambda i: isinstance(placements[i], _StridedShard))


def position(mesh: DeviceMesh) -> tuple[int, ...]:
    """The coordinate of this process."""
    found = mesh.get_coordinate()
    if found is None:
        raise RuntimeError(f"DTensor: this process, rank {mesh.get_rank()}, is not in {mesh}")
    return found


def local_shape_and_offset(
    shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement], coordinate: Sequence[int] | None = None,
    before: int | None = None,
) -> tuple[tuple[int, ...], tuple[int, ...]]:  # fmt: skip
    """The shape and the offset of the part at a coordinate; with `before`, of what that dimension of the mesh is to cut."""
    sizes, offsets = list(shape), [0] * len(shape)
    where = position(mesh) if coordinate is None else coordinate
    for i in sharding_order(placements):
        if i == before:
            break
        d = placements[i].dim  # type: ignore[attr-defined]
        start, end = chunk_range(sizes[d], mesh.size(i), where[i])
        sizes[d], offsets[d] = end - start, offsets[d] + start
    return tuple(sizes), tuple(offsets)


def normalize(placements: Sequence[Placement] | None, mesh: DeviceMesh, ndim: int, what: str) -> tuple[Placement, ...]:
    """The placements with dimensions counted from the front; whole copies by default."""
    if placements is None:
        return (Replicate(),) * mesh.ndim
    placements = tuple(placements)
    if len(placements) != mesh.ndim:
        raise ValueError(f"{what}(): expected a placement for each of the {mesh.ndim} dimensions of the mesh, got {placements}")
    found = []
    for p in placements:
        if not isinstance(p, Placement):
            raise TypeError(f"{what}(): expected a Placement, got {type(p).__name__}")
        if isinstance(p, Shard):
            if not -ndim <= p.dim < ndim:
                raise ValueError(f"{what}(): a tensor with {ndim} dimensions cannot be cut along dimension {p.dim}")
            if p.dim < 0:
                p = _StridedShard(p.dim + ndim, p.split_factor) if isinstance(p, _StridedShard) else Shard(p.dim + ndim)
        elif isinstance(p, Partial) and p.reduce_op not in ("sum", "avg", "product", "max", "min"):
            raise ValueError(f"{what}(): unknown reduction {p.reduce_op!r} of a Partial")
        found.append(p)
    return tuple(found)


def contiguous_stride(shape: Sequence[int]) -> tuple[int, ...]:
    stride, step = [], 1
    for size in reversed(shape):
        stride.append(step)
        step *= max(size, 1)
    return tuple(reversed(stride))
