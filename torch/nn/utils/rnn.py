"""Sequences of different lengths: padded into a tensor, or packed step by step."""

from collections import namedtuple

import torch
from torch import _C, _lazy

_Fields = namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(_Fields):
    """Steps of all sequences, the longest first: `batch_sizes[t]` of them take part in step t."""

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never "
                "be created "
                "manually. They should be instantiated by functions like pack_sequence and "
                "pack_padded_sequences in nn.utils.rnn."
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """The same with its data moved or converted; itself where that changes nothing."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [None if index is None else index.to(data.device)
                 for index in (self.sorted_indices, self.unsorted_indices)]  # fmt: skip
        return type(self)(data, self.batch_sizes, *moved)

    def cpu(self, *args, **kwargs):
        return self.to("cpu", *args, **kwargs)

    def cuda(self, device="cuda"):
        return self.to(device)

    def double(self):
        return self.to(torch.float64)

    def float(self):
        return self.to(torch.float32)

    def half(self):
        return self.to(torch.float16)

    def long(self):
        return self.to(torch.int64)

    def int(self):
        return self.to(torch.int32)

    def short(self):
        return self.to(torch.int16)

    def char(self):
        return self.to(torch.int8)

    def byte(self):
        return self.to(torch.uint8)

    def is_pinned(self):
        return self.data.is_pinned()

    @property
    def is_cuda(self):
        return self.data.is_cuda

    def pin_memory(self):
        return self


def invert_permutation(permutation):
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation, memory_format=torch.legacy_contiguous_format)
    return inverse.scatter_(0, permutation, torch.arange(0, permutation.numel(), device=permutation.device))


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack (length, batch, *); `lengths` must not increase unless enforce_sorted is False."""
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


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """(padded tensor, lengths), the sequences in their original order."""
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in "
                "input, but got "
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


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Stack sequences (length_i, *) into (longest, batch, *), filling up with `padding_value`."""
    if isinstance(sequences, torch.Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    return _C._nn.pad_sequence(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences that pad_sequence put together."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack a list of sequences (length_i, *)."""
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The list of sequences in a PackedSequence."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)

_lazy.names_what_is_absent(__name__)
