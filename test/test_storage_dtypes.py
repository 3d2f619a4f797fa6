"""Types that only store bytes: numbers narrower than a byte, and bits without a meaning."""

import io
import pickle

import pytest

import torch

NARROW = [getattr(torch, f"{sign}int{bits}") for sign in ("", "u") for bits in range(1, 8)]
BITS = [torch.bits1x8, torch.bits2x4, torch.bits4x2, torch.bits8, torch.bits16]
ALL = [*NARROW, *BITS, torch.float4_e2m1fn_x2]


def bytes_as(dtype):
    raw = torch.arange(8, dtype=torch.uint8)
    return raw, raw.view(dtype)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_what_they_are(dtype):
    assert dtype.itemsize == (2 if dtype is torch.bits16 else 1)
    assert dtype.is_floating_point == (dtype is torch.float4_e2m1fn_x2) and not dtype.is_complex
    assert dtype.is_signed == (str(dtype).startswith(("torch.int", "torch.float4")))
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    with pytest.raises(TypeError):
        torch.iinfo(dtype)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_bytes_are_kept(dtype):
    raw, x = bytes_as(dtype)
    assert x.data_ptr() == raw.data_ptr() and x.numel() * dtype.itemsize == 8
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    copies = [x.clone(), torch.empty_like(x).copy_(x), torch.cat([x[:2], x[2:]]), x.reshape(2, -1).reshape(-1), torch.load(file),
              torch.stack([x, x])[1], x.view(2, -1).t().contiguous().t().reshape(-1)]  # fmt: skip
    for copy in copies:
        assert copy.dtype is dtype and torch.equal(copy.contiguous().view(torch.uint8), raw)
    assert torch.zeros(4, dtype=dtype).view(torch.uint8).tolist() == [0] * (4 * dtype.itemsize)
    assert x.to("meta").dtype is dtype and x[1:3].numel() == 2


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_nothing_computes_with_them(dtype):
    _, x = bytes_as(dtype)
    with pytest.raises((RuntimeError, TypeError)):
        x + x
    for refused in (lambda: x.sum(), lambda: x.to(torch.int64), lambda: torch.ones(2).to(dtype), lambda: x.item(),
                    lambda: x.sort(), lambda: x.view(2, -1) @ x.view(-1, 2), lambda: torch.ones(2, dtype=dtype),
                    lambda: x * 2.0):  # fmt: skip
        with pytest.raises((RuntimeError, TypeError)):
            refused()


def test_printing_shows_the_bytes():
    assert repr(bytes_as(torch.uint4)[1]) == "tensor([0, 1, 2, 3, 4, 5, 6, 7], dtype=torch.uint4)"
    assert repr(bytes_as(torch.bits16)[1]) == "tensor([ 256,  770, 1284, 1798], dtype=torch.bits16)"


def test_promotion():
    assert torch.promote_types(torch.uint4, torch.float32) is torch.float32
    assert torch.promote_types(torch.uint4, torch.uint4) is torch.uint4
    for a, b in (
        (torch.uint4, torch.int64),
        (torch.int4, torch.float32),
        (torch.bits8, torch.uint8),
        (torch.float4_e2m1fn_x2, torch.float16),
    ):
        for pair in ((a, b), (b, a)):
            with pytest.raises(RuntimeError):
                torch.promote_types(*pair)


def test_dlpack():
    for dtype, there in ((torch.uint4, torch.uint8), (torch.int7, torch.int8), (torch.float4_e2m1fn_x2, torch.float4_e2m1fn_x2)):
        assert torch.from_dlpack(bytes_as(dtype)[1]).dtype is there
    for name in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu"):
        dtype = getattr(torch, f"float8_{name}")
        x = torch.tensor([1.0, 2.0]).to(dtype)
        assert torch.from_dlpack(x).dtype is dtype and torch.from_dlpack(x).float().tolist() == [1, 2]
    with pytest.raises(BufferError, match="bits"):
        torch.from_dlpack(bytes_as(torch.bits8)[1])
