"""Loading data, in this process and in workers."""

import os
import signal
import time
import warnings

import pytest
from surroundings import tensor_files, tensor_files_left_since

import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)


class Squares(Dataset):
    """i -> (i squared, a row that is large enough to go through shared memory)."""

    def __len__(self):
        return 20

    def __getitem__(self, index):
        return index**2, torch.full((5000,), float(index))


class Failing(Squares):
    def __getitem__(self, index):
        raise ValueError("no such square")


class Dying(Squares):
    def __getitem__(self, index):
        os.kill(os.getpid(), signal.SIGKILL)


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(10)) if info is None else iter(range(info.id, 10, info.num_workers))


def numbers(loader):
    return [batch[0].tolist() for batch in loader]


def test_random_streams_are_those_of_pytorch():
    torch.manual_seed(0)
    assert list(RandomSampler(range(6))) == [0, 1, 2, 3, 5, 4]
    assert list(RandomSampler(range(6), replacement=True, num_samples=8)) == [0, 3, 3, 2, 3, 3, 3, 1]
    torch.manual_seed(0)
    loader = DataLoader(range(6), 2, shuffle=True)
    first = [batch.tolist() for batch in loader]
    assert sorted(sum(first, [])) == list(range(6)) and first != [batch.tolist() for batch in loader]
    generator = torch.Generator().manual_seed(1)
    assert [b.tolist() for b in DataLoader(range(6), 2, shuffle=True, generator=generator)] == [[0, 4], [5, 1], [2, 3]]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_order_and_values(workers):
    loader = DataLoader(Squares(), 4, num_workers=workers)
    assert numbers(loader) == [[i**2 for i in range(k, k + 4)] for k in range(0, 20, 4)]
    for squares, rows in loader:
        assert torch.equal(rows[:, 0] ** 2, squares.float()) and rows.shape == (4, 5000)
        rows += 1  # the caller may change the batch


def test_spawned_workers():
    loader = DataLoader(TensorDataset(torch.arange(6)), 2, num_workers=1, multiprocessing_context="spawn")
    assert numbers(loader) == [[0, 1], [2, 3], [4, 5]]


def test_persistent_workers():
    loader = DataLoader(Squares(), 5, num_workers=2, persistent_workers=True)
    next(iter(loader))  # an epoch that is left early
    assert [numbers(loader) for _ in range(2)] == [[[i**2 for i in range(k, k + 5)] for k in range(0, 20, 5)]] * 2


def test_streams():
    assert [b.tolist() for b in DataLoader(Stream(), 4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    batches = [b.tolist() for b in DataLoader(Stream(), 2, num_workers=2)]
    assert sorted(sum(batches, [])) == list(range(10))
    assert [b.tolist() for b in DataLoader(Stream(), 4, drop_last=True)] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_errors_of_workers():
    with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker process 0") as caught:
        numbers(DataLoader(Failing(), num_workers=1))
    assert "no such square" in str(caught.value)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        numbers(DataLoader(Dying(), num_workers=2))


class Slow(Squares):
    def __getitem__(self, index):
        import time

        time.sleep(30)


def test_timeout():
    with pytest.raises(RuntimeError, match="timed out after 1 seconds"):
        numbers(DataLoader(Slow(), num_workers=1, timeout=1))


class Seeds(Squares):
    def __getitem__(self, index):
        return get_worker_info().seed, torch.initial_seed()


def test_worker_seeds():
    torch.manual_seed(0)
    (first, a), (second, b) = DataLoader(Subset(Seeds(), range(2)), num_workers=2)
    assert second.item() == first.item() + 1 and torch.equal(first, a) and torch.equal(second, b)


def test_collate():
    batch = default_collate([{"a": 1, "b": [2.5, "x"]}, {"a": 3, "b": [4.5, "y"]}])
    assert (
        batch["a"].tolist() == [1, 3]
        and batch["b"][0].dtype == torch.float64
        and batch["b"][1] == ["x", "y"]
        or (batch["b"][1] == ("x", "y"))
    )
    with pytest.raises(RuntimeError, match="equal size"):
        default_collate([[1, 2], [3]])
    with pytest.raises(TypeError, match="batch must contain"):
        default_collate([object()])


def test_datasets():
    data = TensorDataset(torch.arange(10), torch.arange(10.0))
    a, b = random_split(data, [0.7, 0.3], generator=torch.Generator().manual_seed(0))
    assert len(a) == 7 and sorted(a.indices + b.indices) == list(range(10))
    joined = ConcatDataset([data, Subset(data, [3, 4])])
    assert len(joined) == 12 and joined[-1][0].item() == 4 and joined[10][0].item() == 3
    assert set(WeightedRandomSampler([0.0, 1.0], 5)) == {1}


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"num_workers": -1},
        {"timeout": -1},
        {"prefetch_factor": 2},
        {"persistent_workers": True},
        {"batch_size": None, "drop_last": True},
        {"shuffle": True, "sampler": [0]},
    ],
)
def test_refused_options(options):
    with pytest.raises(ValueError):
        DataLoader(Squares(), **options)


class Stopping(Squares):
    def __getitem__(self, index):
        if index == 13:
            raise StopIteration
        return index


def stopping_collate(samples):
    raise StopIteration


@pytest.mark.parametrize("workers", [0, 2])
def test_stop_iteration_in_a_dataset_is_no_end(workers):
    for loader in (
        DataLoader(Stopping(), 4, num_workers=workers),
        DataLoader(Stopping(), None, num_workers=workers),
        DataLoader(Squares(), 4, num_workers=workers, collate_fn=stopping_collate),
        DataLoader(Stream(), 2, num_workers=workers, collate_fn=stopping_collate),
    ):
        with pytest.raises(RuntimeError, match="raised StopIteration"):
            for _ in loader:
                pass


def test_more_workers_than_processors():
    processors = len(os.sched_getaffinity(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DataLoader(Squares(), num_workers=processors)
    with pytest.warns(UserWarning, match=f"num_workers={processors + 1}, but only {processors} processors") as caught:
        DataLoader(Squares(), num_workers=processors + 1)
    assert caught[0].filename == __file__


class Large(Dataset):
    """Samples for every way to send a tensor."""

    rows = torch.arange(100_000.0).reshape(10, 10_000)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        whole = torch.full((30_000,), float(index))
        return {
            "row": self.rows[index],
            "pair": (whole, whole[10:20]),
            "small": torch.tensor([index]),
            "parameter": torch.nn.Parameter(torch.full((20_000,), float(index))),
            "empty": torch.empty(0, 3),
        }


def same(samples):
    return samples


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_samples_of_workers_are_shared_memory(start):
    loader = DataLoader(Large(), 2, num_workers=1, collate_fn=same, multiprocessing_context=start)
    descriptors = len(os.listdir("/proc/self/fd"))
    samples = sum(loader, [])
    deadline = time.time() + 10  # the end of a worker is noticed a little later
    while len(os.listdir("/proc/self/fd")) > descriptors + 1 and time.time() < deadline:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 1, "no descriptor is kept for a batch"
    for index, sample in enumerate(samples):
        whole, view = sample["pair"]
        assert whole.is_shared() and view.data_ptr() == whole[10:].data_ptr() and view.tolist() == [index] * 10
        assert torch.equal(sample["row"], Large.rows[index]) and sample["row"].untyped_storage().nbytes() < 80_000
        assert isinstance(sample["parameter"], torch.nn.Parameter) and sample["parameter"].requires_grad
        assert sample["small"].item() == index and sample["empty"].shape == (0, 3)
        whole.zero_()
        assert view.sum() == 0
    loader = DataLoader(torch.utils.data.TensorDataset(Large.rows), 5, num_workers=1)
    assert all(batch.is_shared() for (batch,) in loader)


class ManyTensors(Dataset):
    """More tensors in one sample than descriptors go into one message."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return [torch.full((20_000,), float(k)) for k in range(600)]


def test_a_batch_of_many_tensors():
    for sample in DataLoader(ManyTensors(), None, num_workers=1):
        assert [tensor[-1].item() for tensor in sample] == list(range(600))


def test_nothing_is_left_in_shared_memory():
    before = tensor_files()
    loader = iter(DataLoader(Large(), 1, num_workers=2, collate_fn=same))
    next(loader)
    for process in loader.workers.processes:
        os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        for _ in loader:
            pass
    assert not tensor_files_left_since(before)
