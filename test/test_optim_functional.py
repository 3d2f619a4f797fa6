"""The rules of the optimizers as functions, and helpers that optimizers of other packages import."""

import importlib

import pytest

import torch
from torch import nn, optim
from torch.optim import optimizer as base

# Function: (settings of the optimizer, names of its state in the order of the function's lists, arguments of the function).
CASES = {
    "SGD": ({"momentum": 0.9, "nesterov": True}, ["momentum_buffer"],
            ["lr", "momentum", "dampening", "weight_decay", "nesterov"]),
    "Adam": ({"weight_decay": 0.1}, ["exp_avg", "exp_avg_sq", None, "step"], ["lr", "betas", "weight_decay", "eps", "amsgrad"]),
    "AdamW": ({"amsgrad": True}, ["exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"],
              ["lr", "betas", "weight_decay", "eps", "amsgrad"]),
    "Adagrad": ({"lr_decay": 0.1}, ["sum", "step"], ["lr", "weight_decay", "lr_decay", "eps"]),
    "Adadelta": ({"weight_decay": 0.1}, ["square_avg", "acc_delta", "step"], ["lr", "rho", "eps", "weight_decay"]),
    "Adamax": ({}, ["exp_avg", "exp_inf", "step"], ["lr", "betas", "eps", "weight_decay"]),
    "ASGD": ({"t0": 1}, ["ax", "mu", "eta", "step"], ["lambd", "lr", "t0", "alpha", "weight_decay"]),
    "NAdam": ({}, ["exp_avg", "exp_avg_sq", "mu_product", "step"], ["lr", "betas", "eps", "weight_decay", "momentum_decay"]),
    "RAdam": ({}, ["exp_avg", "exp_avg_sq", "step"], ["lr", "betas", "eps", "weight_decay"]),
    "RMSprop": ({"centered": True, "momentum": 0.3}, ["square_avg", "grad_avg", "momentum_buffer", "step"],
                ["lr", "alpha", "eps", "weight_decay", "momentum", "centered"]),
    "Rprop": ({}, ["prev", "step_size", "step"], ["etas", "step_sizes"]),
}  # fmt: skip
SPLIT = {"betas": ("beta1", "beta2"), "etas": ("etaminus", "etaplus"), "step_sizes": ("step_size_min", "step_size_max")}


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_function_and_class_agree(name, maximize):
    settings, state_names, arguments = CASES[name]
    torch.manual_seed(0)
    values, gradients = [torch.randn(3), torch.randn(2, 2)], [[torch.randn(3), torch.randn(2, 2)] for _ in range(5)]
    params = [nn.Parameter(value.clone()) for value in values]
    optimizer = getattr(optim, name)(params, maximize=maximize, **settings)
    plain = [value.clone() for value in values]
    function, group = getattr(importlib.import_module(f"torch.optim.{name.lower()}"), name.lower()), optimizer.param_groups[0]
    given = {}
    for argument in arguments:
        names = SPLIT.get(argument)
        given.update({argument: group[argument]} if names is None else zip(names, group[argument]))
    lists = None
    for number, grads in enumerate(gradients):
        for p, g in zip(params, grads):
            p.grad = g.clone()
        if number == 1:  # the state after the first step, which has made it
            state = [optimizer.state[p] for p in params]
            lists = [[] if key is None else [s[key].clone() for s in state] for key in state_names]
            plain = [p.detach().clone() for p in params]
        optimizer.step()
        if lists is not None:
            function(plain, [g.clone() for g in grads], *lists, maximize=maximize, **given)
    for p, q in zip(params, plain):
        torch.testing.assert_close(p.detach(), q, rtol=1e-5, atol=1e-6)
    for key, items in zip(state_names, lists):
        for p, item in zip(params, items):
            torch.testing.assert_close(optimizer.state[p][key], item, rtol=1e-5, atol=1e-6)


def test_sgd_makes_its_buffers():
    p, buffers = torch.ones(2), [None]
    from torch.optim.sgd import sgd

    sgd([p], [torch.ones(2)], buffers, weight_decay=0, momentum=0.9, lr=0.1, dampening=0, nesterov=False, maximize=False)
    torch.testing.assert_close(p, torch.full((2,), 0.9))
    assert buffers[0].tolist() == [1.0, 1.0]


def test_an_optimizer_of_a_package():
    class Plain(base.Optimizer):
        def __init__(self, params, lr=base.required, differentiable=False):
            super().__init__(params, {"lr": lr, "differentiable": differentiable})

        @base._use_grad_for_differentiable
        def step(self, closure=None):
            self.recorded = torch.is_grad_enabled()
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-base._get_value(group["lr"]))

    p = nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    optimizer = Plain([p], lr=torch.tensor(0.5))
    optimizer.step()
    assert p.tolist() == [0.5, 0.5] and not optimizer.recorded and torch.is_grad_enabled()
    with pytest.raises(ValueError, match="required optimization parameter lr"):
        Plain([p])


def test_helpers():
    p = torch.ones(2)
    assert base._default_to_fused_or_foreach([p], False, use_fused=True) == (True, False)
    assert base._default_to_fused_or_foreach([p], True, use_fused=True) == (False, False)
    assert base._get_scalar_dtype() == torch.float32 and base._stack_if_compiling(3) == 3
    assert base._to_scalar(torch.ones(1)).dim() == 0
    params, grads = [torch.ones(2, dtype=torch.complex64), p], [torch.ones(2, dtype=torch.complex64), p]
    base._view_as_real(params, grads)
    assert params[0].shape == (2, 2) and grads[0].shape == (2, 2) and params[1] is p
    assert "cpu" not in base._get_foreach_kernels_supported_devices()
    seen = []
    handle = base.register_optimizer_step_pre_hook(lambda *args: seen.append(1))
    assert len(base._global_optimizer_pre_hooks) == 1
    handle.remove()
