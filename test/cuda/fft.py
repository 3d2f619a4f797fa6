"""Fourier transforms through cuFFT: lengths, layouts, half types, and the cache of plans."""

import pytest
from gpus import two_devices

import torch

CACHE = torch.backends.cuda.cufft_plan_cache


def check(function, x, **kwargs):
    """The device computes what the CPU does, and leaves its input as it was."""
    y = x.cuda()
    before = y.clone()
    result = function(y, **kwargs)
    torch.testing.assert_close(result.cpu(), function(x, **kwargs), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(y, before, rtol=0, atol=0)


@pytest.mark.parametrize("n", [1, 2, 3, 31, 64, 127, 1009, 65537, 2 * 3 * 5 * 7 * 11])
def test_lengths(n):
    torch.manual_seed(0)
    x = torch.randn(2, n, dtype=torch.float64)
    check(torch.fft.fft, x.to(torch.complex128))
    check(torch.fft.ifft, x.to(torch.complex128))
    check(torch.fft.rfft, x)
    check(torch.fft.fft, x)
    check(torch.fft.irfft, torch.fft.rfft(x), n=n)


@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1), (3, 1), (0, 1, 2), (2, 0, 3), (0, 1, 2, 3), (4, 1, 3, 0), (0, 1, 2, 3, 4)])
def test_dimensions(dims):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5, 2, 6)
    check(torch.fft.fftn, x.to(torch.complex64), dim=dims)
    check(torch.fft.rfftn, x, dim=dims)
    check(torch.fft.fftn, x, dim=dims, norm="ortho")
    check(torch.fft.irfftn, torch.fft.rfftn(x, dim=dims), dim=dims, s=[x.shape[d] for d in dims])


LAYOUTS = {
    "transposed": lambda x: x.transpose(0, 2),
    "every other": lambda x: x[:, ::2, 1::3],
    "one column": lambda x: x[:, :, 2:3],
    "expanded": lambda x: x[:, :1].expand(4, 7, 12),
    "overlapping": lambda x: x.flatten().unfold(0, 16, 5),
    "odd offset": lambda x: x.flatten()[1:].unfold(0, 8, 8),
    "mixed batch": lambda x: x.reshape(4, 7, 3, 4).permute(2, 0, 3, 1),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("dims", [(-1,), (-2,), (0, -1)])
def test_layouts(name, dims):
    torch.manual_seed(0)
    x = LAYOUTS[name](torch.randn(4, 7, 12))
    # The same view of device memory: .cuda() would make it dense.
    y = torch.empty(4 * 7 * 12, device="cuda").as_strided(x.shape, x.stride(), x.storage_offset())
    base = torch.as_strided(x, (4 * 7 * 12,), (1,), 0)
    torch.as_strided(y, (4 * 7 * 12,), (1,), 0).copy_(base)
    for function in (torch.fft.rfftn, torch.fft.fftn, torch.fft.irfftn):
        if function is torch.fft.irfftn and x.shape[dims[-1]] == 1:
            continue  # it would have no points
        torch.testing.assert_close(function(y, dim=dims).cpu(), function(x, dim=dims), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(y.cpu(), x, rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(8,), (2, 16), (4, 2, 8)])
def test_half_precision(shape):
    torch.manual_seed(0)
    x = torch.randn(shape).half()
    result = torch.fft.rfft(x.cuda())
    assert result.dtype == torch.complex32
    expected = torch.fft.rfft(x.float())
    torch.testing.assert_close(result.cpu().to(torch.complex64), expected, rtol=1e-2, atol=1e-2)
    back = torch.fft.irfft(result)
    assert back.dtype == torch.float16
    torch.testing.assert_close(back.cpu(), x, rtol=1e-2, atol=1e-2)
    whole = torch.fft.fftn(x.cuda()).cpu().to(torch.complex64)
    torch.testing.assert_close(whole, torch.fft.fftn(x.float()), rtol=2e-2, atol=2e-2)


def test_half_precision_takes_powers_of_two():
    with pytest.raises(RuntimeError, match="powers of two"):
        torch.fft.fft(torch.ones(6, dtype=torch.float16, device="cuda"))
    with pytest.raises(RuntimeError, match="Unsupported dtype"):
        torch.fft.fft(torch.ones(8, dtype=torch.bfloat16, device="cuda"))
    with pytest.raises(RuntimeError, match="Unsupported dtype Half"):
        torch.fft.fft(torch.ones(8, dtype=torch.float16))


def test_frames_of_a_signal():
    torch.manual_seed(0)
    x, window = torch.randn(2, 400), torch.hann_window(64)
    spectrum = torch.stft(x.cuda(), 64, 16, window=window.cuda(), return_complex=True)
    torch.testing.assert_close(spectrum.cpu(), torch.stft(x, 64, 16, window=window, return_complex=True), rtol=1e-4, atol=1e-4)
    back = torch.istft(spectrum, 64, 16, window=window.cuda(), length=400)
    torch.testing.assert_close(back.cpu(), x, rtol=1e-4, atol=1e-4)


def test_gradient():
    x = torch.randn(3, 10, dtype=torch.float64, device="cuda", requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: torch.fft.irfft(torch.fft.rfft(x), n=9), x)


@pytest.fixture
def plans():
    CACHE.clear()
    yield CACHE[0]
    CACHE.max_size = 4096
    CACHE.clear()


def test_plans_are_kept(plans):
    assert plans.size == 0 and plans.max_size == 4096
    for n in (4, 5, 6, 4, 5):
        torch.fft.fft(torch.ones(n, device="cuda", dtype=torch.complex64))
    assert plans.size == CACHE.size == 3
    plans.max_size = 2
    assert plans.size == 2 == CACHE.max_size
    torch.fft.fft(torch.ones(7, device="cuda", dtype=torch.complex64))
    assert plans.size == 2
    CACHE.max_size = 0
    torch.testing.assert_close(torch.fft.fft(torch.ones(2, device="cuda")).cpu(), torch.tensor([2 + 0j, 0j]))
    assert plans.size == 0


def test_wrong_uses_of_the_cache(plans):
    with pytest.raises(RuntimeError):
        CACHE[100]
    with pytest.raises(RuntimeError):
        plans.max_size = -1
    with pytest.raises(AttributeError):
        CACHE.size = 3


@two_devices
def test_each_device_has_its_plans(plans):
    before = CACHE[1].size
    torch.fft.fft(torch.ones(11, device="cuda:1", dtype=torch.complex64))
    assert CACHE[1].size == before + 1 and plans.size == 0
    CACHE["cuda:1"].clear()
    assert CACHE[1].size == 0
