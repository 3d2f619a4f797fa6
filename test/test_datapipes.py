"""Pipes of torch.utils.data.datapipes, alone and under a DataLoader. Orders are PyTorch's from the same seeds."""

from __future__ import annotations

import copy
import io
import pickle

import pytest

import torch
from torch.utils.data import (
    DataLoader,
    IterDataPipe,
    MapDataPipe,
    argument_validation,
    functional_datapipe,
    guaranteed_datapipes_determinism,
    non_deterministic,
    runtime_validation,
    runtime_validation_disabled,
)
from torch.utils.data.datapipes.iter import FileLister, FileOpener, IterableWrapper, Sampler, StreamReader
from torch.utils.data.datapipes.map import SequenceWrapper
from torch.utils.data.graph import traverse_dps
from torch.utils.data.graph_settings import apply_random_seed, apply_sharding, apply_shuffle_settings, get_all_graph_pipes


@pytest.fixture
def five():
    return IterableWrapper(range(5))


def test_steps(five) -> None:
    assert list(five.map(str)) == ["0", "1", "2", "3", "4"]
    assert list(five.filter(lambda x: x % 2 == 0)) == [0, 2, 4]
    assert list(five.batch(2)) == [[0, 1], [2, 3], [4]]
    assert list(five.batch(2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(five.batch(2).batch(2).unbatch(-1)) == [0, 1, 2, 3, 4]
    assert list(five.batch(2).batch(2).unbatch()) == [[0, 1], [2, 3], [4]]
    assert [batch.tolist() for batch in five.batch(2).collate()] == [[0, 1], [2, 3], [4]]
    assert list(five.concat(five)) == [*range(5)] * 2
    assert list(five.zip(IterableWrapper("ab"))) == [(0, "a"), (1, "b")]
    assert list(five.mux(IterableWrapper("ab"))) == [0, "a", 1, "b"]
    assert list(Sampler(five)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("build", "length"), [
    (lambda p: p.map(str), 5), (lambda p: p.batch(2), 3), (lambda p: p.batch(2, drop_last=True), 2), (lambda p: p.concat(p), 10),
    (lambda p: p.mux(p), 10), (lambda p: p.zip(p), 5), (lambda p: p.shuffle(), 5), (lambda p: p.fork(2)[0], 5),
])  # fmt: skip
def test_lengths(five, build, length) -> None:
    assert len(build(five)) == length


def test_pipes_without_a_length(five) -> None:
    with pytest.raises(TypeError, match="no len"):
        len(five.filter(bool))
    with pytest.raises(TypeError, match="valid length"):
        len(five.filter(bool).map(str))


def test_columns() -> None:
    rows = IterableWrapper([(1, 2)])
    assert list(rows.map(lambda x: x + 10, input_col=1)) == [(1, 12)]
    assert list(rows.map(lambda a, b: a + b, input_col=[0, 1])) == [(3,)]
    assert list(rows.map(lambda a, b: a + b, input_col=[0, 1], output_col=-1)) == [(1, 2, 3)]
    assert list(IterableWrapper([{"a": 1}]).map(str, input_col="a", output_col="b")) == [{"a": 1, "b": "1"}]
    assert list(IterableWrapper([(1, 2), (0, 3)]).filter(lambda x: x > 0, input_col=0)) == [(1, 2)]
    with pytest.raises(ValueError, match="takes 2 positional parameters"):
        rows.map(lambda a, b: a, input_col=0)
    with pytest.raises(ValueError, match="output_col needs input_col"):
        rows.map(str, output_col=1)


def test_fork(five) -> None:
    first, second = five.fork(2)
    assert (list(first), list(second)) == ([*range(5)], [*range(5)])
    assert list(zip(first, second)) == [(k, k) for k in range(5)]
    older = iter(first)
    next(older)
    iter(first)
    with pytest.raises(RuntimeError, match="invalidated"):
        next(older)
    with pytest.raises(BufferError, match="buffer_size=2"):
        list(five.fork(2, buffer_size=2)[0])
    copied, _ = IterableWrapper([[1]], deepcopy=False).fork(2, copy="deep")
    assert next(iter(copied)) == [1]


def test_demux(five) -> None:
    even, odd = five.demux(2, lambda x: x % 2)
    assert (list(even), list(odd)) == ([0, 2, 4], [1, 3])
    kept, _ = five.demux(2, lambda x: None if x == 1 else 0, drop_none=True)
    assert list(kept) == [0, 2, 3, 4]
    with pytest.raises(ValueError, match="from 0 to 1, got 3"):
        list(five.demux(2, lambda x: 3)[0])
    with pytest.raises(BufferError, match="buffer_size=1"):
        list(five.demux(2, lambda x: x % 2, buffer_size=1)[0])


def test_groups(five) -> None:
    assert list(five.groupby(lambda x: x % 2)) == [[0, 2, 4], [1, 3]]
    assert list(five.groupby(lambda x: x % 2, group_size=2)) == [[0, 2], [1, 3], [4]]
    assert list(five.groupby(lambda x: x % 2, keep_key=True)) == [(0, [0, 2, 4]), (1, [1, 3])]
    assert list(IterableWrapper([0, 1, 0, 0, 1, 2, 2, 1]).groupby(int, buffer_size=3)) == [[0, 0], [1, 1], [2, 2], [0], [1]]
    with pytest.raises(RuntimeError, match="guaranteed_group_size=2"):
        list(five.groupby(str, buffer_size=2, group_size=2))


def test_orders_are_those_of_pytorch(five) -> None:
    torch.manual_seed(0)
    shuffled = five.shuffle()
    assert list(shuffled) == [1, 3, 0, 2, 4]
    assert list(shuffled) == [1, 2, 3, 4, 0]
    assert list(IterableWrapper(range(10)).shuffle(buffer_size=4).set_seed(3))[:4] == [1, 4, 2, 3]
    assert list(five.shuffle().set_shuffle(False)) == [0, 1, 2, 3, 4]
    assert list(five.batch(2).shuffle(unbatch_level=1).set_seed(1)) == [1, 0, 3, 2, 4]
    torch.manual_seed(0)
    shuffled = SequenceWrapper([5, 6, 7]).shuffle()
    assert list(shuffled) == [7, 6, 5]
    assert list(shuffled) == [6, 7, 5]
    both = five.shuffle().zip(five.shuffle())
    apply_random_seed(both, torch.Generator().manual_seed(3))
    assert list(both) == [(1, 3), (2, 1), (4, 4), (3, 0), (0, 2)]


def test_a_new_iterator_ends_the_older_one(five) -> None:
    older = iter(five)
    next(older)
    assert next(iter(five)) == 0
    with pytest.raises(RuntimeError, match="invalidated"):
        next(older)

    class Plain(IterDataPipe):
        def __iter__(self):
            return iter([1, 2])

    pipe = Plain()
    older = iter(pipe)
    assert list(pipe) == [1, 2]
    with pytest.raises(RuntimeError, match="invalidated"):
        next(older)


def test_iterators_that_are_the_pipe_itself_are_reset() -> None:
    class Count(IterDataPipe):
        def reset(self):
            self.number = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.number += 1
            if self.number > 3:
                raise StopIteration
            return self.number

    pipe = Count()
    assert list(pipe) == list(pipe) == [1, 2, 3]


def test_maps() -> None:
    pipe = SequenceWrapper([5, 6, 7])
    assert list(pipe.map(str)) == ["5", "6", "7"]
    assert list(pipe.concat(pipe)) == [5, 6, 7] * 2
    assert list(pipe.zip(pipe.map(str))) == [(5, "5"), (6, "6"), (7, "7")]
    assert list(pipe.batch(2)) == [[5, 6], [7]]
    assert SequenceWrapper({"a": 1})["a"] == 1
    with pytest.raises(IndexError, match="out of range"):
        pipe.concat(pipe)[6]
    with pytest.raises(TypeError, match="MapDataPipe, got list"):
        pipe.zip([1])


def test_files(tmp_path) -> None:
    for name in ("b.txt", "a.txt", "c.py", "sub/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    root = str(tmp_path)
    assert [path[len(root) + 1 :] for path in FileLister(root, "*.txt")] == ["a.txt", "b.txt"]
    assert [path[len(root) + 1 :] for path in FileLister(root, recursive=True)] == ["a.txt", "b.txt", "c.py", "sub/d.txt"]
    opened = FileOpener(FileLister(root, "a.*"), mode="b")
    assert list(StreamReader(opened, chunk=3)) == [(f"{root}/a.txt", b"a.t"), (f"{root}/a.txt", b"xt")]
    assert [text for _, text in FileLister(root, "*.py").open_files().read_from_stream()] == ["c.py"]
    with pytest.raises(ValueError, match="mode"):
        FileOpener([], mode="w")
    with pytest.raises(FileNotFoundError):
        list(FileLister(root + "/none"))


def test_decoding() -> None:
    files = [
        ("a.txt", io.BytesIO(b"abc")),
        ("b.json", io.BytesIO(b"[1]")),
        ("c.cls", io.BytesIO(b"3")),
        ("d.x", io.BytesIO(b"y")),
    ]
    decoded = IterableWrapper(files, deepcopy=False).routed_decode()
    assert list(decoded) == [("a.txt", "abc"), ("b.json", [1]), ("c.cls", 3), ("d.x", b"y")]


def test_pictures_are_decoded() -> None:
    image = pytest.importorskip("PIL.Image")
    encoded = io.BytesIO()
    image.new("RGB", (3, 2), (255, 0, 0)).save(encoded, "PNG")
    encoded.seek(0)
    [(_, tensor)] = IterableWrapper([("a.png", encoded)], deepcopy=False).routed_decode()
    assert tensor.tolist() == torch.tensor([1.0, 0, 0]).view(3, 1, 1).expand(3, 2, 3).tolist()


def test_own_steps_and_decorators(five) -> None:
    class Twice(IterDataPipe):
        def __init__(self, source):
            self.source = source

        def __iter__(self):
            yield from (2 * x for x in self.source)

    functional_datapipe("twice_in_a_test")(Twice)
    try:
        assert list(five.twice_in_a_test()) == [0, 2, 4, 6, 8]
        with pytest.raises(Exception, match="already taken"):
            functional_datapipe("twice_in_a_test")(Twice)
    finally:
        del IterDataPipe.functions["twice_in_a_test"]
    with pytest.raises(AttributeError, match="twice_in_a_test"):
        five.twice_in_a_test()
    with pytest.raises(TypeError, match="subclass of IterDataPipe or MapDataPipe"):
        functional_datapipe("x")(int)

    marked = non_deterministic(Twice)
    assert list(marked(five)) == [0, 2, 4, 6, 8]
    with guaranteed_datapipes_determinism(), pytest.raises(TypeError, match="non-deterministic"):
        marked(five)
    assert list(marked(five)) == [0, 2, 4, 6, 8]


def test_validation() -> None:
    class Numbers(IterDataPipe[int]):
        @runtime_validation
        def __iter__(self):
            yield from [1, "a"]

    @argument_validation
    def first(pipe: IterDataPipe):
        return next(iter(pipe))

    with pytest.raises(RuntimeError, match="expected samples of int, got str"):
        list(Numbers())
    with runtime_validation_disabled():
        assert list(Numbers()) == [1, "a"]
    assert first(Numbers()) == 1
    with pytest.raises(TypeError, match="expected an IterDataPipe for 'pipe', got list"):
        first([1])


def test_graphs(five) -> None:
    left, right = five.shuffle().fork(2)
    names = [type(pipe).__name__ for pipe in get_all_graph_pipes(traverse_dps(left.zip(right)))]
    assert names == ["ZipperIterDataPipe", "_ChildDataPipe", "_ForkerIterDataPipe", "ShufflerIterDataPipe",
                     "IterableWrapperIterDataPipe", "_ChildDataPipe"]  # fmt: skip
    sharded = five.sharding_filter()
    assert list(sharded) == [0, 1, 2, 3, 4]
    apply_sharding(sharded, 2, 1)
    assert (list(sharded), len(sharded)) == ([1, 3], 2)
    with pytest.raises(RuntimeError, match="would both leave samples out"):
        apply_sharding(five.sharding_filter().sharding_filter(), 2, 1)
    with pytest.warns(UserWarning, match="no pipe shuffles"):
        assert sorted(apply_shuffle_settings(five, True)) == [0, 1, 2, 3, 4]
    assert list(apply_shuffle_settings(five.shuffle(), False)) == [0, 1, 2, 3, 4]


def test_copies(five) -> None:
    pipe = five.map(str).batch(2)
    assert list(pickle.loads(pickle.dumps(pipe))) == list(copy.deepcopy(pipe)) == [["0", "1"], ["2", "3"], ["4"]]
    assert list(pickle.loads(pickle.dumps(five.shuffle().set_seed(1)))) == [1, 0, 3, 2, 4]
    forked = five.fork(2)
    list(forked[0])
    assert list(pickle.loads(pickle.dumps(forked[1]))) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("workers", "epochs"), [
    (0, [[[9, 2, 1], [7, 10, 6], [4, 8, 0], [3, 5, 11]], [[9, 11, 0], [7, 8, 1], [6, 4, 3], [2, 5, 10]]]),
    (2, [[[9, 1, 10], [2, 7, 6], [4, 0, 5], [8, 3, 11]], [[5, 10, 3], [7, 6, 4], [2, 1, 8], [0, 9, 11]]]),
])  # fmt: skip
def test_loader(workers, epochs) -> None:
    torch.manual_seed(1)
    pipe = IterableWrapper(list(range(12))).shuffle().sharding_filter()
    loader = DataLoader(pipe, batch_size=3, shuffle=True, num_workers=workers)
    assert len(loader) == 4
    assert [[batch.tolist() for batch in loader] for _ in range(2)] == epochs
    unshuffled = DataLoader(pipe, batch_size=3, shuffle=False, num_workers=workers)
    expected = [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]] if workers else [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert [batch.tolist() for batch in unshuffled] == expected


def test_workers_that_persist() -> None:
    torch.manual_seed(0)
    pipe = IterableWrapper(list(range(9))).shuffle().sharding_filter()
    loader = DataLoader(pipe, batch_size=3, shuffle=True, num_workers=2, persistent_workers=True)
    first, second = ([batch.tolist() for batch in loader] for _ in range(2))
    assert first == [[0, 7, 1], [5, 4, 3], [8, 2], [6]]
    assert second == [[0, 6, 2], [3, 5, 8], [4, 7], [1]]


def test_loader_over_a_map() -> None:
    class Squares(MapDataPipe):
        def __getitem__(self, index):
            return index**2

        def __len__(self):
            return 4

    assert [batch.tolist() for batch in DataLoader(Squares().map(float), batch_size=2)] == [[0, 1], [4, 9]]
    torch.manual_seed(1)
    loader = DataLoader(SequenceWrapper(list(range(7))).shuffle(), batch_size=2, shuffle=True)
    assert [batch.tolist() for batch in loader] == [[6, 3], [5, 2], [0, 1], [4]]
