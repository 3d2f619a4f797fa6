"""Schedules: the rates are those of PyTorch."""

import pytest

import torch

S = torch.optim.lr_scheduler
CASES = [
    ("S.LambdaLR(o, lambda e: 0.9 ** e)", [0.1, 0.09, 0.081, 0.0729, 0.06561, 0.059049, 0.0531441, 0.04782969, 0.04304672]),
    ("S.MultiplicativeLR(o, lambda e: 0.9)", [0.1, 0.09, 0.081, 0.0729, 0.06561, 0.059049, 0.0531441, 0.04782969, 0.04304672]),
    ("S.StepLR(o, 3, 0.5)", [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025]),
    ("S.MultiStepLR(o, [2, 5, 5])", [0.1, 0.1, 0.01, 0.01, 0.01, 0.0001, 0.0001, 0.0001, 0.0001]),
    ("S.ExponentialLR(o, 0.9)", [0.1, 0.09, 0.081, 0.0729, 0.06561, 0.059049, 0.0531441, 0.04782969, 0.04304672]),
    ("S.CosineAnnealingLR(o, 4, 1e-3)", [0.1, 0.08550179, 0.0505, 0.01549821, 0.001, 0.01549821, 0.0505, 0.08550179, 0.1]),
    ("S.LinearLR(o, 0.1, 0.8, 5)", [0.01, 0.024, 0.038, 0.052, 0.066, 0.08, 0.08, 0.08, 0.08]),
    ("S.ConstantLR(o, 0.5, 4)", [0.05, 0.05, 0.05, 0.05, 0.1, 0.1, 0.1, 0.1, 0.1]),
    ("S.PolynomialLR(o, 6, 2.0)", [0.1, 0.06944444, 0.04444444, 0.025, 0.01111111, 0.002777778, 0.0, 0.0, 0.0]),
    ("S.OneCycleLR(o, 1.0, 10)", [0.04, 0.52, 1.0, 0.9504846, 0.8117457, 0.611262, 0.388742, 0.1882583, 0.04951937]),
    (
        "S.OneCycleLR(o, 1.0, 10, anneal_strategy='linear', three_phase=True)",
        [0.04, 0.52, 1.0, 0.52, 0.04, 0.0320008, 0.0240016, 0.0160024, 0.0080032],
    ),
    ("S.CosineAnnealingWarmRestarts(o, 3, 2)", [0.1, 0.075, 0.025, 0.1, 0.09330127, 0.075, 0.05, 0.025, 0.00669873]),
    (
        "S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [3])",
        [0.01, 0.01, 0.1, 0.1, 0.09, 0.081, 0.0729, 0.06561, 0.059049],
    ),
    (
        "S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)])",
        [0.01, 0.009, 0.081, 0.0729, 0.06561, 0.059049, 0.0531441, 0.04782969, 0.04304672],
    ),
    ("S.CyclicLR(o, 0.01, 0.1, 2, 3, mode='triangular2')", [0.01, 0.055, 0.1, 0.07, 0.04, 0.01, 0.0325, 0.055, 0.04]),
]


def optimizer(lr=0.1):
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=lr, momentum=0.9)


@pytest.mark.parametrize("expression, rates", CASES)
def test_rates_and_resuming(expression, rates):
    o = optimizer()
    schedule = eval(expression)
    seen = []
    for k in range(len(rates)):
        seen.append(o.param_groups[0]["lr"])
        assert schedule.get_last_lr() == [pytest.approx(seen[-1])]
        if k == 4:
            schedule.load_state_dict(schedule.state_dict())
        o.step()
        schedule.step()
    assert seen == pytest.approx(rates, rel=1e-6)


def test_plateau():
    o = optimizer()
    schedule = S.ReduceLROnPlateau(o, patience=1, cooldown=1, factor=0.5)
    seen = []
    for value in (1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8):
        schedule.step(value)
        seen.append(o.param_groups[0]["lr"])
    assert seen == pytest.approx([0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025])


def test_errors_and_warnings():
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        S.StepLR(3, 1)
    with pytest.raises(KeyError, match="initial_lr"):
        S.StepLR(optimizer(), 1, last_epoch=3)
    with pytest.raises(ValueError, match="total_steps"):
        S.OneCycleLR(optimizer(), 0.1)
    schedule = S.StepLR(optimizer(), 1)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        schedule.step()
