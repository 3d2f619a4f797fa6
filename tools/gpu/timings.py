"""Times of calls on a GPU with their budgets, as lines of JSON. Runs under this library and under PyTorch alike.

A figure is a dict: value and unit; share of what the GPU or the vendor's library can do, if that is known; and the budget:
`least_share`, `at_most`, or `beside_peer` (no slower than PyTorch). Each line has all figures so far and what failed.

    python tools/gpu/timings.py [--small]       small sizes try the program out
"""

import contextlib
import json
import os
import sys
import time

from driver import peaks

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

SMALL = "--small" in sys.argv
ELEMENTS, ROWS, COLUMNS = (1 << 10, 32, 32) if SMALL else (1 << 26, 1 << 14, 1 << 12)
RUNS = 1 if SMALL else 5
BYTES, TENSOR_CORES = peaks()


def seconds_per_call(call, calls):
    """The least of some runs, by events on the stream, after one call that may choose algorithms."""
    call()
    times = []
    calls = 1 if SMALL else calls
    for _ in range(RUNS):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        for _ in range(calls):
            call()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last) / 1e3 / calls)
    return max(min(times), 1e-9)


def host_seconds_per_call(call, calls=2000):
    """The host's time to start work, which the GPU does meanwhile."""
    times = []
    calls = 2 if SMALL else calls
    for _ in range(RUNS):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - began) / calls)
        torch.cuda.synchronize()
    return min(times)


def figure(value, unit, share=None, **budget):
    return {"value": float(f"{value:.4g}"), "unit": unit, "share": share, **budget}


def bandwidth(call, nbytes, minimum=None):
    rate = nbytes / seconds_per_call(call, 20)
    budget = {} if minimum is None else {"least_share": minimum}
    return figure(rate / 1e9, "GB/s", rate / BYTES if BYTES else None, **budget)


def launch(found):
    small = torch.ones(16, device="cuda")
    found["launch of add, 16 elements"] = figure(host_seconds_per_call(lambda: small + small) * 1e6, "us", at_most=3.0)


def memory_bound(found):
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.randn(ELEMENTS, device="cuda").to(dtype)
        y, rows = torch.empty_like(x), x.view(ROWS, COLUMNS)
        calls = {
            "copy_": (lambda x=x, y=y: y.copy_(x), 2, 0.9),
            "add": (lambda x=x, y=y: torch.add(x, y, out=y), 3, 0.9),
            "exp": (lambda x=x, y=y: torch.exp(x, out=y), 2, 0.9),
            "sum": (lambda x=x: x.sum(), 1, 0.9),
            "sum along rows": (lambda x=rows: x.sum(1), 1, 0.9),
            "sum along columns": (lambda x=rows: x.sum(0), 1, 0.9),
            "softmax along rows": (lambda x=rows: x.softmax(1), 2, 0.9),
            "layer norm of rows": (lambda x=rows: F.layer_norm(x, x.shape[1:]), 2, None),
            "cumsum along rows": (lambda x=rows: x.cumsum(1), 2, None),
            "transposed copy": (lambda x=rows: x.t().contiguous(), 2, None),
        }
        for name, (call, passes, minimum) in calls.items():
            found[f"{name}, {ELEMENTS} x {str(dtype)[6:]}"] = bandwidth(call, passes * x.nbytes, minimum)


def best_of(call, switches):
    """The least seconds of a call under several settings of the vendor's library."""
    return min(switch(lambda: seconds_per_call(call, 5)) for switch in switches)


def with_blas(name):
    def measure(run):
        before = torch.backends.cuda.preferred_blas_library()
        torch.backends.cuda.preferred_blas_library(name)
        try:
            return run()
        finally:
            torch.backends.cuda.preferred_blas_library(before)

    return measure


def with_benchmark(run):
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        return run()


def products(found):
    n = 16 if SMALL else 8192
    for dtype in (torch.float32, torch.bfloat16):
        a = torch.randn(n, n, device="cuda", dtype=dtype)

        def call(a=a):
            return a @ a

        took, best = seconds_per_call(call, 5), best_of(call, [with_blas("cublas"), with_blas("cublaslt")])
        name = f"product of {n} x {n}, {str(dtype)[6:]}, beside the better of cuBLAS and cuBLASLt"
        found[name] = figure(2 * n**3 / took / 1e12, "TFLOP/s", best / took, least_share=0.98)


def convolutions(found):
    batch, channels, side = (1, 4, 8) if SMALL else (32, 256, 56)
    for memory_format in (torch.contiguous_format, torch.channels_last):
        x = torch.randn(batch, channels, side, side, device="cuda", dtype=torch.float16).to(memory_format=memory_format)
        w = torch.randn(channels, channels, 3, 3, device="cuda", dtype=torch.float16).to(memory_format=memory_format)

        def call(x=x, w=w):
            return F.conv2d(x, w, padding=1)

        took, best = seconds_per_call(call, 5), best_of(call, [with_benchmark])
        flops = 2 * batch * side**2 * channels**2 * 9
        name = f"convolution, float16, {str(memory_format)[6:]}, beside the best of cuDNN's benchmark"
        found[name] = figure(flops / took / 1e12, "TFLOP/s", best / took, least_share=0.98)


def attention(found):
    batch, heads, length = (1, 1, 16) if SMALL else (4, 16, 4096)
    # The kernel that is preferred, which has the budget, and each of the two; the flash kernel is that of the library itself.
    kernels = {"": None, ", by cuDNN": SDPBackend.CUDNN_ATTENTION, ", by the flash kernel": SDPBackend.FLASH_ATTENTION}
    for width in (64, 128):
        for causal in (False, True):
            shape = 3, batch, heads, length, width
            q, k, v = (x.requires_grad_() for x in torch.randn(shape, device="cuda", dtype=torch.bfloat16))
            params = torch.backends.cuda.SDPAParams(q, k, v, None, 0.0, causal, False)
            has_cudnn = torch.backends.cuda.can_use_cudnn_attention(params)
            for passes in ("forward", "forward and backward"):

                def call(q=q, k=k, v=v, causal=causal, passes=passes):
                    y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
                    if passes != "forward":
                        torch.autograd.grad(y, (q, k, v), y)

                flops = 4 * batch * heads * length**2 * width * (0.5 if causal else 1) * (1 if passes == "forward" else 3.5)
                for kernel, backend in kernels.items():
                    if backend is SDPBackend.CUDNN_ATTENTION and not has_cudnn:
                        continue
                    with sdpa_kernel(backend) if backend else contextlib.nullcontext():
                        rate = flops / seconds_per_call(call, 5)
                    share = rate / TENSOR_CORES if TENSOR_CORES else None
                    name = f"attention, bfloat16, heads of {width}{', causal' * causal}, {passes}{kernel}"
                    found[name] = figure(rate / 1e12, "TFLOP/s", share, **({} if causal or kernel else {"least_share": 0.7}))


def optimizer(found):
    count, each = (3, 1 << 6) if SMALL else (200, 1 << 20)
    parameters = [torch.randn(each, device="cuda", requires_grad=True) for _ in range(count)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    for name, options in {"fused": {"fused": True}, "in lists": {"foreach": True}}.items():
        step = torch.optim.AdamW(parameters, **options).step
        minimum = 0.85 if name == "fused" else None
        found[f"step of AdamW {name}, {count * each} parameters"] = bandwidth(step, 7 * 4 * count * each, minimum)


def training(found):
    """Steps of the networks of benchmarks/cases/training.py, the host's part included."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks"))
    from cases.training import CASES

    torch.set_default_device("cuda")
    try:
        for name in ("LSTM",) if SMALL else CASES:
            step = CASES[name].make()
            for _ in range(1 if SMALL else 5):
                step()
            times = []
            for _ in range(RUNS):
                torch.cuda.synchronize()
                began = time.perf_counter()
                for _ in range(1 if SMALL else 20):
                    step()
                torch.cuda.synchronize()
                times.append((time.perf_counter() - began) / (1 if SMALL else 20))
            found[f"training step, {name}"] = figure(min(times) * 1e3, "ms", beside_peer=True)
    finally:
        torch.set_default_device(None)


def transforms(found):
    n = 16 if SMALL else 1 << 12
    z = torch.randn(n, n, device="cuda", dtype=torch.complex64)
    found[f"fft of rows of {n}"] = bandwidth(lambda: torch.fft.fft(z), 2 * z.nbytes)
    found[f"fft2 of {n} x {n}"] = bandwidth(lambda: torch.fft.fft2(z), 4 * z.nbytes)


# Numbers of matrices and their order: on both sides of where linalg_*/cuda changes its ways.
MATRICES = ((2, 3),) if SMALL else ((10000, 8), (1000, 32), (1000, 33), (100, 128), (20, 512), (1, 512), (1, 2048))


def factorizations(found):
    for count, n in MATRICES:
        a = torch.randn(count, n, n, device="cuda")
        definite = a @ a.mT / n + torch.eye(n, device="cuda")
        calls = {
            "cholesky": lambda a=definite: torch.linalg.cholesky_ex(a),
            "inverse": lambda a=a: torch.linalg.inv_ex(a),
            "solve": lambda a=a: torch.linalg.solve_ex(a, a[..., :1]),
            "QR": lambda a=a: torch.linalg.qr(a),
            "eigh": lambda a=definite: torch.linalg.eigh(a),
            "SVD": lambda a=a: torch.linalg.svd(a, full_matrices=False),
        }
        for name, call in calls.items():
            if name in ("eigh", "SVD") and count * n**3 > 10**9:
                continue  # takes seconds
            found[f"{name} of {count} x {n} x {n}"] = figure(seconds_per_call(call, 1) * 1e3, "ms")


GROUPS = (launch, memory_bound, products, convolutions, attention, optimizer, training, transforms, factorizations)


def main():
    found, failed = {}, []
    for group in GROUPS:
        try:
            group(found)
        except Exception as error:
            failed.append(f"{group.__name__}: {type(error).__name__}: {error}")
        torch.cuda.empty_cache()
        print(json.dumps({"figures": found, "failed": failed}), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
