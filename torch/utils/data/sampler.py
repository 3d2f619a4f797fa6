"""Samplers: in which order a dataset is read."""

from __future__ import annotations

import itertools
from typing import Generic, TypeVar

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_T = TypeVar("_T", covariant=True)


class Sampler(Generic[_T]):
    """An iterable of indices, or of lists of indices: define `__iter__`, and `__len__` where it is known.

    Example:
        >>> class Backwards(torch.utils.data.Sampler):
        ...     def __iter__(self):
        ...         return iter([2, 1, 0])
        >>> list(torch.utils.data.DataLoader([10, 20, 30], sampler=Backwards(), batch_size=3))
        [tensor([30, 20, 10])]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """From first to last.

    Args:
        data_source (Sized): the dataset

    Example:
        >>> list(torch.utils.data.SequentialSampler(["a", "b"]))
        [0, 1]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _positive(num_samples: Any) -> None:
    if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")


class RandomSampler(Sampler[int]):
    """In random order.

    Args:
        data_source (Sized): the dataset
        replacement (bool, default False): every draw is from all
        num_samples (int, optional): how many draws; by default as many as there are samples
        generator (Generator, optional): of the order

    Raises:
        TypeError: `replacement` is no bool
        ValueError: `num_samples` is not positive

    Example:
        >>> sorted(torch.utils.data.RandomSampler(["a", "b", "c"]))
        [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        self.data_source, self.replacement, self._num_samples, self.generator = (
            data_source,
            replacement,
            num_samples,
            generator,
        )
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _positive(self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many draws."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, generator = len(self.data_source), self.generator
        if generator is None:
            seed = int(torch.empty((), dtype=torch.int64).random_().item())
            generator = torch.Generator()
            generator.manual_seed(seed)
        if self.replacement:
            for _ in range(self.num_samples // 32):
                yield from torch.randint(high=count, size=(32,), dtype=torch.int64, generator=generator).tolist()
            rest = self.num_samples % 32
            yield from torch.randint(high=count, size=(rest,), dtype=torch.int64, generator=generator).tolist()
            return
        for _ in range(self.num_samples // count):
            yield from torch.randperm(count, generator=generator).tolist()
        yield from torch.randperm(count, generator=generator).tolist()[: self.num_samples % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order.

    Args:
        indices (Sequence[int]): the indices
        generator (Generator, optional): of the order

    Example:
        >>> sorted(torch.utils.data.SubsetRandomSampler([5, 7]))
        [5, 7]
    """

    def __init__(self, indices: Sequence[int], generator: torch.Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for k in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[k]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with probabilities in proportion to weights.

    Args:
        weights (Sequence[float]): one for each index
        num_samples (int): how many draws
        replacement (bool, default True): an index may come again
        generator (Generator, optional): of the draws

    Raises:
        ValueError: `num_samples` is not positive, or the weights are not in one dimension

    Example:
        >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
        [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: torch.Generator | None = None,
    ) -> None:
        _positive(num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        if self.weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list]):
    """Lists of indices of another sampler.

    Args:
        sampler (Sampler or Iterable): of the indices
        batch_size (int): how many a list has
        drop_last (bool): leave a shorter last one out

    Raises:
        ValueError: `batch_size` is not positive, or `drop_last` is no bool

    Example:
        >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)
