"""Times of single calls on a GPU, as one line of JSON. Runs under this library and under PyTorch alike."""

import json
import time

import torch


def seconds_per_call(call, calls):
    """The least of five runs, by events on the stream."""
    times = []
    for _ in range(5):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        for _ in range(calls):
            call()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last) / 1e3 / calls)
    return min(times)


def host_seconds_per_call(call, calls=2000):
    """The host's time to start work, which the GPU does meanwhile."""
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - began) / calls)
        torch.cuda.synchronize()
    return min(times)


def bandwidth(call, nbytes):
    return f"{nbytes / seconds_per_call(call, 20) / 1e9:.0f} GB/s"


def memory_bound(found):
    x, y = torch.randn(1 << 26, device="cuda"), torch.empty(1 << 26, device="cuda")
    rows = x.view(1 << 14, 1 << 12)
    calls = {
        "copy_, 256 MiB": (lambda: y.copy_(x), 2),
        "add, 256 MiB": (lambda: torch.add(x, x, out=y), 2),
        "exp, 256 MiB": (lambda: torch.exp(x, out=y), 2),
        "sum, 256 MiB": (lambda: x.sum(), 1),
        "sum along rows": (lambda: rows.sum(1), 1),
        "sum along columns": (lambda: rows.sum(0), 1),
        "softmax along rows": (lambda: rows.softmax(1), 2),
        "cumsum along rows": (lambda: rows.cumsum(1), 2),
        "transposed copy": (lambda: rows.t().contiguous(), 2),
    }
    for name, (call, passes) in calls.items():
        found[name] = bandwidth(call, passes * x.nbytes)


def products(found):
    for dtype in (torch.float32, torch.bfloat16):
        a = torch.randn(8192, 8192, device="cuda", dtype=dtype)
        took = seconds_per_call(lambda a=a: a @ a, 5)
        found[f"product of 8192 x 8192, {dtype}"] = f"{2 * 8192**3 / took / 1e12:.0f} TFLOP/s"


# Numbers of matrices and their order: on both sides of where linalg_*/cuda changes its ways.
MATRICES = ((10000, 8), (1000, 32), (1000, 33), (100, 128), (20, 512), (1, 512), (1, 2048))


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
            call()
            found[f"{name} of {count} x {n} x {n}"] = f"{seconds_per_call(call, 1) * 1e3:.3g} ms"


def networks(found):
    """Attention, convolutions and Fourier transforms, forward and backward together where they have gradients."""
    for dtype, causal in ((torch.float32, False), (torch.bfloat16, False), (torch.bfloat16, True)):
        q = torch.randn(4, 16, 2048, 64, device="cuda", dtype=dtype, requires_grad=True)
        for passes in ("forward", "forward and backward"):

            def attend(q=q, causal=causal, passes=passes):
                y = torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=causal)
                if passes != "forward":
                    y.backward(q)

            flops = 4 * 4 * 16 * 2048**2 * 64 * (0.5 if causal else 1) * (1 if passes == "forward" else 3.5)
            name = f"attention of 2048 queries, {dtype}{', causal' * causal}, {passes}"
            found[name] = f"{flops / seconds_per_call(attend, 5) / 1e12:.1f} TFLOP/s"
    for memory_format in (torch.contiguous_format, torch.channels_last):
        x = torch.randn(32, 256, 56, 56, device="cuda", dtype=torch.float16).to(memory_format=memory_format)
        w = torch.randn(256, 256, 3, 3, device="cuda", dtype=torch.float16).to(memory_format=memory_format)
        took = seconds_per_call(lambda x=x, w=w: torch.nn.functional.conv2d(x, w, padding=1), 5)
        found[f"convolution, float16, {memory_format}"] = f"{2 * 32 * 56 * 56 * 256 * 256 * 9 / took / 1e12:.1f} TFLOP/s"
    z = torch.randn(1 << 12, 1 << 12, device="cuda", dtype=torch.complex64)
    found["fft of rows of 4096"] = bandwidth(lambda: torch.fft.fft(z), 2 * z.nbytes)
    found["fft2 of 4096 x 4096"] = bandwidth(lambda: torch.fft.fft2(z), 4 * z.nbytes)


def optimizer(found):
    parameters = [torch.randn(1 << 20, device="cuda", requires_grad=True) for _ in range(200)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    step = torch.optim.AdamW(parameters, fused=True)
    step.step()
    found["fused AdamW, 200 M parameters"] = bandwidth(step.step, 7 * 4 * 200 * (1 << 20))


def main():
    found = {}
    small = torch.ones(16, device="cuda")
    found["launch of add, 16 elements"] = f"{host_seconds_per_call(lambda: small + small) * 1e6:.2f} us"
    memory_bound(found)
    products(found)
    factorizations(found)
    networks(found)
    optimizer(found)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
