"""How steps of DistributedDataParallel and fully_shard scale over hosts whose network has a rate.

    python -m benchmarks.distributed.scaling [--hosts 1 2 4 8] [--rates 1gbit 10gbit] [--delay 50us] [--loss 0.01%]

The hosts are network namespaces of this machine (`hosts.py`), which share its processors. So layers wait as long as an
accelerator would compute, and have real parameters and gradients. Prints the time of a step, the time on one host as a share of
it, and what a step needs at least: the longer one of computing and of sending the bytes that `docs/distributed.md` counts.
"""

import argparse
import json
import os
import subprocess
import sys
import time

if __package__:
    from benchmarks.distributed.hosts import Hosts, reason_against

LAYERS, WIDTH = 10, 625_000  # parameters of a layer: 25 MB of float32 in all
UNITS = {"gbit": 125e6, "mbit": 125e3}


def bytes_per_second(rate):
    for unit, value in UNITS.items():
        if rate.endswith(unit):
            return float(rate.removesuffix(unit)) * value
    raise SystemExit(f"expected a rate such as 1gbit or 100mbit, got {rate!r}")


def lower_bound(kind, hosts, rate, compute):
    """Seconds of a step if all sending happens while layers compute."""
    whole, share = LAYERS * WIDTH * 4, (hosts - 1) / hosts
    sent = {"ddp": 2 * whole * share, "fsdp": 3 * whole * share}[kind]
    return max(3 * LAYERS * compute, sent / bytes_per_second(rate))


def worker(rank, size, address, kind, compute, steps):
    import torch
    import torch.distributed as dist
    from torch import nn

    torch.set_num_threads(1)

    class Wait(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            time.sleep(compute)
            ctx.save_for_backward(weight)
            return x + weight[0]

        @staticmethod
        def backward(ctx, grad):
            time.sleep(2 * compute)
            return grad, torch.ones_like(ctx.saved_tensors[0])

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(WIDTH))

        def forward(self, x):
            return Wait.apply(x, self.weight)

    dist.init_process_group("gloo", f"tcp://{address}:29512", rank=rank, world_size=size)
    model = nn.Sequential(*(Layer() for _ in range(LAYERS)))
    if kind == "ddp":
        model = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=5, gradient_as_bucket_view=True)
    else:
        from torch.distributed.fsdp import fully_shard

        for layer in model:
            fully_shard(layer)
        fully_shard(model)
    x, times = torch.zeros(4, requires_grad=True), []
    for _ in range(steps + 2):
        dist.barrier()
        start = time.perf_counter()
        model(x).sum().backward()
        times.append(time.perf_counter() - start)
        model.zero_grad(set_to_none=kind == "fsdp")
    slowest = torch.tensor(sorted(times[2:])[steps // 2])
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    if rank == 0:
        print(json.dumps(slowest.item()))
    dist.destroy_process_group()


def measure(hosts, kind, compute, steps):
    """Seconds of a step: the median, on the slowest host."""
    arguments = [hosts.address(0), kind, str(compute), str(steps)]
    processes = [
        hosts.start(rank, [sys.executable, os.path.abspath(__file__), str(rank), str(hosts.count), *arguments],
                    stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        for rank in range(hosts.count)
    ]  # fmt: skip
    try:
        outputs = [process.communicate(timeout=300)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    if any(process.returncode for process in processes):
        raise SystemExit("a rank failed")
    return json.loads(outputs[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--rates", nargs="+", default=["1gbit", "10gbit"])
    parser.add_argument("--delay", help="of one way, such as 50us")
    parser.add_argument("--loss", help="a share of packets, such as 0.01%%")
    parser.add_argument(
        "--compute", type=float, default=10, help="milliseconds of a layer's forward; backward takes twice as long"
    )
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    compute = args.compute / 1000
    for rate in args.rates:
        shape = {"rate": rate, "delay": args.delay, "loss": args.loss}
        if reason := reason_against(**shape):
            raise SystemExit(f"hosts cannot be made here: {reason}")
        print(f"{rate}{f', delay {args.delay}' if args.delay else ''}{f', loss {args.loss}' if args.loss else ''}")
        for kind in ("ddp", "fsdp"):
            alone = None
            for count in args.hosts:
                with Hosts(count, **shape) as hosts:
                    seconds = measure(hosts, kind, compute, args.steps)
                alone = alone or seconds
                bound = lower_bound(kind, count, rate, compute)
                print(f"  {kind:4} {count:3} hosts  step {seconds * 1000:7.1f} ms  efficiency {100 * alone / seconds:5.1f} %  "
                      f"at least {bound * 1000:7.1f} ms", flush=True)  # fmt: skip


if __name__ == "__main__":
    if __package__:
        main()
    else:
        rank, size, address, kind, compute, steps = sys.argv[1:]
        worker(int(rank), int(size), address, kind, float(compute), int(steps))
