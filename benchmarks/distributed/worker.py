"""One rank of the timings, under this library or PyTorch. Answers a line of JSON with seconds for each line on its input.

    python worker.py RANK SIZE FOLDER

Rank 0 reads {"case": ..., "bytes": ..., "seconds": ...} and sends it to the others; all of them leave at the end of the input.
"""

import json
import sys
import time

import torch
import torch.distributed as dist
from torch import nn


def collective(name, count, size):
    """A function that makes one call."""
    x = torch.ones(max(count // 4, 1))
    if name == "all_reduce":
        return lambda: dist.all_reduce(x)
    if name == "broadcast":
        return lambda: dist.broadcast(x, 0)
    # The result has the bytes that are named.
    part = torch.ones(max(count // 4 // size, 1))
    result = torch.empty(part.numel() * size)
    return lambda: dist.all_gather_into_tensor(result, part)


def timed(call, seconds):
    """The shortest time of a call that all ranks begin together, in about this many seconds."""
    call()
    best, calls, start = float("inf"), 0, time.perf_counter()
    while True:
        dist.barrier()
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
        calls += 1
        # Rank 0 decides for all when it is enough.
        more = torch.tensor([time.perf_counter() - start < seconds or calls < 3], dtype=torch.uint8)
        dist.broadcast(more, 0)
        if not more.item():
            return best


def step_of(width, copies):
    """Forward and backward of a network of about 25 M parameters at width 1,450, alone or in all processes together."""
    torch.manual_seed(0)
    model = nn.Sequential(*[layer for _ in range(12) for layer in (nn.Linear(width, width), nn.ReLU())])
    if copies:
        model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    x = torch.randn(64, width)

    def step():
        model.zero_grad(set_to_none=not copies)
        model(x).sum().backward()

    return step, sum(p.numel() for p in model.parameters())


def ddp(seconds, width=1450):
    """Seconds of computing alone, of communicating alone, and of both at once."""
    alone, count = step_of(width, False)
    gradients = torch.ones(count)
    compute = timed(alone, seconds)
    messages = timed(lambda: dist.all_reduce(gradients), seconds)
    both, _ = step_of(width, True)
    both()
    return {"compute": compute, "communicate": messages, "both": timed(both, seconds)}


def main():
    rank, size, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=size)
    while True:
        asked = [sys.stdin.readline() if rank == 0 else None]
        dist.broadcast_object_list(asked, 0)
        if not asked[0]:
            break
        ask = json.loads(asked[0])
        if ask["case"] == "ddp":
            answer = ddp(ask["seconds"])
        else:
            answer = {"seconds": timed(collective(ask["case"], ask["bytes"], size), ask["seconds"])}
        if rank == 0:
            print(json.dumps(answer), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
