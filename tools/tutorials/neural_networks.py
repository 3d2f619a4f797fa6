"""Neural networks by hand: torch.nn from plain tensors up to Module, Sequential and DataLoader; LeNet; polynomials."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x_train, y_train = torch.rand(200, 64), torch.randint(0, 10, (200,))
weights = torch.randn(64, 10) / math.sqrt(64)
weights.requires_grad_()
bias = torch.zeros(10, requires_grad=True)


def log_softmax(x):
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def model(xb):
    return log_softmax(xb @ weights + bias)


def nll(input, target):
    return -input[range(target.shape[0]), target].mean()


def accuracy(out, yb):
    return (torch.argmax(out, dim=1) == yb).float().mean()


bs, lr = 50, 0.5
print(nll(model(x_train[:bs]), y_train[:bs]), accuracy(model(x_train[:bs]), y_train[:bs]))
for _ in range(2):
    for i in range((len(x_train) - 1) // bs + 1):
        xb, yb = x_train[i * bs : i * bs + bs], y_train[i * bs : i * bs + bs]
        loss = nll(model(xb), yb)
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * lr
            bias -= bias.grad * lr
            weights.grad.zero_()
            bias.grad.zero_()
print(nll(model(x_train), y_train), F.cross_entropy(x_train @ weights + bias, y_train))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


net = LeNet()
print(net)
params = list(net.parameters())
print(len(params), params[0].size())
out = net(torch.randn(1, 1, 32, 32))
net.zero_grad()
loss = nn.MSELoss()(out, torch.randn(10).view(1, -1))
print(loss, loss.grad_fn.next_functions[0][0].name())
print("before", net.conv1.bias.grad)
loss.backward()
print("after", net.conv1.bias.grad)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
optimizer.step()
print(net.fc3.bias)


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


cnn = nn.Sequential(Lambda(lambda x: x.view(-1, 1, 8, 8)), nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 10, 3, 2, 1),
                    nn.ReLU(), nn.AvgPool2d(2), Lambda(lambda x: x.view(x.size(0), -1)))  # fmt: skip
opt = torch.optim.SGD(cnn.parameters(), lr=0.1, momentum=0.9)
for xb, yb in DataLoader(TensorDataset(x_train, y_train), batch_size=bs, shuffle=True):
    loss = F.cross_entropy(cnn(xb), yb)
    loss.backward()
    opt.step()
    opt.zero_grad()
    print(loss.item())

x = torch.linspace(-math.pi, math.pi, 500)
xx = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
poly = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1))
optimizer = torch.optim.RMSprop(poly.parameters(), lr=1e-3)
for t in range(301):
    loss = nn.MSELoss(reduction="sum")(poly(xx), torch.sin(x))
    if t % 100 == 0:
        print(t, loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"y = {poly[0].bias.item():.3f} + {poly[0].weight[:, 0].item():.3f} x + {poly[0].weight[:, 2].item():.3f} x^3")
