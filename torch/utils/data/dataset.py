"""Datasets: by index, or as a stream."""

from __future__ import annotations

import bisect
import math
import warnings
from typing import Any, Generic, TypeVar

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_T = TypeVar("_T", covariant=True)


class Dataset(Generic[_T]):
    """A collection read by index: define `__getitem__`, and `__len__` for most uses.

    Example:
        >>> class Squares(torch.utils.data.Dataset):
        ...     def __getitem__(self, index):
        ...         return index ** 2
        ...     def __len__(self):
        ...         return 3
        >>> list(torch.utils.data.DataLoader(Squares(), batch_size=3))
        [tensor([0, 1, 4])]
    """

    def __getitem__(self, index: Any) -> _T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T]):
    """A stream of samples: define `__iter__`.

    With workers, each has a copy, and `get_worker_info()` tells them apart.

    Example:
        >>> class Count(torch.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(3))
        >>> list(torch.utils.data.DataLoader(Count(), batch_size=2))
        [tensor([0, 1]), tensor([2])]
    """

    def __add__(self, other: Dataset[Any]) -> ChainDataset:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[torch.Tensor, ...]]):
    """Tuples of the rows of tensors that are equally long.

    Args:
        *tensors (Tensor): one or more

    Raises:
        AssertionError: they are not equally long

    Example:
        >>> torch.utils.data.TensorDataset(torch.arange(3), torch.arange(3) * 10)[2]
        (tensor(2), tensor(20))
    """

    tensors: tuple[torch.Tensor, ...]

    def __init__(self, *tensors: torch.Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[torch.Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Samples of several datasets side by side: as tuples, or as dictionaries if they are given by name.

    Args:
        *args (Dataset): equally long ones
        **kwargs (Dataset): the same by name

    Raises:
        ValueError: there are none, both forms are mixed, or lengths differ

    Example:
        >>> torch.utils.data.StackDataset(x=[1, 2], y=[3, 4])[1]
        {'x': 2, 'y': 4}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either tuple- (via args) or dict- (via kwargs) like input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        parts = args or list(kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset):
    """Datasets one after the other.

    Args:
        datasets (Iterable[Dataset]): one or more

    Raises:
        AssertionError: there are none, or one is a stream

    Example:
        >>> torch.utils.data.ConcatDataset([[1, 2], [3]])[2]
        3
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each dataset ends among all.

        Args:
            sequence (Iterable[Dataset]): the datasets
        """
        ends, end = [], 0
        for dataset in sequence:
            end += len(dataset)
            ends.append(end)
        return ends

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        k = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[k][index - (self.cumulative_sizes[k - 1] if k else 0)]


class ChainDataset(IterableDataset):
    """Streams one after the other.

    Args:
        datasets (Iterable[IterableDataset]): the streams

    Example:
        >>> class Count(torch.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(2))
        >>> list(torch.utils.data.ChainDataset([Count(), Count()]))
        [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        super().__init__()
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self) -> int:
        return sum(map(len, self.datasets))


class Subset(Dataset):
    """Those samples of a dataset that indices name.

    Args:
        dataset (Dataset): where they are
        indices (Sequence[int]): which ones

    Example:
        >>> list(torch.utils.data.Subset([10, 20, 30], [2, 0]))
        [30, 10]
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[k] for k in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        chosen = [self.indices[k] for k in indices]
        many = getattr(self.dataset, "__getitems__", None)
        return many(chosen) if callable(many) else [self.dataset[k] for k in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: torch.Generator | None = None) -> list[Subset]:
    """Disjoint random subsets of a dataset.

    Args:
        dataset (Dataset): what is divided
        lengths (Sequence[int or float]): how many samples each gets, or shares that add up to one
        generator (Generator, optional): of the order; by default the default one

    Returns:
        a Subset for each length

    Raises:
        ValueError: the lengths do not add up to that of the dataset

    Example:
        >>> parts = torch.utils.data.random_split(range(10), [0.7, 0.3])
        >>> [len(part) for part in parts]
        [7, 3]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        shares, lengths = lengths, []
        for k, share in enumerate(shares):
            if share < 0 or share > 1:
                raise ValueError(f"Fraction at index {k} is not between 0 and 1")
            lengths.append(int(math.floor(len(dataset) * share)))
        for k in range(len(dataset) - sum(lengths)):
            lengths[k % len(lengths)] += 1
        for k, length in enumerate(lengths):
            if length == 0:
                warnings.warn(f"Length of split at index {k} is 0. This might result in an empty dataset.", stacklevel=2)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    generator = torch.default_generator if generator is None else generator
    order = torch.randperm(sum(lengths), generator=generator).tolist()
    parts, end = [], 0
    for length in lengths:
        parts.append(Subset(dataset, order[end : end + length]))
        end += length
    return parts
