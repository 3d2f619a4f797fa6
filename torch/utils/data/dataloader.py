"""DataLoader: batches of a dataset, made in this process or in workers."""

from __future__ import annotations

import functools
import itertools
import sys
import warnings

import torch
from torch import _C
from torch._logging import _switches
from torch.utils.data._collate import default_collate, default_convert
from torch.utils.data._fetch import MapFetcher, StreamFetcher
from torch.utils.data.dataset import IterableDataset
from torch.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from torch.utils.data.dataset import Dataset
    from torch.utils.data.sampler import Sampler


class _DatasetKind:
    """How a dataset is read: by index, or as a stream.

    Example:
        >>> torch.utils.data._DatasetKind.Map
        0
    """

    Map, Iterable = 0, 1


class _InfiniteConstantSampler:
    """Stands for the indices of a stream, which has none."""

    def __iter__(self):
        return itertools.repeat(None)


def _is_pipe(dataset, name="IterDataPipe"):
    """Whether a dataset is one of torch.utils.data.datapipes, which are imported when a program uses them."""
    module = sys.modules.get("torch.utils.data.datapipes.datapipe")
    return module is not None and isinstance(dataset, getattr(module, name))


def _settle_pipes(dataset, shared_seed):
    """Each worker takes its part of what the pipes give, and all of them shuffle alike."""
    from torch.utils.data._worker_info import get_worker_info
    from torch.utils.data.graph_settings import apply_random_seed, apply_sharding

    worker = get_worker_info()
    apply_sharding(dataset, worker.num_workers if worker else 1, worker.id if worker else 0)
    if shared_seed is not None:
        apply_random_seed(dataset, torch.Generator().manual_seed(shared_seed))


def _make_fetcher(kind, auto_collation, collate_fn, drop_last, dataset, shared_seed=None):
    if _is_pipe(dataset) or _is_pipe(dataset, "MapDataPipe"):
        _settle_pipes(dataset, shared_seed)
    return (StreamFetcher if kind == _DatasetKind.Iterable else MapFetcher)(dataset, auto_collation, collate_fn, drop_last)


class DataLoader:
    """Iterates over a dataset in batches.

    Args:
        dataset (Dataset): what is read
        batch_size (int or None, default 1): samples of a batch; None for single samples as they are
        shuffle (bool, default False): a new order every epoch
        sampler (Sampler or Iterable, optional): an order of the caller's own
        batch_sampler (Sampler or Iterable, optional): lists of indices, one for each batch
        num_workers (int, default 0): processes that prepare batches ahead; 0: this process makes them
        collate_fn (function, optional): makes a batch of a list of samples
        pin_memory (bool, default False): put batches into pinned memory, from which a GPU copies faster; no effect without a GPU
        drop_last (bool, default False): leave a smaller last batch out
        timeout (float, default 0): seconds to wait for a worker, 0 for ever
        worker_init_fn (function, optional): gets the worker's number, and runs first in every worker
        multiprocessing_context (str or context, optional): "fork", "spawn" or a context
        generator (Generator, optional): of shuffling, and of the workers' seeds
        prefetch_factor (int, default 2 with workers): batches that each worker prepares ahead
        persistent_workers (bool, default False): keep the workers after an epoch
        pin_memory_device (str, default ""): accepted for compatibility
        in_order (bool, default True): False gives batches as they come

    Raises:
        ValueError: options that exclude each other

    Example:
        >>> data = torch.utils.data.TensorDataset(torch.arange(5))
        >>> for batch, in torch.utils.data.DataLoader(data, batch_size=2):
        ...     print(batch)
        tensor([0, 1])
        tensor([2, 3])
        tensor([4])
    """

    _initialized = False
    _pins = False

    def __init__(
        self,
        dataset: Dataset[Any],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[Any] | Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], object] | None = None,
        multiprocessing_context: Any = None,
        generator: torch.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        self._check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        self.dataset, self.num_workers, self.timeout = dataset, num_workers, timeout
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.persistent_workers, self.in_order, self.generator = persistent_workers, in_order, generator
        if _is_pipe(dataset):
            from torch.utils.data.graph_settings import apply_shuffle_settings

            self.dataset = dataset = apply_shuffle_settings(dataset, shuffle=shuffle)
            shuffle = None
        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            for name, value, plain in (
                ("shuffle", shuffle, (None, False)),
                ("sampler", sampler, (None,)),
                ("batch_sampler", batch_sampler, (None,)),
            ):
                if not any(value is accepted for accepted in plain):
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                    )
        else:
            self._dataset_kind = _DatasetKind.Map
        shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.sampler, self.batch_sampler = (
            batch_size,
            drop_last,
            sampler,
            batch_sampler,
        )
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self._iterator = None
        self._initialized = True
        self.check_worker_number_rationality()

    @staticmethod
    def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, context):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if context is not None and num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={num_workers}"
            )
        if isinstance(context, str):
            import multiprocessing

            known = multiprocessing.get_all_start_methods()
            if context not in known:
                raise ValueError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{known!r}, but got multiprocessing_context={context!r}"
                )

    def __setattr__(self, name, value):
        if self._initialized and name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Iterator[Any]:
        self._pins = self.pin_memory and torch.cuda.is_available()
        if self.pin_memory and not self._pins:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=2,
            )
        if self.num_workers == 0:
            return self._single()
        if self._iterator is not None:
            self._iterator.reset(self._shared_seed())
            return self._iterator
        iterator = self._multi()
        if self.persistent_workers:
            self._iterator = iterator
        return iterator

    def _placed(self, batch):
        if not self._pins:
            return batch
        from torch.utils.data._pin_memory import pin_memory

        return pin_memory(batch, self.pin_memory_device or None)

    def _base_seed(self):
        """Drawn at the start of every epoch, or when workers start that persist; also without workers."""
        return torch.empty((), dtype=torch.int64).random_(generator=self.generator).item()

    def _shared_seed(self):
        """Of what pipes draw alike in all workers; None for other datasets."""
        return self._base_seed() if _is_pipe(self.dataset) else None

    def _fetcher_maker(self, shared_seed=None):
        return functools.partial(
            _make_fetcher, self._dataset_kind, self._auto_collation, self.collate_fn, self.drop_last, shared_seed=shared_seed
        )

    def _single(self):
        shared_seed = self._shared_seed()
        self._base_seed()
        return _SingleProcessIterator(self, shared_seed)

    def _multi(self):
        from torch.utils.data._multi import MultiProcessIterator

        shared_seed = self._shared_seed()
        base_seed = self._base_seed()
        self._shared_seed()  # as PyTorch does: it sets the seed again when the first epoch begins
        return MultiProcessIterator(self, self._index_sampler, self._fetcher_maker(shared_seed), base_seed)

    def __len__(self) -> int:
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn of more workers than there are processors to run them."""
        import os

        processors = len(os.sched_getaffinity(0))
        if self.num_workers > processors:
            warnings.warn(
                f"this DataLoader has num_workers={self.num_workers}, but only {processors} processors may run this "
                "process: workers beyond that wait for each other, and loading gets slower",
                UserWarning,
                stacklevel=3,
            )


class _BaseDataLoaderIter:
    """The base of the iterators of a DataLoader."""

    def __iter__(self):
        return self


class _SingleProcessIterator(_BaseDataLoaderIter):
    """Batches made in this process."""

    def __init__(self, loader, shared_seed):
        self.loader = loader
        self.indices = iter(loader._index_sampler)
        self.fetch = loader._fetcher_maker(shared_seed)(loader.dataset).fetch
        if _switches.dataloader:
            _switches.dataloader("batches are made in this process")

    def __next__(self):
        range_of_profile = _C._profiler_begin_range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
        try:
            return self.loader._placed(self.fetch(next(self.indices)))
        finally:
            _C._profiler_end_range(range_of_profile)

    next = __next__

    def __len__(self):
        return len(self.loader._index_sampler)


_SingleProcessDataLoaderIter = _SingleProcessIterator


def __getattr__(name: str) -> Any:
    if name == "_MultiProcessingDataLoaderIter":
        from torch.utils.data._multi import MultiProcessIterator

        return MultiProcessIterator
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
