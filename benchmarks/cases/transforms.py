"""Transforms of functions, alone and as programs use them."""

from cases import Case
from cases.shared import SLOWEST

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, stack_module_state, vmap


def _call(transformed, *sizes):
    def make():
        torch.manual_seed(0)
        inputs = [torch.randn(size) for size in sizes]
        return lambda: transformed(*inputs)

    return Case(make, SLOWEST)


def _wave(x):
    return (x.sin() * x).sum()


def _constants(module):
    return {name: p.detach() for name, p in module.named_parameters()}


def _per_sample_gradients():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 11 * 11, 10)
    )
    images, labels, parameters = torch.randn(32, 1, 28, 28), torch.randint(10, (32,)), _constants(model)

    def loss(parameters, image, label):
        return F.cross_entropy(functional_call(model, parameters, (image[None],)), label[None])

    each = vmap(grad(loss), (None, 0, 0))
    return lambda: each(parameters, images, labels)


def _ensemble():
    torch.manual_seed(0)
    models = [nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)) for _ in range(8)]
    parameters, buffers = stack_module_state(models)
    x = torch.randn(128, 32)
    all_models = vmap(lambda p, b, x: functional_call(models[0], (p, b), (x,)), (0, 0, None))
    return lambda: all_models(parameters, buffers, x)


def _meta_learning():
    torch.manual_seed(0)
    weights = [torch.randn(1, 40), torch.randn(40, 40), torch.randn(40, 1)]
    x, y = torch.randn(25, 10, 1), torch.randn(25, 10, 1)

    def error(w, x, y):
        return ((torch.relu(torch.relu(x @ w[0]) @ w[1]) @ w[2] - y) ** 2).mean()

    def task(w, x, y):
        return error([a - 0.01 * step for a, step in zip(w, grad(error)(w, x, y))], x, y)

    outer = grad(lambda w: vmap(task, (None, 0, 0))(w, x, y).mean())
    return lambda: outer(weights)


def _differential_equation():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    points, parameters = torch.linspace(0, 1, 100)[:, None], _constants(model)

    def u(p, x):
        return functional_call(model, p, (x,)).squeeze()

    second = grad(lambda p, x: grad(u, 1)(p, x).squeeze(), 1)
    residual = grad(lambda p: (vmap(second, (None, 0))(p, points).squeeze() + vmap(u, (None, 0))(p, points)).square().mean())
    return lambda: residual(parameters)


CASES = {
    "vmap of add": _call(vmap(torch.add), 4, 4),
    "grad": _call(grad(_wave), 4),
    "vmap of grad": _call(vmap(grad(_wave)), (64, 10)),
    "Hessian-vector product": _call(lambda x, v: jvp(grad(_wave), (x,), (v,)), 10, 10),
    "hessian": _call(hessian(_wave), 10),
    "jacrev": _call(jacrev(lambda x: x.sin() * x), 10),
    "jacfwd": _call(jacfwd(lambda x: x.sin() * x), 10),
    "per-sample gradients": Case(_per_sample_gradients, SLOWEST),
    "ensemble": Case(_ensemble, SLOWEST),
    "meta-learning": Case(_meta_learning, SLOWEST),
    "differential equation": Case(_differential_equation, SLOWEST),
}
