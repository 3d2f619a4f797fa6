"""Which of equal elements topk and kthvalue return: the indices that PyTorch 2.13 returns on the CPU."""

import pytest

import torch

NAN = float("nan")
# length, k, places of topk, of topk(largest=False), of kthvalue
CHOICES = [
    (5, 2, [2, 4], [0, 3], 3),
    (9, 4, [2, 4, 8, 6], [5, 0, 3, 7], 3),
    (17, 9, [15, 2, 11, 4, 8, 1, 14, 10, 6], [5, 9, 13, 0, 16, 12, 7, 3, 1], 10),
    (40, 3, [11, 37, 28], [9, 22, 0], 18),
    (200, 3, [15, 11, 2], [9, 5, 0], 100),
]


def line(n):
    return (torch.arange(n) * 7919 % 13 % 5).float()


@pytest.mark.parametrize("n,k,largest,smallest,kth", CHOICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int16])
def test_places_of_equals(n, k, largest, smallest, kth, dtype):
    x = line(n).to(dtype)
    assert x.topk(k)[1].tolist() == largest and x.topk(k, largest=False)[1].tolist() == smallest
    assert x.kthvalue(k)[1].item() == kth
    # As a column, and after lines without equals.
    rows = torch.stack([torch.arange(n).to(dtype), x, x])
    assert rows.topk(k)[1][1:].tolist() == [largest, largest]
    assert rows.t().contiguous().topk(k, 0)[1].t()[1:].tolist() == [largest, largest]
    assert rows.kthvalue(k)[1][1:].tolist() == [kth, kth]


def test_places_of_nan():
    x = torch.tensor([NAN, 1, NAN, 1, 0, NAN, 1])
    assert x.topk(4)[1].tolist() == [2, 5, 0, 3] and x.topk(4, largest=False)[1].tolist() == [4, 3, 6, 1]
    assert x.kthvalue(3)[1] == 6 and x.kthvalue(6)[1] == 2
    assert torch.full((6,), -torch.inf).topk(3)[1].tolist() == [3, 5, 4]


@pytest.mark.parametrize("n", [10, 100, 700, 5000, 100_000])
@pytest.mark.parametrize("kinds", [3, 1000, 2**24])
def test_values_are_those_of_a_sort(n, kinds):
    torch.manual_seed(n)
    x = torch.randint(0, kinds, (3, n)).float()
    for k in sorted({1, 7, n // 200, n // 50, n // 3, n} - {0}):
        if k > n:
            continue
        for largest in (True, False):
            values, places = x.topk(k, largest=largest)
            assert torch.equal(values, x.sort(descending=largest)[0][:, :k]) and torch.equal(values, x.gather(1, places))
            assert all(len(set(p)) == k for p in places.tolist())
            loose, places = x.topk(k, largest=largest, sorted=False)
            assert torch.equal(loose.sort(descending=largest)[0], values) and torch.equal(loose, x.gather(1, places))
        value, place = x.kthvalue(k)
        assert torch.equal(value, x.sort()[0][:, k - 1]) and torch.equal(value, x.gather(1, place[:, None])[:, 0])
