"""Integers that take few values are sorted and searched by counting, others by their keys: NumPy says what is right."""

import numpy as np
import pytest

import torch

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool, torch.uint16, torch.uint64)
REFUSED = (torch.bool,)  # by operators that select one element


def lines(dtype, n, values):
    """[3, n, 2]; values around the least number of the type, or around 0."""
    rng = np.random.default_rng(n)
    low = 0 if dtype in (torch.bool, torch.uint8, torch.uint16, torch.uint64) else -values // 2
    drawn = rng.integers(low, low + values, (3, n, 2))
    return torch.from_numpy(drawn).to(dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("n, values", ((64, 2), (500, 100), (1500, 120), (3000, 5000)))
def test_orders(dtype, n, values):
    x = lines(dtype, n, values)
    a = x.numpy()
    for dim, descending in ((1, False), (1, True)):
        found, places = x.sort(dim=dim, descending=descending, stable=True)
        # NumPy has no descending sort that is stable: the order of what is turned round twice is.
        order = np.argsort(a, dim, kind="stable")
        if descending:
            order = n - 1 - np.flip(np.argsort(np.flip(a, dim), dim, kind="stable"), dim)
        np.testing.assert_array_equal(places.numpy(), order)
        np.testing.assert_array_equal(found.numpy(), np.take_along_axis(a, order, dim))
    for k in () if dtype in REFUSED else (1, n // 3, n):
        found, places = x.kthvalue(k, 1)
        np.testing.assert_array_equal(found.numpy(), np.sort(a, 1)[:, k - 1])
        assert torch.equal(x.gather(1, places[:, None])[:, 0], found)
    if dtype in REFUSED:
        return
    found, places = x.median(1)
    np.testing.assert_array_equal(found.numpy(), np.sort(a, 1)[:, (n - 1) // 2])
    assert torch.equal(x.gather(1, places[:, None])[:, 0], found)
    found, places = x.mode(1)
    for i in range(3):
        for j in range(2):
            line, counts = np.unique(a[i, :, j], return_counts=True)
            assert found[i, j] == line[counts.argmax()]
            assert places[i, j] == np.flatnonzero(a[i, :, j] == found[i, j].item())[-1]


@pytest.mark.parametrize("dtype", (torch.int32, torch.int64))
def test_values_at_the_ends_of_the_type(dtype):
    info = torch.iinfo(dtype)
    for base in (info.min, info.max - 99):
        x = torch.randint(0, 100, (2000,)).to(dtype) + base
        np.testing.assert_array_equal(x.sort()[0].numpy(), np.sort(x.numpy()))
        assert x.median() == np.sort(x.numpy())[999]
    x = torch.tensor([info.min, info.max] * 100, dtype=dtype)
    assert x.sort()[0].tolist() == [info.min] * 100 + [info.max] * 100


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.bfloat16))
@pytest.mark.parametrize("n", (300, 5000, 70000))
def test_selection_of_floats(dtype, n):
    torch.manual_seed(n)
    for x in (torch.randn(2, n), torch.randn(2, n).round(), torch.ones(2, n), torch.arange(2.0 * n).view(2, n)):
        x = x.to(dtype)
        ordered = x.sort(1)[0]
        for k in (1, 2, n // 7, n - 1, n):
            found, places = x.kthvalue(k, 1)
            assert torch.equal(found, ordered[:, k - 1]) and torch.equal(x.gather(1, places[:, None])[:, 0], found)
        found, places = x.median(1)
        assert torch.equal(found, ordered[:, (n - 1) // 2])
        assert torch.equal(x.gather(1, places[:, None])[:, 0], found)
        x[0, n // 2] = float("nan")
        x[0, n // 3] = float("nan")
        assert x.median(1)[1][0] == n // 3 and x[0].median().isnan() and not x[1].median().isnan()
        assert x[0].nanmedian() == x[0][~x[0].isnan()].median()


def test_two_threads_sort_alike():
    x = torch.randint(0, 50, (400_000,))
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        found, places = x.sort(stable=True)
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(places.numpy(), np.argsort(x.numpy(), kind="stable"))
    assert torch.equal(found, x[places])


def test_bytes_of_bools_that_are_not_one():
    x = torch.arange(256, dtype=torch.uint8).view(torch.bool)
    found, places = x.sort()
    assert found.tolist() == [False] + [True] * 255 and places[0] == 0
    assert found.view(torch.uint8).tolist() == [0] + [1] * 255


@pytest.mark.parametrize("dtype", INTEGERS[:5], ids=str)
def test_shifts_by_a_number(dtype):
    bits = torch.iinfo(dtype).bits
    for n in (1, 7, 33, 100):
        x = torch.arange(n).mul(5).sub(40 if dtype != torch.uint8 else 0).to(dtype)
        for count in (0, 1, 3, bits - 1, bits, bits + 5):
            wrapped = [(v << count) & (2**bits - 1) if count < bits else 0 for v in x.tolist()]
            expected = torch.tensor(wrapped, dtype=torch.uint64 if bits == 64 else torch.int64)
            assert torch.equal(x << count, expected.view(torch.int64).to(dtype) if bits == 64 else expected.to(dtype))
            assert (x >> count).tolist() == [v >> min(count, bits - 1 if dtype != torch.uint8 else bits) for v in x.tolist()]
            assert (x >> torch.full_like(x, count)).tolist() == (x >> count).tolist()
        shifts = torch.arange(n).remainder(bits).to(dtype)
        assert (torch.tensor(1, dtype=dtype) << shifts).tolist() == [
            (torch.tensor(1, dtype=dtype) << int(s)).item() for s in shifts
        ]


@pytest.mark.parametrize("dtype", (torch.int8, torch.int64, torch.float32))
@pytest.mark.parametrize("values", (1, 2, 30, 100_000))
def test_unique_consecutive(dtype, values):
    x = torch.randint(0, values, (5000,)).remainder(120 if dtype == torch.int8 else values).to(dtype)
    a = x.numpy()
    begins = np.flatnonzero(np.concatenate(([True], a[1:] != a[:-1])))
    np.testing.assert_array_equal(x.unique_consecutive().numpy(), a[begins])
    found, inverse, counts = x.unique_consecutive(return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(counts.numpy(), np.diff(np.append(begins, len(a))))
    assert torch.equal(found[inverse], x)


def test_first_of_equal_zeros_is_kept():
    x = torch.tensor([0.0, -0.0, 1.0, -0.0, 0.0, 2.0, 2.0, -0.0])
    assert [str(v) for v in x.unique_consecutive().tolist()] == ["0.0", "1.0", "-0.0", "2.0", "-0.0"]


def test_conversions_of_int64():
    rng = np.random.default_rng(0)
    for bits in (8, 31, 50, 51, 52, 53, 62, 63):
        a = rng.integers(-(2**bits), 2**bits - 1, 3000, endpoint=True) if bits < 63 else rng.integers(-(2**63), 2**63 - 1, 3000)
        a[:4] = [0, -1, 2**bits - 1, -(2**bits)]
        x = torch.from_numpy(a)
        np.testing.assert_array_equal(x.double().numpy(), a.astype(np.float64))
        np.testing.assert_array_equal(x.float().numpy(), a.astype(np.float32))
        np.testing.assert_array_equal(x[::2].double().numpy(), a[::2].astype(np.float64))


@pytest.mark.parametrize("values", (2, 5, 1000))
def test_unique_consecutive_of_several_threads(values):
    x = torch.randint(0, values, (300_000,))
    a = x.numpy()
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        found = torch.unique_consecutive(x)
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(found.numpy(), a[np.concatenate(([True], a[1:] != a[:-1]))])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("n, values", ((10, 3), (64, 2), (500, 100), (3000, 5000), (30_000, 4000)))
@pytest.mark.parametrize("threads", (1, 2))
def test_unique(dtype, n, values, threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for x in (lines(dtype, n, values), lines(dtype, n, values).transpose(0, 1)):
            a = x.numpy()
            expected, places, lengths = np.unique(a, return_inverse=True, return_counts=True)
            found, inverse, counts = x.unique(return_inverse=True, return_counts=True)
            assert found.dtype == dtype and inverse.shape == x.shape
            np.testing.assert_array_equal(found.numpy(), expected)
            np.testing.assert_array_equal(inverse.numpy(), places.reshape(a.shape))
            np.testing.assert_array_equal(counts.numpy(), lengths)
            assert torch.equal(x.unique(), found)
            assert torch.equal(x.unique(return_inverse=True)[1], inverse)
            assert torch.equal(x.unique(return_counts=True)[1], counts)
    finally:
        torch.set_num_threads(before)


def test_unique_at_the_ends_of_the_type():
    info = torch.iinfo(torch.int64)
    for low in (info.min, info.max - 9):
        x = torch.arange(10).repeat(50) + low
        assert torch.equal(x.unique(), torch.arange(10) + low)
    x = torch.tensor([info.max, info.min] * 100)
    assert x.unique().tolist() == [info.min, info.max]
