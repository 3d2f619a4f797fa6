"""Helpers that make cases for several families, by group."""

from cases import Case

import torch

N = 16 << 20  # float32: 64 MiB
SLOWEST = 1 / 0.95  # at least 0.95 of the peer's speed


# memory: memory-bound operators with new results of 64 MiB. They measure bandwidth and the cost of allocating the result.


def one(f):
    """f of a vector."""

    def make():
        torch.manual_seed(0)
        x = torch.rand(N)
        return lambda: f(x)

    return Case(make, 1.0)


def two(f):
    """f of two vectors."""

    def make():
        torch.manual_seed(0)
        x, y = torch.rand(N), torch.rand(N)
        return lambda: f(x, y)

    return Case(make, 1.0)


def matrix(f):
    """f of a square matrix."""

    def make():
        torch.manual_seed(0)
        x = torch.rand(4096, 4096)
        return lambda: f(x)

    return Case(make, 1.0)


# fresh: new results of 64 MiB against the same operator with out=, to measure allocation. This library runs both sides.


def new_result(f, count, shape=(N,)):
    """f of some tensors of a shape."""

    def inputs():
        torch.manual_seed(0)
        return [torch.rand(shape) for _ in range(count)]

    def allocating():
        args = inputs()
        return lambda: f(*args)

    def with_out():
        args = inputs()
        result = f(*args)
        return lambda: f(*args, out=result)

    return Case(allocating, 1.2, peer=with_out)


# calls: operators on tensors so small that only the overhead of the call counts.


def in_numpy(call):
    """The same of an array: call(array) -> a function without arguments."""

    def make():
        import numpy as np

        return call(np.ones((4, 6), dtype=np.float32))

    return make
