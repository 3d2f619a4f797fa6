"""How a tensor is cut into parts of one length along a dimension; the last ones are filled up."""

from __future__ import annotations

import torch
from torch.distributed.tensor.placement_types import chunk_range


class Parts:
    """The parts of a tensor of a shape, and the one of this process."""

    def __init__(self, shape: torch.Size, dim: int, count: int, index: int) -> None:
        self.shape, self.dim, self.count = shape, dim, count
        self.start, self.end = chunk_range(shape[dim], count, index)
        self.chunk = -(-shape[dim] // count)
        self.part_shape = torch.Size([self.chunk if d == dim else n for d, n in enumerate(shape)])
        self.numel = self.part_shape.numel()
        self.total = self.numel * count

    def own(self, whole: torch.Tensor) -> torch.Tensor:
        """A copy of this process's part of a tensor."""
        return whole.narrow(self.dim, self.start, self.end - self.start).clone(memory_format=torch.contiguous_format)

    def filled(self, part: torch.Tensor) -> torch.Tensor:
        """A part as one row, filled up with zeros."""
        if part.shape != self.part_shape:
            full = part.new_zeros(self.part_shape)
            full.narrow(self.dim, 0, part.size(self.dim)).copy_(part)
            part = full
        return part.reshape(-1)

    def join(self, rows: torch.Tensor, whole: torch.Tensor) -> None:
        """Writes all parts, one row each, into a tensor, whose memory has room for what they are filled up with if it is cut
        along dimension 0."""
        if self.dim == 0:
            whole.as_strided((self.count, self.numel), (self.numel, 1)).copy_(rows)
        else:
            joined = torch.cat([part.view(self.part_shape) for part in rows.unbind()], self.dim)
            whole.copy_(joined.narrow(self.dim, 0, self.shape[self.dim]))

    def rows(self, whole: torch.Tensor) -> torch.Tensor:
        """A tensor as parts, one row each, filled up."""
        missing = self.chunk * self.count - whole.size(self.dim)
        if missing:
            pad = [0, 0] * (whole.dim() - 1 - self.dim) + [0, missing]
            whole = torch.nn.functional.pad(whole, pad)
        if self.dim:
            whole = torch.stack(whole.chunk(self.count, self.dim))
        return whole.reshape(self.count, self.numel)
