"""Softmax, layer norm, root-mean-square norm and sums over a few long rows: many blocks share a row, in two launches."""

import re

import pytest

import torch
import torch.nn.functional as F

N = 48 << 12  # with one row, each of the emulated device's 48 blocks has 4,096 elements


def grids(run):
    """The grids of the launches of `run`, as (x, y)."""
    with torch.utils.dispatch_trace(details="kernel", print=False) as records:
        run()
    found = [re.search(r"grid=\[\((\d+), (\d+), \d+\)\]", r.args) for r in records if r.kind == "launch"]
    return [(int(f[1]), int(f[2])) for f in found]


def blocks():
    return 8 * torch.cuda.get_device_properties(0).multi_processor_count


CASES = {
    "softmax": lambda x: F.softmax(x, 0),
    "log_softmax": lambda x: F.log_softmax(x, 0),
    "layer_norm": lambda x: F.layer_norm(x, x.shape),
    "rms_norm": lambda x: F.rms_norm(x, x.shape),
}


@pytest.mark.parametrize("name", CASES)
def test_one_row_fills_the_device(name):
    x = torch.randn(N, device="cuda")
    used = grids(lambda: CASES[name](x))
    assert used[:2] == [(1, blocks())] * 2


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm"])
def test_the_gradient_of_one_row_fills_the_device(name):
    x = torch.randn(N, device="cuda", requires_grad=True)
    y = CASES[name](x)
    g = torch.randn(N, device="cuda")
    used = grids(lambda: y.backward(g))
    assert [grid for grid in used if grid[1] > 1][:2] == [(1, blocks())] * 2


def test_a_sum_fills_the_device():
    x = torch.randn(N, device="cuda")
    assert grids(lambda: x.sum())[0][1] > 8


def test_many_rows_take_one_launch():
    x = torch.randn(64, 1000, device="cuda")
    assert grids(lambda: F.softmax(x, 1)) == [(64, 1)]
    assert len(grids(lambda: F.layer_norm(x, (1000,)))) == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(N,), (3, 30001), (2, 20000, 2)])
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_cpu(name, shape, dtype):
    torch.manual_seed(0)
    by_name = {
        "softmax": lambda x: F.softmax(x, -1 if x.dim() < 3 else 1),
        "log_softmax": lambda x: F.log_softmax(x, -1 if x.dim() < 3 else 1),
        "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:] if x.dim() < 3 else x.shape[1:]),
        "rms_norm": lambda x: F.rms_norm(x, x.shape[-1:] if x.dim() < 3 else x.shape[1:]),
    }
    x, g = torch.randn(shape, dtype=dtype), torch.randn(shape, dtype=dtype)
    results = []
    for device in ("cpu", "cuda", "cuda"):
        own = x.clone().to(device).requires_grad_()
        y = by_name[name](own)
        y.backward(g.to(device))
        results.append((y.detach().cpu(), own.grad.cpu()))
    torch.testing.assert_close(results[1], results[0])
    assert all(torch.equal(first, second) for first, second in zip(results[1], results[2], strict=True))


def test_weights_and_their_gradients():
    x, weight, bias = torch.randn(2, 40000), torch.randn(40000), torch.randn(40000)
    results = []
    for device in ("cpu", "cuda"):
        own = [t.clone().to(device).requires_grad_() for t in (x, weight, bias)]
        y = F.layer_norm(own[0], (40000,), own[1], own[2])
        z = F.rms_norm(own[0], (40000,), own[1])
        (y * z).sum().backward()
        results.append([y.detach().cpu(), z.detach().cpu(), *(t.grad.cpu() for t in own)])
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-4)


def test_extremes():
    x = torch.full((N,), float("-inf"))
    x[N // 2] = 3.0
    assert F.softmax(x.cuda(), 0).cpu().equal(F.softmax(x, 0))
    x[7] = float("nan")
    assert F.softmax(x.cuda(), 0).isnan().all()
    assert F.softmax(torch.full((N,), float("-inf"), device="cuda"), 0).isnan().all()
