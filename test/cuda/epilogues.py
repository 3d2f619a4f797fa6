"""Products through cuBLASLt: a bias and an activation in one call, 8-bit types, its workspace, and what it does not take."""

import os
import subprocess
import sys

os.environ["CUBLASLT_WORKSPACE_SIZE"] = "64"  # KiB; before the first product

import pytest  # noqa: E402

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch.backends import cuda  # noqa: E402
from torch.cuda._runtime import extension  # noqa: E402

TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-9, torch.float16: 2e-2, torch.bfloat16: 1e-1}


# A GPU may need no workspace.
counts = pytest.mark.skipif(not extension().is_emulated, reason="counts workspaces, which the emulated cuBLASLt always has")


@pytest.fixture(autouse=True)
def settings():
    torch.manual_seed(0)
    yield
    cuda.preferred_blas_library("default")
    cuda.cublaslt_workspace_size(64 * 1024)


def number_of_allocations(function):
    """How often it asks for device memory: cuBLASLt needs a workspace beside the result."""
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    function()
    return torch.cuda.memory_stats()["allocation.all.allocated"] - before


def close(result, expected, dtype):
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(result.cpu().double(), expected.double(), rtol=tolerance, atol=tolerance)


LAYOUTS = {
    "rows": lambda a, b: (a, b),
    "columns": lambda a, b: (a.t().contiguous().t(), b.t().contiguous().t()),
    "strided": lambda a, b: (a.repeat_interleave(2, 1)[:, ::2], b.repeat(1, 2)[:, : b.shape[1]]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_bias(dtype, layout):
    bias, a, b = (torch.randn(shape).to(dtype) for shape in ((5,), (7, 9), (9, 5)))
    x, y = LAYOUTS[layout](a.cuda(), b.cuda())
    expected = bias.double() + 0.5 * a.double() @ b.double()
    for added in (bias, bias[None], bias.expand(7, 5), bias.expand(7, 5).contiguous()):
        close(torch.addmm(added.cuda(), x, y, alpha=0.5), expected, dtype)
    close(torch.addmm(bias.cuda(), x, y, beta=2), 2 * bias.double() + a.double() @ b.double(), dtype)
    close(F.linear(x, y.t(), bias.cuda()), bias.double() + a.double() @ b.double(), dtype)


def test_given_result():
    """Contiguous, of columns, strided, and one that the bias is part of."""
    bias, a, b = torch.randn(5), torch.randn(7, 9), torch.randn(9, 5)
    expected = torch.addmm(bias, a, b, alpha=2)
    arguments = [t.cuda() for t in (bias, a, b)]
    columns, strided = torch.empty(5, 7, device="cuda").t(), torch.empty(7, 10, device="cuda")[:, ::2]
    for out in (
        torch.empty(0, device="cuda"),
        torch.empty(7, 5, device="cuda"),
        columns,
        strided,
        torch.empty(7, 9, device="cuda")[:, :5],
    ):
        assert torch.addmm(*arguments, alpha=2, out=out) is out
        close(out, expected, torch.float32)
    out = torch.zeros(7, 5, device="cuda")
    out[0] = arguments[0]
    torch.addmm(out[0], *arguments[1:], alpha=2, out=out)
    close(out, expected, torch.float32)
    if extension().is_emulated:
        assert number_of_allocations(lambda: torch.addmm(*arguments, out=out)) == 1


@counts
def test_one_call_adds_the_bias():
    """A workspace and a result; without cuBLASLt there is no workspace."""
    bias, a, b = torch.ones(4, device="cuda"), torch.ones(3, 2, device="cuda"), torch.ones(2, 4, device="cuda")
    calls = [lambda: torch.addmm(bias, a, b), lambda: F.linear(a, b.t(), bias), lambda: torch._addmm_activation(bias, a, b)]
    assert [number_of_allocations(call) for call in calls] == [2, 2, 2]
    matrix = bias.expand(3, 4).contiguous()
    assert number_of_allocations(lambda: torch.addmm(matrix, a, b)) == 1
    cuda.preferred_blas_library("cublas")
    assert number_of_allocations(calls[0]) == 1


@counts
def test_workspace():
    bias, a, b = torch.ones(4, device="cuda"), torch.ones(3, 2, device="cuda"), torch.ones(2, 4, device="cuda")
    assert cuda.cublaslt_workspace_size() == 64 * 1024
    assert cuda.cublaslt_workspace_size(0) == cuda.cublaslt_workspace_size() == 0
    assert number_of_allocations(lambda: torch.addmm(bias, a, b)) == 1
    torch.testing.assert_close(torch.addmm(bias, a, b).cpu(), torch.full((3, 4), 3.0))
    with pytest.raises(RuntimeError, match="number of bytes"):
        cuda.cublaslt_workspace_size(-1)


def test_workspace_of_cublas():
    code = """
import torch
from torch.backends import cuda
assert cuda.cublas_workspace_size() == cuda.blas_workspace_size() == (2 * 4096 + 8 * 16) * 1024
before = torch.cuda.memory_allocated()
x = torch.ones(8, 8, device="cuda")
for backend, size in ((None, 1 << 20), ("cublas", 2 << 20)):
    assert cuda.blas_workspace_size(size, backend) == cuda.cublas_workspace_size() == size
    y = x @ x
    assert y.sum().item() == 512 and torch.cuda.memory_allocated() == before + 1024 + size
    del y
assert cuda.blas_workspace_size(backend="cublaslt") == cuda.cublaslt_workspace_size() == 64 * 1024
for call in (lambda: cuda.cublas_workspace_size(-1), lambda: cuda.blas_workspace_size(1, "ck")):
    try:
        call()
    except RuntimeError as e:
        assert "workspace_size: expected" in str(e)
    else:
        raise SystemExit(1)
"""
    environment = {**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:2:16:8", "CUBLASLT_WORKSPACE_SIZE": "64"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("use_gelu", [False, True])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_activation(dtype, use_gelu):
    bias, a, b = (torch.randn(shape).to(dtype) for shape in ((5,), (7, 9), (9, 5)))
    product = bias.double() + 2 * a.double() @ b.double()
    expected = F.gelu(product, approximate="tanh") if use_gelu else F.relu(product)
    for added in (bias, bias.expand(7, 5).contiguous()):
        result = torch._addmm_activation(added.cuda(), a.cuda(), b.cuda(), alpha=2, use_gelu=use_gelu)
        close(result, expected, dtype)
    out = torch.empty(0, dtype=dtype, device="cuda")
    close(torch._addmm_activation(bias.cuda(), a.cuda(), b.cuda(), alpha=2, use_gelu=use_gelu, out=out), expected, dtype)


@pytest.mark.parametrize("use_gelu", [False, True])
def test_gradient_of_activation(use_gelu):
    inputs = [torch.randn(shape, dtype=torch.float64, device="cuda", requires_grad=True) for shape in ((3,), (4, 2), (2, 3))]
    function = lambda *t: torch._addmm_activation(*t, alpha=2, use_gelu=use_gelu)  # noqa: E731
    assert torch.autograd.gradcheck(function, inputs) and torch.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("dtype", [*TOLERANCE, torch.complex64])
def test_all_products_by_cublaslt(dtype):
    """One workspace each, and the results of cuBLAS."""
    a, b = torch.randn(2, 6, 4).to(dtype).cuda(), torch.randn(2, 4, 8).to(dtype).cuda()
    calls = [
        lambda: a[0] @ b[0],
        lambda: a[0].t() @ b[1].t()[:6, :].clone()[:6, :4],
        lambda: a @ b,
        lambda: a[:, :, :0] @ b[:, :0],
    ]
    calls[1] = lambda: b[0].t() @ a[0].t()
    expected = [call().cpu() for call in calls]
    cuda.preferred_blas_library("cublaslt")
    assert cuda.preferred_blas_library() == "cublaslt"
    for call, result in zip(calls, expected):
        torch.testing.assert_close(call().cpu(), result)
    if extension().is_emulated and not dtype.is_complex:  # it has no complex numbers
        assert [number_of_allocations(call) for call in calls] == [2, 2, 2, 1]
        cuda.preferred_blas_library("default")
        assert number_of_allocations(calls[0]) == 1


def test_accumulation_by_cublaslt():
    c, a, b = (torch.randn(3, 3).double() for _ in range(3))
    expected = torch.addmm(c, a, b, beta=2, alpha=3)
    cuda.preferred_blas_library("cublaslt")
    torch.testing.assert_close(torch.addmm(c.cuda(), a.cuda(), b.cuda(), beta=2, alpha=3).cpu(), expected)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("k", [8, 7])
def test_int8(k, columns):
    a, b = (torch.randint(-128, 128, shape, dtype=torch.int8) for shape in ((20, k), (k, 8)))
    expected = a.int() @ b.int()
    second = b.t().contiguous().t() if columns else b
    torch.testing.assert_close(torch._int_mm(a.cuda(), second.cuda()).cpu(), expected)
    unsigned = a.to(torch.uint8)
    torch.testing.assert_close(torch._int_mm(unsigned.cuda(), b.cuda()).cpu(), unsigned.int() @ b.int())


@counts
def test_int8_takes_cublaslt():
    a, b = torch.ones(20, 8, dtype=torch.int8, device="cuda"), torch.ones(8, 8, dtype=torch.int8, device="cuda")
    assert number_of_allocations(lambda: torch._int_mm(a, b.t())) == 2


FLOAT8 = [(torch.float8_e4m3fn, torch.float8_e4m3fn), (torch.float8_e4m3fn, torch.float8_e5m2)]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("dtypes", FLOAT8)
@pytest.mark.parametrize("out_dtype", [torch.bfloat16, torch.float32, torch.float16])
def test_float8(out_dtype, dtypes, biased, lines):
    a, b = torch.randn(32, 16).to(dtypes[0]), torch.randn(48, 16).to(dtypes[1]).t()
    scale_a, scale_b = (torch.rand(32, 1), torch.rand(1, 48)) if lines else (torch.tensor(0.5), torch.tensor(2.0))
    bias = torch.randn(48).to(out_dtype) if biased else None
    expected = (a.double() * scale_a) @ (b.double() * scale_b) + (bias.double() if biased else 0)

    def product():
        return torch._scaled_mm(
            *(t.cuda() for t in (a, b, scale_a, scale_b)), bias.cuda() if biased else None, out_dtype=out_dtype
        )

    result = product()
    assert result.dtype == out_dtype
    torch.testing.assert_close(result.cpu().double(), expected, rtol=2e-2, atol=2e-2)


@counts
def test_float8_takes_cublaslt():
    a, b = torch.ones(16, 16, device="cuda").to(torch.float8_e4m3fn), torch.ones(16, 16, device="cuda").to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    assert number_of_allocations(lambda: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16)) == 2
    # Rows times rows, sizes that are no multiples of 16, and results in float8 are computed in float.
    for x, y, dtype in ((a, b, torch.bfloat16), (a[:, :3], b.t()[:3], torch.float32), (a, b.t(), None)):
        result = torch._scaled_mm(x, y, one, one, out_dtype=dtype)
        torch.testing.assert_close(result.float().cpu(), torch.full((16, 16), float(x.shape[1])))


def test_wrong_arguments():
    """They are refused as on the CPU."""
    bias, a, b = torch.ones(4), torch.ones(3, 2), torch.ones(2, 4)
    for arguments in ((bias, a, a), (bias[:3], a, b), (bias.double(), a, b), (bias, a, b.double()), (bias, a[0], b)):
        with pytest.raises(RuntimeError) as of_cpu:
            torch.addmm(*arguments)
        with pytest.raises(RuntimeError) as of_cuda:
            torch.addmm(*(t.cuda() for t in arguments))
        assert str(of_cpu.value) == str(of_cuda.value)
    with pytest.raises(RuntimeError, match="device"):
        torch.addmm(bias.cuda(), a.cuda(), b)


def test_in_a_graph():
    bias, a, b = (torch.randn(shape, device="cuda") for shape in ((5,), (3, 2), (2, 5)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = torch._addmm_activation(bias, a, b)
    a.mul_(2)
    graph.replay()
    torch.testing.assert_close(result.cpu(), F.relu(bias.cpu() + a.cpu() @ b.cpu()))
