"""Optimizers against their formulas in NumPy."""

import copy

import numpy as np
import pytest

import torch

STEPS = 6
START = np.array([1.0, -2.0, 3.0, 0.5])


def gradient(p):
    return np.cos(p) * p


def run(make):
    parameter = torch.nn.Parameter(torch.tensor(START, dtype=torch.float64))
    optimizer = make([parameter])
    for _ in range(STEPS):
        parameter.grad = torch.cos(parameter.detach()) * parameter.detach()
        optimizer.step()
    return parameter.detach().numpy()


def sgd(lr, momentum=0.0, dampening=0.0, decay=0.0, nesterov=False):
    p, v = START.copy(), None
    for _ in range(STEPS):
        g = gradient(p) + decay * p
        if momentum:
            v = g.copy() if v is None else momentum * v + (1 - dampening) * g
            g = g + momentum * v if nesterov else v
        p = p - lr * g
    return p


def adam(lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=False, amsgrad=False):
    p, m, v, max_v = START.copy(), 0.0, 0.0, 0.0
    for t in range(1, STEPS + 1):
        g = gradient(p)
        if decoupled:
            p = p * (1 - lr * decay)
        else:
            g = g + decay * p
        m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g * g
        max_v = np.maximum(max_v, v)
        bottom = np.sqrt((max_v if amsgrad else v) / (1 - betas[1] ** t)) + eps
        p = p - lr * m / (1 - betas[0] ** t) / bottom
    return p


def rmsprop(lr, alpha=0.99, eps=1e-8):
    p, v = START.copy(), 0.0
    for _ in range(STEPS):
        g = gradient(p)
        v = alpha * v + (1 - alpha) * g * g
        p = p - lr * g / (np.sqrt(v) + eps)
    return p


def adagrad(lr, eps=1e-10):
    p, total = START.copy(), 0.0
    for _ in range(STEPS):
        g = gradient(p)
        total = total + g * g
        p = p - lr * g / (np.sqrt(total) + eps)
    return p


optim = torch.optim
CASES = {
    "sgd": (lambda p: optim.SGD(p, 0.1), lambda: sgd(0.1)),
    "sgd momentum": (lambda p: optim.SGD(p, 0.1, 0.9, 0.5, 0.01), lambda: sgd(0.1, 0.9, 0.5, 0.01)),
    "sgd nesterov": (lambda p: optim.SGD(p, 0.1, 0.9, nesterov=True), lambda: sgd(0.1, 0.9, nesterov=True)),
    "sgd plain": (lambda p: optim.SGD(p, 0.1, 0.9, foreach=False, fused=False), lambda: sgd(0.1, 0.9)),
    "adam": (lambda p: optim.Adam(p, 0.1, weight_decay=0.1), lambda: adam(0.1, decay=0.1)),
    "adam amsgrad": (lambda p: optim.Adam(p, 0.1, amsgrad=True), lambda: adam(0.1, amsgrad=True)),
    "adamw": (lambda p: optim.AdamW(p, 0.1), lambda: adam(0.1, decay=0.01, decoupled=True)),
    "adamw plain": (lambda p: optim.AdamW(p, 0.1, foreach=False, fused=False), lambda: adam(0.1, decay=0.01, decoupled=True)),
    "rmsprop": (lambda p: optim.RMSprop(p, 0.1), lambda: rmsprop(0.1)),
    "adagrad": (lambda p: optim.Adagrad(p, 0.1), lambda: adagrad(0.1)),
}


@pytest.mark.parametrize("name", CASES)
def test_formula(name):
    make, reference = CASES[name]
    np.testing.assert_allclose(run(make), reference(), rtol=1e-9)


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"]
)
def test_minimises_and_resumes(name):
    torch.manual_seed(0)
    parameter = torch.nn.Parameter(torch.tensor([2.0, -3.0]))
    optimizer = getattr(optim, name)([parameter], lr=0.05)

    def step():
        optimizer.zero_grad()
        loss = (parameter**2).sum()
        loss.backward()
        optimizer.step()
        return loss.item()

    first = [step() for _ in range(5)]
    assert first[-1] < first[0]
    saved, values = copy.deepcopy(optimizer.state_dict()), parameter.detach().clone()
    onward = [step() for _ in range(3)]
    with torch.no_grad():
        parameter.copy_(values)
    optimizer.load_state_dict(saved)
    assert [step() for _ in range(3)] == onward


def test_lbfgs():
    parameter = torch.nn.Parameter(torch.tensor([2.0, -3.0]))
    optimizer = optim.LBFGS([parameter], line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = ((parameter - torch.tensor([1.0, 2.0])) ** 4).sum() + (parameter**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert closure().item() > 0 and parameter.grad.abs().max().item() < 1e-3


def test_groups_hooks_and_errors():
    a, b = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    optimizer = optim.SGD([{"params": [a], "lr": 0.5}, {"params": [b]}], lr=0.1)
    seen = []
    optimizer.register_step_post_hook(lambda opt, args, kwargs: seen.append(len(args)))
    for parameter in (a, b):
        parameter.grad = torch.ones(1)
    optimizer.step()
    assert seen == [1] and a.item() == 0.5 and b.item() == pytest.approx(0.9)
    with pytest.raises(ValueError, match="empty parameter list"):
        optim.SGD([], lr=1)
    with pytest.raises(ValueError, match="more than one parameter group"):
        optim.SGD([{"params": [a]}, {"params": [a]}], lr=1)
    with pytest.raises(TypeError):
        optim.SGD(torch.ones(2), lr=1)
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        optim.Adam([a], lr=-1)
