"""Kernels stay within the memory of their operands: tensors that end, or begin, next to pages that nobody may touch.

AddressSanitizer finds the same (tools/run_asan.sh), but in a build of its own and without the vectors of hand-written kernels.
"""

import ctypes
import mmap
import sys

import pytest
from ops import all_ops, families

import torch
from torch.utils import _pytree as pytree

if sys.platform != "linux":
    pytest.skip("needs mprotect", allow_module_level=True)

F = torch.nn.functional
DTYPES = [torch.bool, torch.uint8, torch.int16, torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128]
ROWS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 257)
COLUMNS = (1, 2, 3, 4, 5, 8, 16, 17)
PAGE = mmap.PAGESIZE


class Fence:
    """Tensors between two pages without access. They live as long as this object."""

    def __init__(self, at_end):
        self.at_end, self.libc, self.kept = at_end, ctypes.CDLL(None, use_errno=True), []

    def __call__(self, t):
        size = t.numel() * t.element_size()
        if size == 0:
            return t
        pages = -(-size // PAGE)
        memory = mmap.mmap(-1, (pages + 2) * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for page in (0, pages + 1):
            assert self.libc.mprotect(ctypes.c_void_p(start + page * PAGE), PAGE, 0) == 0
        bytes_at = start + (PAGE * (pages + 1) - size if self.at_end else PAGE)
        buffer = (ctypes.c_char * size).from_address(bytes_at)
        self.kept.append((memory, buffer))
        flat = torch.frombuffer(buffer, dtype=torch.uint8).view(t.dtype)
        return flat.view(t.shape).copy_(t)


def numbers(shape, dtype):
    return (torch.rand(shape, dtype=torch.float64) * 100).to(dtype)


def move(x, fence):
    """Operators that move elements of any type."""
    n, k = x.shape
    fence(torch.zeros(k, n, dtype=x.dtype)).copy_(x.t())
    fence(torch.zeros(n, k, dtype=x.dtype)).copy_(x.t().contiguous().t())
    x[:, 0].clone(), torch.cat([x, x], 1), torch.where(x == x, x, x)
    for dims in ([0], [1], [0, 1]):
        torch.flip(x, dims)
    torch.roll(x, (1, 1), (0, 1)), torch.tril(x), torch.triu(x), torch.logical_and(x, x)
    rows = fence(torch.randint(0, n, (n,)))
    places = fence(torch.randint(0, n * k, (n,)))
    x[rows], x.t()[:, rows], torch.take(x, places), torch.put(x, places, fence(numbers(n, x.dtype)))
    mask = fence(torch.rand(n, k) > 0.5)
    x[mask], x.masked_scatter(mask, fence(numbers(max(1, int(mask.sum())), x.dtype)))
    x.scatter(0, fence(torch.randint(0, n, (n, k))), x)


def compute(x, fence):
    n, k = x.shape
    dtype = x.dtype
    if dtype == torch.bool:
        return
    x.scatter_add(0, fence(torch.randint(0, n, (n, k))), x)
    for dim in (0, 1):
        torch.cumsum(x, dim), torch.cumprod(x, dim), torch.sum(x, dim)
        if not dtype.is_complex:
            torch.cummax(x, dim), torch.sort(x, dim), torch.amax(x, dim), torch.kthvalue(x, 1, dim)
    if not dtype.is_floating_point and not dtype.is_complex:
        x << x, x >> x, torch.sin(x), x / x
        torch.unique_consecutive(x.view(-1), return_inverse=True, return_counts=True)
    elif dtype != torch.float16:
        torch.linalg.qr(x), torch.geqrf(x), x.t() @ x, torch.vdot(x[:, 0], x[:, 0]), torch.linalg.vector_norm(x)
        torch.fft.fft(x, dim=0), torch.fft.fft(x, dim=1)


def train(x, fence):
    n, k = x.shape
    if x.dtype not in (torch.float32, torch.float64):
        return
    for dim, size in enumerate((n, k)):
        spectrum = torch.fft.rfft(x, dim=dim)
        torch.fft.irfft(fence(spectrum), n=size, dim=dim)
    F.nll_loss(x, fence(torch.randint(0, k, (n,))), weight=fence(numbers(k, x.dtype)))
    F.max_pool1d(x[None], min(k, 3), 1), F.avg_pool1d(x[None], min(k, 3)), torch.sgn(x)
    if k > 1:
        F.pad(x[None], (1, 1), mode="reflect"), F.group_norm(x.view(1, n, k), 1)
    if n > 1:
        F.batch_norm(x.view(n, k, 1), None, None, training=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: str(d).removeprefix("torch."))
@pytest.mark.parametrize("at_end", [True, False], ids=["end", "beginning"])
def test_kernels_stay_within_their_operands(dtype, at_end):
    torch.manual_seed(0)
    for n in ROWS:
        for k in COLUMNS:
            fence = Fence(at_end)
            x = fence(numbers((n, k), dtype))
            for f in (move, compute, train):
                f(x, fence)


def fenced(x, fence):
    """Arguments whose plain tensors are between two pages without access."""

    def moved(leaf):
        plain = type(leaf) is torch.Tensor and leaf.is_cpu and not leaf.is_conj() and not leaf.is_neg()
        return fence(leaf.detach()) if plain else leaf

    return pytree.tree_map(moved, x)


@pytest.mark.parametrize("family", families())
@pytest.mark.filterwarnings("ignore")
def test_operators_of_the_table_stay_within_their_operands(family):
    for op in all_ops():
        if op.family != family:
            continue
        for dtype in op.dtypes:
            for sample in op.make(dtype):
                for at_end in (True, False):
                    fence = Fence(at_end)
                    args = fenced([sample.input, *sample.args], fence)
                    op.fn(*args, **fenced(sample.kwargs, fence))


def test_the_fence_is_there():
    """In a process of its own: reading past the end of such a tensor ends it."""
    import os
    import subprocess

    program = (
        "import ctypes; from test_memory_bounds import Fence, torch; x = Fence(True)(torch.ones(3)); "
        "print('before', flush=True); ctypes.string_at(x.data_ptr() + 12, 1); print('behind')"
    )
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode < 0 and done.stdout == "before\n"
