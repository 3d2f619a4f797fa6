"""BlockMask: which blocks of queries see which blocks of keys. Everybody imports it from flex_attention."""

from __future__ import annotations

import inspect
from enum import Enum

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor

    MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_TENSORS = (
    "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices", "full_q_num_blocks",
    "full_q_indices", "dq_write_order", "dq_write_order_full", "dq_kv_order",
)  # fmt: skip


class _ModificationType(Enum):
    SCORE_MOD = 1
    MASK_MOD = 2
    UNKNOWN = 3


def _get_mod_type(fn: Callable[..., Any]) -> _ModificationType:
    """Whether a function changes scores or hides them, by the number of its arguments without a default."""
    if not callable(fn):
        raise TypeError(f"expected a function of 4 or 5 arguments, but got {type(fn).__name__}")
    if hasattr(fn, "__code__"):
        count = fn.__code__.co_argcount - len(fn.__defaults__ or ()) - int(inspect.ismethod(fn))  # type: ignore[attr-defined]
    else:
        parameters = inspect.signature(fn).parameters.values()
        count = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if count not in (4, 5):
        raise AssertionError(f"expected a function of 4 positional arguments (a mask) or 5 (a score), but it has {count}")
    return _ModificationType.SCORE_MOD if count == 5 else _ModificationType.MASK_MOD


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask by which every query sees every key.

    Args:
        batch (Tensor): number of the batch
        head (Tensor): number of the head
        token_q (Tensor): number of the query
        token_kv (Tensor): number of the key

    Returns:
        True

    Example:
        >>> from torch.nn.attention.flex_attention import noop_mask
        >>> zero = torch.tensor(0)
        >>> noop_mask(zero, zero, zero, zero)
        tensor(True)
    """
    return batch.new_ones(size=(), dtype=torch.bool)


def _sliced_mask_mod_error(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    raise RuntimeError(
        "the mask function of a sliced BlockMask does not know which part of the mask it is; set `block_mask.mask_mod` to one "
        "that adds the offsets"
    )


def _dense_to_ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """(number of ones in each row, their columns first and then the others)."""
    dense = dense.to(torch.int32)
    columns = torch.argsort(dense, dim=-1, descending=True, stable=True)
    return dense.sum(dim=-1).to(torch.int32), columns.to(torch.int32).contiguous()


def _ordered_to_dense(counts: Tensor, columns: Tensor, num_columns: int | None = None) -> Tensor:
    """The inverse of `_dense_to_ordered`."""
    width = columns.size(-1) if num_columns is None else num_columns
    is_used = torch.arange(columns.size(-1), device=columns.device) < counts.unsqueeze(-1)
    dense = torch.zeros(*columns.shape[:-1], width + 1, dtype=torch.int32, device=columns.device)
    # What is not used goes to a further column, which is dropped.
    dense.scatter_(-1, torch.where(is_used, columns, width).long(), 1)
    return dense[..., :width].contiguous()


def _transpose_ordered(counts: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    return _dense_to_ordered(_ordered_to_dense(counts, columns).transpose(-2, -1))


def _block_sizes(block_size: int | tuple[int, int]) -> tuple[int, int]:
    return (block_size, block_size) if isinstance(block_size, int) else (block_size[0], block_size[1])


class BlockMask:
    """A mask of attention in blocks: for each block of queries, the blocks of keys that it sees, wholly or in part.

    `create_block_mask` makes one from a function. Indexing gives the mask of some batches, heads, or blocks of queries. Indices
    of blocks have the shape (batches, heads, blocks, blocks); the first `num_blocks` of each row count.

    Args:
        seq_lengths (tuple[int, int]): numbers of queries and of keys
        kv_num_blocks (Tensor): for each block of queries, how many blocks of keys it sees in part
        kv_indices (Tensor): which ones
        full_kv_num_blocks (Tensor or None): how many it sees wholly
        full_kv_indices (Tensor or None): which ones
        q_num_blocks (Tensor or None): for each block of keys, how many blocks of queries see it in part
        q_indices (Tensor or None): which ones
        full_q_num_blocks (Tensor or None): how many see it wholly
        full_q_indices (Tensor or None): which ones
        BLOCK_SIZE (tuple[int, int], default (128, 128)): queries and keys in a block
        mask_mod (Callable): whether a query sees a key, within blocks that are seen in part
        dq_write_order (Tensor or None): kept for kernels of a GPU
        dq_write_order_full (Tensor or None): kept for kernels of a GPU
        dq_kv_order (Tensor or None): kept for kernels of a GPU
        dq_kv_order_spt (bool or None): kept for kernels of a GPU

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
        >>> mask.shape, mask.sparsity(), mask.to_dense()
        ((1, 1, 256, 256), 25.0, tensor([[[[1, 0],
                  [1, 1]]]], dtype=torch.int32))
    """

    def __init__(
        self, seq_lengths: tuple[int, int], kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None, q_num_blocks: Tensor | None, q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None, full_q_indices: Tensor | None, BLOCK_SIZE: tuple[int, int] = (128, 128),
        mask_mod: MaskMod = noop_mask, *, dq_write_order: Tensor | None = None, dq_write_order_full: Tensor | None = None,
        dq_kv_order: Tensor | None = None, dq_kv_order_spt: bool | None = None,
    ) -> None:  # fmt: skip
        if kv_indices.dim() < 2:
            raise RuntimeError(f"BlockMask: kv_indices must have 2 dimensions or more, but got {kv_indices.dim()}")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("BlockMask: full_kv_num_blocks and full_kv_indices come together, but got one of them")
        if (full_q_num_blocks is None) != (full_q_indices is None):
            raise AssertionError("BlockMask: full_q_num_blocks and full_q_indices come together, but got one of them")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt
        self.BLOCK_SIZE, self.mask_mod = BLOCK_SIZE, mask_mod

    @classmethod
    def from_kv_blocks(
        cls, kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None, BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: MaskMod | None = None, seq_lengths: tuple[int, int] | None = None, compute_q_blocks: bool = True, *,
        dq_write_order: Tensor | None = None, dq_write_order_full: Tensor | None = None,
        dq_kv_order: Tensor | bool | None = None,
    ) -> BlockMask:  # fmt: skip
        """A mask from the blocks of keys that each block of queries sees.

        Args:
            kv_num_blocks (Tensor): for each block of queries, how many blocks of keys it sees in part
            kv_indices (Tensor): which ones
            full_kv_num_blocks (Tensor or None): how many it sees wholly
            full_kv_indices (Tensor or None): which ones
            BLOCK_SIZE (int or tuple[int, int], default 128): queries and keys in a block
            mask_mod (Callable or None): whether a query sees a key, within blocks that are seen in part; None: it does
            seq_lengths (tuple[int, int] or None): numbers of queries and of keys; None: those of whole blocks
            compute_q_blocks (bool, default True): also find the blocks of queries that see each block of keys
            dq_write_order (Tensor or None): kept for kernels of a GPU
            dq_write_order_full (Tensor or None): kept for kernels of a GPU
            dq_kv_order (Tensor, bool or None): kept for kernels of a GPU

        Returns:
            the mask

        Raises:
            RuntimeError: `kv_indices` has fewer than 2 dimensions

        Example:
            >>> from torch.nn.attention.flex_attention import BlockMask
            >>> counts, indices = torch.tensor([[[1, 2]]]), torch.tensor([[[[0, 1], [0, 1]]]])
            >>> BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=64).shape
            (1, 1, 128, 128)
        """
        if kv_indices.dim() < 2:
            raise RuntimeError(f"BlockMask: kv_indices must have 2 dimensions or more, but got {kv_indices.dim()}")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("BlockMask: full_kv_num_blocks and full_kv_indices come together, but got one of them")
        q: Any = (None, None)
        full_q: Any = (None, None)
        if compute_q_blocks:
            q = _transpose_ordered(kv_num_blocks, kv_indices)
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                full_q = _transpose_ordered(full_kv_num_blocks, full_kv_indices)
        sizes = _block_sizes(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = kv_indices.shape[-2] * sizes[0], kv_indices.shape[-1] * sizes[1]
        order: Any = None if isinstance(dq_kv_order, bool) else dq_kv_order
        return cls(
            seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *q, *full_q, BLOCK_SIZE=sizes,
            mask_mod=noop_mask if mask_mod is None else mask_mod, dq_write_order=dq_write_order,
            dq_write_order_full=dq_write_order_full, dq_kv_order=order,
            dq_kv_order_spt=dq_kv_order if isinstance(dq_kv_order, bool) else None,
        )  # fmt: skip

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """The arguments of the constructor.

        Args:
            flatten (bool, default True): the two lengths and the two sizes as numbers of their own

        Returns:
            the lengths, the tensors, the sizes of a block, and the function

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> len(create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256).as_tuple())
            17
        """
        tensors = (*(getattr(self, name) for name in _TENSORS), self.dq_kv_order_spt)
        if flatten:
            return (*self.seq_lengths, *tensors, *self.BLOCK_SIZE, self.mask_mod)
        return (self.seq_lengths, *tensors, self.BLOCK_SIZE, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batches, heads, queries and keys.

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> create_block_mask(lambda b, h, q, kv: q >= kv, 2, 3, 256, 128).shape
            (2, 3, 256, 128)
        """
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def __getitem__(self, index: Any) -> BlockMask:
        index = index if isinstance(index, tuple) else (index,)
        if Ellipsis in [i for i in index if not isinstance(i, torch.Tensor)]:
            place = next(k for k, i in enumerate(index) if i is Ellipsis)
            missing = self.kv_num_blocks.dim() - (len(index) - 1)
            index = (*index[:place], *(slice(None),) * max(missing, 0), *index[place + 1 :])
        # Numbers keep their dimension, so that the mask still has batches and heads.
        index = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index[: self.kv_num_blocks.dim()])
        full = self.full_kv_num_blocks, self.full_kv_indices
        new: Any = [None if tensor is None else tensor[index] for tensor in full]
        return type(self).from_kv_blocks(
            self.kv_num_blocks[index], self.kv_indices[index], *new, BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=_sliced_mask_mod_error, seq_lengths=self.seq_lengths, compute_q_blocks=self.q_indices is not None,
        )  # fmt: skip

    def __repr__(self) -> str:
        lines = []
        for name in _TENSORS[:8]:
            tensor = getattr(self, name)
            lines.append(f"    {name}={None if tensor is None else tensor.shape}")
        lines.append(f"    BLOCK_SIZE={self.BLOCK_SIZE}")
        lines.append(f"    shape={self.shape}")
        lines.append(f"    sparsity={self.sparsity():.2f}%")
        lines.append(f"    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}")
        return "BlockMask(\n" + ",\n".join(lines) + "\n)"

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string()})"

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """The mask for other numbers of queries and keys: blocks are dropped, or added without any key."""
        rows = -(-new_q_len // self.BLOCK_SIZE[0])
        columns = -(-new_kv_len // self.BLOCK_SIZE[1])

        def resized(counts: Any, indices: Any) -> Any:
            if counts is None:
                return None, None
            dense = _ordered_to_dense(counts, indices)[..., :rows, :columns]
            new = dense.new_zeros(*dense.shape[:-2], rows, columns)
            new[..., : dense.size(-2), : dense.size(-1)] = dense
            return _dense_to_ordered(new)

        partial = resized(self.kv_num_blocks, self.kv_indices)
        full = resized(self.full_kv_num_blocks, self.full_kv_indices)
        return type(self).from_kv_blocks(
            *partial, *full, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod, seq_lengths=(new_q_len, new_kv_len)
        )

    def numel(self) -> int:
        """The number of elements that the mask stands for.

        Returns:
            the product of the shape

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 128).numel()
            32768
        """
        product = 1
        for size in self.shape:
            product *= size
        return product

    def sparsity(self) -> float:
        """The share of the mask, in percent, whose blocks are not computed.

        Returns:
            the share; below 0 where the last blocks reach beyond the mask

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 512, 512).sparsity()
            37.5
        """
        blocks = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            blocks += int(self.full_kv_num_blocks.sum())
        return 100 * (1 - blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self) -> Tensor:
        """The blocks as a matrix.

        Returns:
            int32: 1 where a block of queries sees a block of keys, wholly or in part

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256).to_dense()
            tensor([[[[1, 0],
                      [1, 1]]]], dtype=torch.int32)
        """
        partial = _ordered_to_dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return partial
        return partial | _ordered_to_dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """A picture of the blocks: full cells where all are seen, shaded ones where some are.

        Args:
            grid_size (int or tuple[int, int], default (20, 20)): the largest numbers of rows and columns; -1: one for each block
            limit (int, default 4): how many batches and heads are shown

        Returns:
            the picture

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> mask = create_block_mask(lambda b, h, q, kv: q >= 0, None, None, 256, 256)
            >>> mask.to_string().count("█")
            8
        """
        dense = self.to_dense()
        dense = dense.reshape(-1, *dense.shape[-2:]) if dense.dim() == 2 else dense
        rows, columns = dense.shape[-2:]
        limits = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        step = tuple(1 if count < 0 else -(-size // count) for size, count in zip((rows, columns), limits))
        leading = dense.shape[:-2]
        pictures = []
        for number, matrix in enumerate(dense.reshape(-1, rows, columns)):
            if number == limit:
                pictures.append("...\n(limit= shows more, and an index of the mask chooses a batch and a head)")
                break
            place, rest = [], number
            for size in reversed(leading):
                place.insert(0, rest % size)
                rest //= size
            pictures.append(f"{tuple(place)}\n" + _picture(matrix, step))
        return "\n".join(pictures)

    def to(self, device: torch.device | str) -> BlockMask:
        """The mask on another device.

        Args:
            device (torch.device or str): the device

        Returns:
            a new mask

        Example:
            >>> from torch.nn.attention.flex_attention import create_block_mask
            >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256).to("cpu").shape
            (1, 1, 256, 256)
        """
        tensors = {name: getattr(self, name) for name in _TENSORS}
        moved: Any = {name: tensor.to(device) if isinstance(tensor, torch.Tensor) else tensor for name, tensor in tensors.items()}
        return BlockMask(
            self.seq_lengths, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod, dq_kv_order_spt=self.dq_kv_order_spt, **moved
        )


def _picture(matrix: Tensor, step: tuple[int, ...]) -> str:
    lines = []
    for band in matrix.split(step[0], 0):
        cells = [cell.float().mean().item() for cell in band.split(step[1], 1)]
        lines.append("".join("██" if share == 1 else "  " if share == 0 else "░░" for share in cells))
    return "\n".join(lines) + "\n"
