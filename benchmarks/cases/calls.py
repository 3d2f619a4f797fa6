"""Call overhead of small programs. Single operators are in their families' modules, in the same group."""

from cases import Case

import torch


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
    "5 operators forward and backward": Case(_forward_backward, 0.2),
    "nn.Linear 4x4": Case(_linear, 0.28),
    "MLP step, SGD": Case(_mlp_step(lambda p: torch.optim.SGD(p, lr=0.01)), 0.25),
    "MLP step, AdamW": Case(_mlp_step(lambda p: torch.optim.AdamW(p, lr=0.01)), 0.18),
}
