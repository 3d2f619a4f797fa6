"""Call overhead: operators on tensors so small that only the way to the kernel counts."""

from cases import Case

import torch


def _add():
    a, b = torch.ones(1), torch.ones(1)
    add = torch.add
    return lambda: add(a, b)


def _add_operator():
    a, b = torch.ones(1), torch.ones(1)
    return lambda: a + b


def _add_number():
    a = torch.ones(1)
    return lambda: a + 2.0


def _relu():
    a = torch.ones(4)
    return lambda: torch.relu(a)


def _sum():
    a = torch.ones(4)
    return lambda: a.sum()


def _matmul():
    a, b = torch.ones(4, 4), torch.ones(4, 4)
    return lambda: a @ b


def _zeros():
    return lambda: torch.zeros(4)


def _view():
    a = torch.ones(2, 6)
    return lambda: a.view(3, 4)


def _t():
    a = torch.ones(2, 6)
    return lambda: a.t()


def _index():
    a = torch.ones(4, 6)
    return lambda: a[1]


def _numpy(expression):
    def make():
        import numpy as np

        a = np.ones((4, 6), dtype=np.float32)
        return eval("lambda: " + expression, {"a": a})  # noqa: S307  (the three literals below)

    return make


def _forward_backward():
    x = torch.ones(1, requires_grad=True)

    def run():
        y = ((x * 2 + 1) * x).exp().sum()
        y.backward()
        x.grad = None

    return run


def _linear():
    layer = torch.nn.Linear(4, 4)
    x = torch.ones(4, 4)
    return lambda: layer(x)


def _mlp_step(optimizer):
    def make():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16)
        )
        opt = optimizer(model.parameters())
        x, y = torch.randn(8, 16), torch.randn(8, 16)
        loss_fn = torch.nn.MSELoss()

        def step():
            opt.zero_grad()
            loss_fn(model(x), y).backward()
            opt.step()

        return step

    return make


CASES = {
    "add, 1 element": Case(_add, 0.25),
    "a + b, 1 element": Case(_add_operator, 0.35),
    "a + 2.0, 1 element": Case(_add_number, 0.35),
    "relu, 4 elements": Case(_relu, 0.4),
    "sum, 4 elements": Case(_sum, 0.5),
    "matmul 4x4": Case(_matmul, 0.5),
    "zeros(4)": Case(_zeros, 0.5),
    "view": Case(_view, 0.17),
    "t()": Case(_t, 0.17),
    "x[1]": Case(_index, 0.17),
    "view, beside NumPy's": Case(_view, 2.5, rival=_numpy("a.reshape(8, 3)")),
    "t(), beside NumPy's": Case(_t, 2.5, rival=_numpy("a.T")),
    "x[1], beside NumPy's": Case(_index, 2.5, rival=_numpy("a[1]")),
    "5 operators forward and backward": Case(_forward_backward, 0.2),
    "nn.Linear 4x4": Case(_linear, 0.28),
    "MLP step, SGD": Case(_mlp_step(lambda p: torch.optim.SGD(p, lr=0.01)), 0.25),
    "MLP step, AdamW": Case(_mlp_step(lambda p: torch.optim.AdamW(p, lr=0.01)), 0.18),
}
