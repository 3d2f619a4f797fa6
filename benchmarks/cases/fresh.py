"""Fresh 64 MiB results beside the same operator with out=: what making a result costs. Both sides run here."""

from cases import Case

import torch

N = 16 << 20  # float32: 64 MiB


def _case(f, count, shape=(N,), out=None):
    def inputs():
        torch.manual_seed(0)
        return [torch.rand(shape) for _ in range(count)]

    def fresh():
        args = inputs()
        return lambda: f(*args)

    def given():
        args = inputs()
        result = f(*args)
        return lambda: f(*args, out=result)

    return Case(fresh, 1.2, rival=given)


CASES = {
    "x + y": _case(torch.add, 2),
    "x * y": _case(torch.mul, 2),
    "exp": _case(torch.exp, 1),
    "tanh": _case(torch.tanh, 1),
    "x > y": _case(torch.gt, 2),
    "where": _case(lambda x, y, **out: torch.where(x > 0.5, x, y, **out), 2),
    "cumsum": _case(lambda x, **out: torch.cumsum(x, 1, **out), 1, (4096, 4096)),
    "softmax": _case(lambda x, **out: torch.softmax(x, 1, **out), 1, (4096, 4096)),
    "cat": _case(lambda x, y, **out: torch.cat((x, y), **out), 2),
    "matmul": _case(torch.matmul, 2, (2048, 2048)),
}
