"""A graph of any depth is freed without a stack of that depth."""

import resource
import subprocess
import sys

import pytest

HEAD = """
import torch
x = torch.ones(4, requires_grad=True)
y = x.clone()
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
def hooked(y, before):
    y.register_hook(lambda g, y=before: None)
    return y
def in_place(y):
    y = y * 1
    y[:2].mul_(1.0)
    return y
"""
DEPTH = 25_000  # with a stack of 1 MiB
STEPS = {
    "chain": "y + 1",
    "diamond": "y + y * 1e-6",
    "times itself": "y * y",
    "itself twice": "y + y",
    "saved result": "y.sigmoid()",
    "saved result and input": "y.sigmoid() * y",
    "view": "(y.view(2, 2) * y.view(2, 2)).view(4)",
    "list": "torch.cat([y[:2], y[2:]])",
    "custom function": "Twice.apply(y)",
    "attribute of ctx": "Keeps.apply(y) * y",
    "hook": "hooked(y * 1, y)",
    "hook on what is saved": "hooked(y * y, y)",
    "in place on a view": "in_place(y)",
}
ENDS = {"dropped": "del y", "after backward": "y.sum().backward(retain_graph=True); del y", "from a thread": """
import threading
thread = threading.Thread(target=lambda box: box.clear(), args=([y],)); del y
thread.start(); thread.join()"""}  # fmt: skip


def run(program):
    program = f"{HEAD}\n{program}\nprint('freed')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=small_stack)
    assert done.returncode == 0 and done.stdout == "freed\n", done.stderr[-2000:]


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("end", ENDS)
def test_deep_graph_is_freed(step, end):
    run(f"for _ in range({DEPTH}): y = {STEPS[step]}\n{ENDS[end]}")


def test_graphs_of_gradients():
    run(f"for _ in range({DEPTH}): y = y * 1.0001\ng, = torch.autograd.grad(y.sum(), x, create_graph=True)\ndel y, g")
