"""Operators that wait for nothing on a CUDA device, so that they can be captured in a graph."""

import subprocess
import sys

import pytest

import torch
import torch.nn.functional as F


def x(*shape):
    return torch.arange(1.0, 1.0 + torch.Size(shape).numel(), device="cuda").reshape(shape)


def masked(value):
    result = x(3, 4)
    result[result > 5] = value
    return result


CALLS = {
    "linspace": lambda: torch.linspace(0, 1, 5, device="cuda"),
    "linspace of integers": lambda: torch.linspace(-3, 9, 7, dtype=torch.int32, device="cuda"),
    "linspace of complex": lambda: torch.linspace(0, 1 + 2j, 6, device="cuda"),
    "linspace of halves": lambda: torch.linspace(0, 7, 13, dtype=torch.float16, device="cuda"),
    "one step": lambda: torch.linspace(2, 9, 1, device="cuda"),
    "logspace": lambda: torch.logspace(-1, 2, 5, device="cuda"),
    "logspace of complex": lambda: torch.logspace(0, 1j, 5, base=3.0, dtype=torch.complex64, device="cuda"),
    "bartlett": lambda: torch.bartlett_window(7, device="cuda"),
    "blackman": lambda: torch.blackman_window(8, dtype=torch.float64, device="cuda"),
    "hamming": lambda: torch.hamming_window(9, periodic=False, device="cuda"),
    "hann": lambda: torch.hann_window(6, device="cuda"),
    "kaiser": lambda: torch.kaiser_window(7, True, 5.0, dtype=torch.float64, device="cuda"),
    "window of one": lambda: torch.hann_window(1, device="cuda"),
    "quantile": lambda: x(4, 5).quantile(0.3, 1),
    "quantiles": lambda: torch.nanquantile(x(4, 5), torch.full((2,), 0.5, device="cuda")),
    "one_hot": lambda: F.one_hot(x(3).long(), 8),
    "scatter": lambda: x(3, 4).scatter(1, x(3, 1).long(), 9.0),
    "mask of a number": lambda: masked(7.0),
    "mask of a tensor": lambda: masked(torch.tensor(7.0)),
    "repeat_interleave": lambda: torch.repeat_interleave(x(3), x(3).long(), output_size=6),
    "cov": lambda: torch.cov(x(3, 4) ** 2),
    "corrcoef": lambda: torch.corrcoef(x(3, 4) ** 2),
    "cat": lambda: torch.cat([x(2, 3), x(5, 3), x(0, 3), x(1, 3)]),
    "stack": lambda: torch.stack([x(3), x(3) + 1], 1),
}


def on_cpu(call, monkeypatch):
    """The same call on the CPU."""
    factories = ("arange", "linspace", "logspace", "full", *(f"{kind}_window" for kind in WINDOWS))
    with monkeypatch.context() as patch:
        for name in factories:
            plain = getattr(torch, name)
            patch.setattr(torch, name, lambda *args, plain=plain, **kw: plain(*args, **{**kw, "device": "cpu"}))
        return call()


WINDOWS = ("bartlett", "blackman", "hamming", "hann", "kaiser")


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_captured(name, monkeypatch):
    call = CALLS[name]
    expected = on_cpu(call, monkeypatch)
    torch.testing.assert_close(call().cpu(), expected)
    torch.cuda.set_sync_debug_mode("error")
    try:
        call()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = call()
    graph.replay()
    torch.testing.assert_close(found.cpu(), expected)


def test_multinomial_is_captured():
    p = torch.tensor([0.0, 1.0, 0.0, 2.0], device="cuda")
    for replacement, samples in ((False, 2), (True, 5)):
        torch.multinomial(p, samples, replacement)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = torch.multinomial(p, samples, replacement)
        graph.replay()
        assert set(found.tolist()) <= {1, 3}


WRONG = {
    "negative": "torch.multinomial(torch.tensor([1.0, -1.0], device='cuda'), 1)",
    "zero": "torch.multinomial(torch.zeros(3, device='cuda'), 1)",
    "nan": "torch.multinomial(torch.tensor([1.0, float('nan')], device='cuda'), 1)",
    "size": "torch.repeat_interleave(torch.ones(2, device='cuda'), torch.tensor([1, 2], device='cuda'), output_size=4)",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_end_the_device(name):
    program = f"import torch\n{WRONG[name]}\ntorch.cuda.synchronize()"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode != 0 and "CUDA error" in done.stderr, done.stderr


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.float32, torch.complex128])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_cat_of_many(dtype, dim):
    def parts(device):
        for k in range(200):
            shape = [3, 4, 5]
            shape[dim] = k % 7
            yield torch.arange(float(torch.Size(shape).numel())).reshape(shape).to(dtype).to(device) + k % 5

    found = torch.cat(list(parts("cuda")), dim)
    assert torch.equal(found.cpu(), torch.cat(list(parts("cpu")), dim))
    # Inputs that begin in the middle of a word, and channels at the end.
    long = torch.arange(40.0).to(dtype)
    pieces = [long[1:9], long[3:4], long[10:23]]
    assert torch.equal(torch.cat([piece.cuda() for piece in pieces]).cpu(), torch.cat(pieces))
    base = long.cuda()
    assert torch.equal(torch.cat([base[1:9], base[3:4], base[10:23]]).cpu(), torch.cat(pieces))
    image = torch.arange(48.0).reshape(2, 2, 3, 4).to(dtype).to(memory_format=torch.channels_last)
    joined = torch.cat([image.cuda(), image.cuda()], dim)
    assert torch.equal(joined.cpu(), torch.cat([image, image], dim))
