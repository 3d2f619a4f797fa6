"""Optimizers and schedules on one small problem."""

import torch
from torch import nn
from torch.optim import lr_scheduler

torch.manual_seed(0)
X = torch.randn(64, 5)
Y = X @ torch.randn(5, 2) + 0.1 * torch.randn(64, 2)
OPTIMIZERS = {
    "SGD": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, nesterov=True)), "Adam": (torch.optim.Adam, dict(lr=0.05)),
    "AdamW": (torch.optim.AdamW, dict(lr=0.05, weight_decay=0.1)), "RMSprop": (torch.optim.RMSprop, dict(lr=0.01)),
    "Adagrad": (torch.optim.Adagrad, dict(lr=0.1)), "Adadelta": (torch.optim.Adadelta, dict(lr=1.0)),
    "Adamax": (torch.optim.Adamax, dict(lr=0.05)), "NAdam": (torch.optim.NAdam, dict(lr=0.05)),
    "RAdam": (torch.optim.RAdam, dict(lr=0.05)), "ASGD": (torch.optim.ASGD, dict(lr=0.05)),
    "Rprop": (torch.optim.Rprop, dict(lr=0.01)), "Muon": (torch.optim.Muon, dict(lr=0.05)),
    "Adafactor": (torch.optim.Adafactor, dict(lr=0.05)),
}  # fmt: skip
for name, (kind, options) in OPTIMIZERS.items():
    torch.manual_seed(1)
    model = nn.Linear(5, 2, bias=False)
    optimizer = kind(model.parameters(), **options)
    for _ in range(20):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(X), Y)
        loss.backward()
        optimizer.step()
    print(f"{name:10} {loss.item():.6f}")
model = nn.Linear(5, 2)
lbfgs = torch.optim.LBFGS(model.parameters(), lr=0.5, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = nn.functional.mse_loss(model(X), Y)
    loss.backward()
    return loss


for _ in range(3):
    print("LBFGS", lbfgs.step(closure).item())

for make in (
    lambda o: lr_scheduler.StepLR(o, 3, 0.5), lambda o: lr_scheduler.ExponentialLR(o, 0.9),
    lambda o: lr_scheduler.CosineAnnealingLR(o, 8), lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=10),
    lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 1 / (1 + epoch)), lambda o: lr_scheduler.MultiStepLR(o, [2, 5], 0.1),
    lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, step_size_up=3), lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 4),
    lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.LinearLR(o, 0.1, 1.0, 3), lr_scheduler.ConstantLR(o, 0.5, 4)], [3]),
):  # fmt: skip
    optimizer = torch.optim.SGD([{"params": [torch.zeros(1, requires_grad=True)]}], lr=0.1, momentum=0.9)
    schedule = make(optimizer)
    rates = []
    for _ in range(9):
        optimizer.step()
        schedule.step()
        rates.append(round(schedule.get_last_lr()[0], 6))
    print(type(schedule).__name__, rates)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
plateau = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.1)
for value in (1.0, 0.9, 0.9, 0.9, 0.9):
    plateau.step(value)
print(optimizer.param_groups[0]["lr"], torch.optim.swa_utils.AveragedModel(model).n_averaged.item())
groups = torch.optim.Adam([{"params": [model.weight]}, {"params": [model.bias], "lr": 1e-2}], lr=1e-3)
print([group["lr"] for group in groups.param_groups], list(groups.state_dict()))
