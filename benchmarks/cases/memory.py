"""Memory-bound operators with fresh results of 64 MiB: bandwidth, and what making the result costs."""

from cases import Case

import torch

N = 16 << 20  # float32: 64 MiB


def _one(f):
    def make():
        torch.manual_seed(0)
        x = torch.rand(N)
        return lambda: f(x)

    return make


def _two(f):
    def make():
        torch.manual_seed(0)
        x, y = torch.rand(N), torch.rand(N)
        return lambda: f(x, y)

    return make


def _matrix(f):
    def make():
        torch.manual_seed(0)
        x = torch.rand(4096, 4096)
        return lambda: f(x)

    return make


def _mask():
    x = torch.rand(N)
    m = x > 0.5
    return lambda: torch.masked_select(x, m)


def _gather():
    x = torch.rand(4096, 4096)
    i = torch.randint(0, 4096, (4096, 4096))
    return lambda: torch.gather(x, 1, i)


CASES = {
    "x + y": Case(_two(torch.add), 1.0),
    "x * y": Case(_two(torch.mul), 1.0),
    "relu": Case(_one(torch.relu), 1.0),
    "exp": Case(_one(torch.exp), 1.0),
    "tanh": Case(_one(torch.tanh), 1.0),
    "x > y": Case(_two(torch.gt), 1.0),
    "where": Case(_two(lambda x, y: torch.where(x > y, x, y)), 1.0),
    "clone": Case(_one(torch.clone), 1.0),
    "to(float64)": Case(_one(lambda x: x.double()), 1.0),
    "transpose copy": Case(_matrix(lambda x: x.t().contiguous()), 1.0),
    "sum": Case(_one(torch.sum), 1.0),
    "sum(0)": Case(_matrix(lambda x: x.sum(0)), 1.0),
    "sum(1)": Case(_matrix(lambda x: x.sum(1)), 1.0),
    "var": Case(_one(torch.var), 1.0),
    "max(1)": Case(_matrix(lambda x: x.max(1)), 1.0),
    "cumsum": Case(_matrix(lambda x: x.cumsum(1)), 1.0),
    "softmax": Case(_matrix(lambda x: torch.softmax(x, 1)), 1.0),
    "sort": Case(_matrix(lambda x: x.sort(1)), 1.0),
    "masked_select": Case(_mask, 1.0),
    "gather": Case(_gather, 1.0),
    "cat": Case(_two(lambda x, y: torch.cat((x, y))), 1.0),
    "dropout": Case(_one(lambda x: torch.nn.functional.dropout(x, 0.5)), 1.0),
    "rand": Case(lambda: lambda: torch.rand(N), 1.0),
    "randn": Case(lambda: lambda: torch.randn(N), 1.0),
}
