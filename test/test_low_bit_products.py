"""Products with weights in 8 and 4 bits, and of int8 matrices: few and many rows, lengths beside whole vectors."""

import itertools

import pytest

import torch

FLOATS = [torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 9, 255, 256])
def test_weights_in_8_bits(m, dtype):
    torch.manual_seed(m)
    for n, k in itertools.product((1, 5, 12, 23, 40), (1, 7, 8, 9, 31, 64, 129)):
        x, w = torch.randint(-3, 4, (m, k)).to(dtype), torch.randint(-128, 128, (n, k), dtype=torch.int8)
        scales = 2.0 ** torch.randint(-6, -3, (n,))
        expected = (x.double() @ w.double().t() * scales).to(dtype)
        assert torch.equal(torch._weight_int8pack_mm(x, w, scales.to(dtype)), expected), (n, k)
    transposed = x.t().contiguous().t()
    assert torch.equal(torch._weight_int8pack_mm(transposed, w.t().contiguous().t(), scales.to(dtype)), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 9, 255, 256])
def test_weights_in_4_bits(m, dtype):
    torch.manual_seed(m)
    for n, (k, group) in itertools.product((16, 32, 48), ((32, 32), (96, 32), (128, 64), (512, 256))):
        x, q = torch.randint(-3, 4, (m, k)).to(dtype), torch.randint(0, 16, (n, k), dtype=torch.int32)
        scales, zeros = 2.0 ** torch.randint(-3, 0, (k // group, n)), torch.randint(-2, 3, (k // group, n)) / 4
        ranges = torch.stack([scales, zeros], 2).to(dtype)
        weight = (q.double() - 8).view(n, -1, group) * scales.t().unsqueeze(2) + zeros.t().unsqueeze(2)
        expected = (x.double() @ weight.view(n, k).t()).to(dtype)
        packed = torch._convert_weight_to_int4pack_for_cpu(q, 2)
        assert torch.equal(torch._weight_int4pack_mm_for_cpu(x, packed, group, ranges), expected), (n, k, group)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8], ids=str)
@pytest.mark.parametrize("m", [1, 3, 4, 7, 8, 21])
def test_int8_matrices(m, dtype):
    torch.manual_seed(m)
    info = torch.iinfo(dtype)
    for n, k in itertools.product((1, 11, 12, 25), (1, 15, 16, 17, 33, 300)):
        a = torch.randint(info.min, info.max + 1, (m, k), dtype=dtype)
        b = torch.randint(-128, 128, (k, n), dtype=torch.int8)
        expected = (a.long().unsqueeze(2) * b.long()).sum(1).int()
        for x in (a, a.t().contiguous().t()):
            for y in (b, b.t().contiguous().t()):
                assert torch.equal(torch._int_mm(x, y), expected), (n, k, x.stride(), y.stride())
