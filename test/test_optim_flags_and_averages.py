"""Muon, Adafactor, averaged models, flags of the optimizers, and optimizers that work on other parameters for a while."""

import copy

import numpy as np
import pytest

import torch
from torch import nn, optim
from torch.optim import swa_utils

EVERY = {
    "SGD": {"momentum": 0.9}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adagrad": {}, "Adadelta": {}, "Adamax": {},
    "ASGD": {"t0": 1},
    "NAdam": {}, "RAdam": {}, "RMSprop": {"centered": True, "momentum": 0.3}, "Rprop": {}, "Muon": {}, "Adafactor": {},
    "LBFGS": {"line_search_fn": "strong_wolfe", "max_iter": 3},
}  # fmt: skip
CAPTURABLE = ("Adam", "AdamW", "Adadelta", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop")
STATE = {
    "SGD": ["momentum_buffer"], "Adam": ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"],
    "AdamW": ["step", "exp_avg", "exp_avg_sq"], "Adagrad": ["step", "sum"], "Adadelta": ["step", "square_avg", "acc_delta"],
    "Adamax": ["step", "exp_avg", "exp_inf"], "ASGD": ["step", "eta", "mu", "ax"],
    "NAdam": ["step", "mu_product", "exp_avg", "exp_avg_sq"], "RAdam": ["step", "exp_avg", "exp_avg_sq"],
    "RMSprop": ["step", "square_avg", "momentum_buffer", "grad_avg"], "Rprop": ["step", "prev", "step_size"],
    "Muon": ["momentum_buffer"], "Adafactor": ["step", "row_var", "col_var"],
    "LBFGS": ["func_evals", "n_iter", "al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"],
}  # fmt: skip


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5, bias=False), nn.Tanh(), nn.Linear(5, 2, bias=False))


def step(optimizer, net, seed):
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(seed))

    def closure():
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        return loss

    closure()
    optimizer.step(closure)


@pytest.mark.parametrize("name", EVERY)
def test_a_run_goes_on_from_a_state_dict(name):
    net = model()
    optimizer = getattr(optim, name)(net.parameters(), **EVERY[name])
    for seed in range(3):
        step(optimizer, net, seed)
    saved = copy.deepcopy((net.state_dict(), optimizer.state_dict()))
    assert list(saved[1]["state"][0]) == STATE[name]
    for seed in range(3, 6):
        step(optimizer, net, seed)
    other = model()
    resumed = getattr(optim, name)(other.parameters(), **EVERY[name])
    other.load_state_dict(saved[0])
    resumed.load_state_dict(saved[1])
    for seed in range(3, 6):
        step(resumed, other, seed)
    for mine, theirs in zip(net.parameters(), other.parameters()):
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("name", CAPTURABLE)
def test_capturable_is_refused_on_a_cpu(name):
    net = model()
    optimizer = getattr(optim, name)(net.parameters(), capturable=True)
    with pytest.raises(AssertionError, match=f"{name}: capturable=True is for parameters on a GPU"):
        step(optimizer, net, 0)


def test_flags_that_exclude_each_other():
    for kind in (optim.SGD, optim.Adam, optim.AdamW, optim.Adagrad):
        with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
            kind(model().parameters(), fused=True, differentiable=True)
        with pytest.raises(RuntimeError, match="cannot be `True` together"):
            kind(model().parameters(), fused=True, foreach=True)
        p = nn.Parameter(torch.ones(2, dtype=torch.complex64))
        p.grad = torch.ones_like(p)
        with pytest.raises(RuntimeError, match="complex"):
            kind([p], fused=True).step()
    net = model()
    with pytest.raises(AssertionError, match="does not support differentiable"):
        step(optim.Adam(net.parameters(), foreach=True, differentiable=True), net, 0)
    with pytest.raises(ValueError, match="two floats or two tensors"):
        optim.Adam(net.parameters(), betas=(torch.tensor(0.9), 0.9))


def test_the_line_search_of_lbfgs_keeps_to_max_eval():
    for limit in (2, 3, 5, 8):
        p, count = nn.Parameter(torch.tensor([-1.2, 1.0], dtype=torch.float64)), 0
        optimizer = optim.LBFGS([p], lr=50, max_iter=20, max_eval=limit, line_search_fn="strong_wolfe")

        def closure():
            nonlocal count
            count += 1
            optimizer.zero_grad()
            loss = (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
            loss.backward()
            return loss

        optimizer.step(closure)
        assert count == optimizer.state[p]["func_evals"] <= limit + 1


def test_muon_steps_are_orthogonal():
    torch.manual_seed(0)
    for shape in ((6, 3), (3, 6), (4, 4)):
        p = nn.Parameter(torch.randn(shape))
        before, p.grad = p.detach().clone(), torch.randn(shape)
        optim.Muon([p], lr=1.0, weight_decay=0.0, ns_steps=12, ns_coefficients=(1.5, -0.5, 0.0)).step()
        singular = torch.linalg.svdvals(before - p.detach()) / max(1, shape[0] / shape[1]) ** 0.5
        np.testing.assert_allclose(singular, 1, atol=0.03)


def test_muon_rates_and_errors():
    p = nn.Parameter(torch.zeros(2, 8))
    steps = {}
    for how in (None, "original", "match_rms_adamw"):
        q, q_grad = nn.Parameter(p.detach().clone()), torch.ones(2, 8)
        q.grad = q_grad
        optim.Muon([q], lr=0.1, adjust_lr_fn=how).step()
        steps[how] = q.detach().norm().item()
    assert steps[None] == steps["original"]
    np.testing.assert_allclose(steps["match_rms_adamw"] / steps[None], 0.2 * 8**0.5, rtol=1e-5)
    with pytest.raises(ValueError, match="2 dimensions"):
        optim.Muon([nn.Parameter(torch.ones(3))])
    with pytest.raises(ValueError, match="adjust_lr_fn"):
        optim.Muon([p], adjust_lr_fn="x")
    with pytest.raises(ValueError, match="momentum must not be negative"):
        optim.Muon([p], momentum=-1)


def adafactor(p, gradients, lr=0.01, eps2=1e-3, d=1.0, decay=-0.8):
    """The algorithm of the paper, for a matrix or a vector, in double precision."""
    p, rows, columns, squares = p.astype(np.float64), 0.0, 0.0, 0.0
    for t, g in enumerate(gradients, 1):
        g, share = g.astype(np.float64), t**decay
        alpha = max(eps2, np.sqrt((p**2).mean())) * min(lr, t**-0.5)
        if p.ndim == 2:
            rows = (1 - share) * rows + share * (g**2).mean(1, keepdims=True)
            columns = (1 - share) * columns + share * (g**2).mean(0, keepdims=True)
            estimate = rows * columns / rows.mean()
        else:
            estimate = squares = (1 - share) * squares + share * g**2
        update = g / np.sqrt(estimate)
        p = p - alpha * update / max(1.0, np.sqrt((update**2).mean()) / d)
    return p


@pytest.mark.parametrize("shape", [(3, 4), (5,)])
@pytest.mark.parametrize("settings", [{}, {"lr": 0.5, "d": 2.0}, {"decay": -0.5}])
def test_adafactor(shape, settings):
    rng = np.random.default_rng(0)
    start, gradients = rng.standard_normal(shape), rng.standard_normal((5, *shape))
    p = nn.Parameter(torch.tensor(start))
    given = {"beta2_decay" if name == "decay" else name: value for name, value in settings.items()}
    optimizer = optim.Adafactor([p], **given)
    for g in gradients:
        p.grad = torch.tensor(g)
        optimizer.step()
    np.testing.assert_allclose(p.detach(), adafactor(start, gradients, **settings), rtol=1e-6)


@pytest.mark.parametrize(
    "bad", [{"lr": -1}, {"beta2_decay": 1}, {"eps": (-1, 0)}, {"eps": (None, -1)}, {"d": 0.5 - 1}, {"weight_decay": -1}]
)
def test_adafactor_errors(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        optim.Adafactor([nn.Parameter(torch.ones(2))], **bad)


def test_swapped_parameters():
    p, other = nn.Parameter(torch.ones(2)), nn.Parameter(torch.full((2,), 5.0))
    optimizer = optim.Adam([p], lr=0.5)
    with pytest.raises(RuntimeError, match="no state yet"), optim.swap_in_optimizer_params_and_state(optimizer, {}, {}):
        pass
    p.grad = other.grad = torch.ones(2)
    optimizer.step()
    kept, state = p.detach().clone(), copy.deepcopy(optimizer.state_dict())
    with optim.swap_in_optimizer_params_and_state(optimizer, {"p": other}, state):
        optimizer.step()
        assert optimizer.param_groups[0]["params"][0] is other
    assert torch.equal(p, kept) and bool((other < 5).all()) and optimizer.param_groups[0]["params"][0] is p
    assert optimizer.state[p]["step"] == 1 and state["state"][0]["step"] == 2
    with pytest.raises(RuntimeError, match="has 1 parameters, but got 0"):
        with optim.swap_in_optimizer_params_and_state(optimizer, {}, state):
            pass


@pytest.mark.parametrize("settings, weights", [
    ({}, [0.25] * 4), ({"avg_fn": swa_utils.get_swa_avg_fn()}, [0.25] * 4),
    ({"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}, [0.25] * 4),
    ({"avg_fn": swa_utils.get_ema_avg_fn(0.5)}, [0.125, 0.125, 0.25, 0.5]),
    ({"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)}, [0.125, 0.125, 0.25, 0.5]),
])  # fmt: skip
@pytest.mark.parametrize("use_buffers", [False, True])
def test_averaged_model(settings, weights, use_buffers):
    net = nn.BatchNorm1d(2)
    average = swa_utils.AveragedModel(net, use_buffers=use_buffers, **settings)
    seen = torch.randn(4, 2)
    for values in seen:
        net.weight.data.copy_(values)
        net.running_mean.copy_(values)
        average.update_parameters(net)
    expected = (seen * torch.tensor(weights)[:, None]).sum(0)
    torch.testing.assert_close(average.module.weight.detach(), expected)
    torch.testing.assert_close(average.module.running_mean, expected if use_buffers else seen[-1])
    assert average.n_averaged == 4 and "module.weight" in average.state_dict()


def test_averaged_model_errors():
    with pytest.raises(AssertionError, match="got both"):
        swa_utils.AveragedModel(nn.ReLU(), avg_fn=print, multi_avg_fn=print)
    with pytest.raises(ValueError, match="from 0 to 1"):
        swa_utils.get_ema_avg_fn(1.5)


def test_update_bn():
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).eval()
    batches = [torch.randn(6, 3) for _ in range(3)]
    swa_utils.update_bn([(batch, None) for batch in batches], net)
    outputs = [net[0](batch) for batch in batches]
    torch.testing.assert_close(net[1].running_mean, torch.stack([out.mean(0) for out in outputs]).mean(0).detach())
    torch.testing.assert_close(net[1].running_var, torch.stack([out.var(0) for out in outputs]).mean(0).detach())
    assert not net.training and net[1].momentum == 0.1


@pytest.mark.parametrize("strategy, shares", [("linear", [0.25, 0.5, 0.75, 1, 1]), ("cos", [0.146447, 0.5, 0.853553, 1, 1])])
def test_swalr(strategy, shares):
    optimizer = optim.SGD(
        [{"params": [nn.Parameter(torch.ones(1))], "lr": 1.0}, {"params": [nn.Parameter(torch.ones(1))], "lr": 3.0}]
    )
    schedule = swa_utils.SWALR(optimizer, swa_lr=[0.5, 2.0], anneal_epochs=4, anneal_strategy=strategy)
    for share in shares:
        optimizer.step()
        schedule.step()
        np.testing.assert_allclose(schedule.get_last_lr(), [1 - 0.5 * share, 3 - share], rtol=1e-5)
    for bad in ({"anneal_strategy": "x"}, {"anneal_epochs": -1}, {"swa_lr": [1.0]}):
        with pytest.raises(ValueError):
            swa_utils.SWALR(optimizer, **{"swa_lr": 0.1, **bad})


RECORDED = {
    "SGD": [{}, {"weight_decay": 0.1}, {"lr": "tensor"}], "Adam": [{}, {"amsgrad": True, "weight_decay": 0.1}, {"lr": "tensor"}],
    "AdamW": [{}, {"lr": "tensor", "maximize": True}], "Adagrad": [{}], "Adadelta": [{}], "ASGD": [{"t0": 1}], "NAdam": [{}],
    "RAdam": [{"betas": (0.5, 0.6)}, {"lr": "tensor"}], "RMSprop": [{}, {"centered": True, "momentum": 0.5}],
}  # fmt: skip


@pytest.mark.parametrize("name, settings", [(name, settings) for name, cases in RECORDED.items() for settings in cases])
def test_gradients_reach_through_recorded_steps(name, settings):
    torch.manual_seed(0)
    start, gradient = (torch.randn(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    inputs = [start, gradient, *([lr] if "lr" in settings else [])]

    def run(start, gradient, lr=None):
        p = start.clone()
        given = {**settings, "lr": lr} if lr is not None else settings
        optimizer = getattr(optim, name)([p], differentiable=True, **given)
        for scale in (1.0, 2.0, -0.5):
            p.grad = gradient * scale
            optimizer.step()
        return p

    # Numbers that the step counts in float32 allow no finer comparison.
    assert torch.autograd.gradcheck(lambda *args: run(*args) * 1, inputs, eps=1e-5, atol=1e-4, rtol=1e-3)


def test_a_rate_without_gradient_is_refused():
    lr = torch.tensor(0.1, requires_grad=True)
    p = torch.ones(2, requires_grad=True).clone()
    p.grad = torch.ones(2)
    with pytest.raises(TypeError, match="no gradient for lr"):
        optim.Adadelta([p], lr=lr, differentiable=True).step()


def test_counters_are_of_the_default_type():
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    torch.set_default_dtype(torch.float64)
    try:
        for settings, dtype in (({}, torch.float64), ({"fused": True}, torch.float32)):
            optimizer = torch.optim.Adam([p], **settings)
            optimizer.step()
            assert optimizer.state[p]["step"].dtype is dtype
    finally:
        torch.set_default_dtype(torch.float32)
    # Counters of a fused optimizer are float32, whatever was saved.
    state = optimizer.state_dict()
    state["state"][0]["step"] = torch.tensor(5.0, dtype=torch.float64)
    optimizer.load_state_dict(state)
    assert optimizer.state[p]["step"].dtype is torch.float32 and optimizer.state[p]["step"].item() == 5


def test_a_rate_that_is_a_tensor_stays_one():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    for name, kind in (("SGD", "sgd"), ("Adam", "adam"), ("AdamW", "adamw"), ("Adagrad", "adagrad")):
        for lr, overload in ((torch.tensor(0.1), "tensor_lr"), (0.1, "default")):
            p, names = torch.nn.Parameter(torch.ones(2)), []
            p.grad = torch.ones(2)
            optimizer = getattr(torch.optim, name)([p], lr=lr, fused=True)
            with Names():
                optimizer.step()
            assert f"aten._fused_{kind}_.{overload}" in names, names


def test_a_scaler_gives_a_fused_step_what_it_needs():
    for name in ("SGD", "Adam", "AdamW", "Adagrad"):
        results = []
        for fused in (False, True):
            p = torch.nn.Parameter(torch.ones(2))
            optimizer = getattr(torch.optim, name)([p], lr=0.1, fused=fused)
            scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
            for factor in (1.0, float("inf"), 2.0):
                optimizer.zero_grad()
                scaler.scale((p * factor).sum()).backward()
                scaler.step(optimizer)
                scaler.update()
            results.append((p.tolist(), scaler.get_scale(), [s.get("step") for s in optimizer.state.values()]))
            assert not hasattr(optimizer, "grad_scale") and not hasattr(optimizer, "found_inf")
        assert results[0] == results[1], name
