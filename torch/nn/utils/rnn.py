"""Sequences of different lengths: padded into a tensor, or packed step by step."""

from __future__ import annotations

from collections import namedtuple

import torch
from torch import _C, _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NamedTuple

    from typing_extensions import Self

    from torch import Tensor

    class _Fields(NamedTuple):
        data: Tensor
        batch_sizes: Tensor
        sorted_indices: Tensor | None
        unsorted_indices: Tensor | None

else:
    _Fields = namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pad_packed_sequence", "pad_sequence",
    "unpad_sequence", "pack_sequence", "unpack_sequence",
]  # fmt: skip


class PackedSequence(_Fields):
    """Sequences of different lengths, step by step, the longest first: what recurrent layers take without padding.

    Made by `pack_padded_sequence` and `pack_sequence`.

    Args:
        data (Any): all steps, (total length, *)
        batch_sizes (Tensor or None): how many sequences take part in each step, on the CPU
        sorted_indices (Tensor or None): the order in which the sequences stand; None: as they came
        unsorted_indices (Tensor or None): its inverse; None: computed

    Raises:
        ValueError: `batch_sizes` is not on the CPU

    Example:
        >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        PackedSequence(data=tensor([1, 3, 2]), batch_sizes=tensor([2, 1]), sorted_indices=None, unsorted_indices=None)
    """

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
                "manually. They should be instantiated by functions like pack_sequence and pack_padded_sequences "
                "in nn.utils.rnn."
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """The same with its data moved or converted; itself where that changes nothing.

        Args:
            *args (Any): those of `Tensor.to`
            **kwargs (Any): those of `Tensor.to`

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).to(torch.float64).data.dtype
            torch.float64
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [None if index is None else index.to(data.device)
                 for index in (self.sorted_indices, self.unsorted_indices)]  # fmt: skip
        return type(self)(data, self.batch_sizes, *moved)

    def cpu(self, *args: Any, **kwargs: Any) -> Self:
        """The same on the CPU.

        Args:
            *args (Any): those of `Tensor.to`, after the device
            **kwargs (Any): those of `Tensor.to`, after the device

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).cpu().data.device
            device(type='cpu')
        """
        return self.to("cpu", *args, **kwargs)

    def cuda(self, device: Any = "cuda") -> Self:
        """The same on a GPU, which this version has no kernels for.

        Args:
            device (Any, default "cuda"): which one

        Returns:
            a PackedSequence

        Raises:
            RuntimeError: there is no such device

        Example:
            >>> move = nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).cuda
        """
        return self.to(device)

    def double(self) -> Self:
        """The same with its data as float64.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).double().data.dtype
            torch.float64
        """
        return self.to(torch.float64)

    def float(self) -> Self:
        """The same with its data as float32.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).float().data.dtype
            torch.float32
        """
        return self.to(torch.float32)

    def half(self) -> Self:
        """The same with its data as float16.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).half().data.dtype
            torch.float16
        """
        return self.to(torch.float16)

    def long(self) -> Self:
        """The same with its data as int64.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).long().data.dtype
            torch.int64
        """
        return self.to(torch.int64)

    def int(self) -> Self:
        """The same with its data as int32.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).int().data.dtype
            torch.int32
        """
        return self.to(torch.int32)

    def short(self) -> Self:
        """The same with its data as int16.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).short().data.dtype
            torch.int16
        """
        return self.to(torch.int16)

    def char(self) -> Self:
        """The same with its data as int8.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).char().data.dtype
            torch.int8
        """
        return self.to(torch.int8)

    def byte(self) -> Self:
        """The same with its data as uint8.

        Returns:
            a PackedSequence

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).byte().data.dtype
            torch.uint8
        """
        return self.to(torch.uint8)

    def is_pinned(self) -> Any:
        """Whether the data lies in pinned memory, for copies to a GPU.

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).is_pinned()
            False
        """
        return self.data.is_pinned()

    @property
    def is_cuda(self) -> bool:
        """Whether the data lies on a GPU.

        Example:
            >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).is_cuda
            False
        """
        return self.data.is_cuda

    def pin_memory(self) -> Self:
        """The sequence itself: there is no GPU to pin memory for.

        Returns:
            the sequence

        Example:
            >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2])])
            >>> packed.pin_memory() is packed
            True
        """
        return self


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another.

    Args:
        permutation (Tensor or None): (N), int64; None stays None

    Returns:
        (N)

    Example:
        >>> nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation, memory_format=torch.legacy_contiguous_format)
    return inverse.scatter_(0, permutation, torch.arange(0, permutation.numel(), device=permutation.device))


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Packs padded sequences: the padding is dropped.

    Args:
        input (Tensor): (longest, N, *), or (N, longest, *) with batch_first
        lengths (Tensor or Sequence[int]): length of each sequence, at least 1, on the CPU
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        enforce_sorted (bool, default True): raise where lengths increase; False sorts them

    Returns:
        a PackedSequence

    Raises:
        RuntimeError: a length is not positive, or they increase and `enforce_sorted` is set

    Example:
        >>> padded = torch.tensor([[1, 2], [3, 0]])
        >>> nn.utils.rnn.pack_padded_sequence(padded, [2, 1], batch_first=True).data
        tensor([1, 3, 2])
    """
    if not isinstance(lengths, torch.Tensor):
        lengths = torch.as_tensor(lengths, device="cpu")
    lengths = lengths.to(torch.int64)
    order = None
    if not enforce_sorted:
        lengths, order = torch.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, sizes = _C._VariableFunctions._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: Any = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Undoes `pack_padded_sequence`.

    Args:
        sequence (PackedSequence): what was packed
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        padding_value (Any, default 0.0): what fills up
        total_length (int or None): length to pad to; None: that of the longest

    Returns:
        (padded sequences in their first order, lengths)

    Raises:
        ValueError: `total_length` is less than the longest

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        >>> nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2],
                [3, 0]]), tensor([2, 1]))
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    padded, lengths = _C._VariableFunctions._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, longest
    )
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(
    sequences: Tensor | Iterable[Tensor], batch_first: bool = False, padding_value: Any = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stacks sequences of different lengths, filling up.

    Args:
        sequences (Tensor or iterable): tensors (length, *)
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        padding_value (Any, default 0.0): what fills up
        padding_side (str, default "right"): 'right' or 'left'

    Returns:
        (longest, N, *), or (N, longest, *) with batch_first

    Raises:
        RuntimeError: `sequences` cannot be iterated over

    Example:
        >>> nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
        tensor([[1, 2],
                [3, 0]])
    """
    if isinstance(sequences, torch.Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    return _C._nn.pad_sequence(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences that `pad_sequence` put together.

    Args:
        padded_sequences (Tensor): (longest, N, *), or (N, longest, *) with batch_first
        lengths (Tensor): length of each sequence
        batch_first (bool, default False): the batch is dimension 0 instead of 1

    Returns:
        a list of N tensors

    Example:
        >>> nn.utils.rnn.unpad_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1]), batch_first=True)
        [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs a list of sequences.

    Args:
        sequences (Sequence[Tensor]): tensors (length, *)
        enforce_sorted (bool, default True): raise where lengths increase; False sorts them

    Returns:
        a PackedSequence

    Raises:
        RuntimeError: lengths increase and `enforce_sorted` is set

    Example:
        >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).batch_sizes
        tensor([2, 1])
    """
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences in a PackedSequence, in their first order.

    Args:
        packed_sequences (PackedSequence): what was packed

    Returns:
        a list of tensors

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        >>> nn.utils.rnn.unpack_sequence(packed)
        [tensor([1, 2]), tensor([3])]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


_lazy.names_what_is_absent(__name__)
