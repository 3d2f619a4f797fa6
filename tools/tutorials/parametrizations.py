"""Constraints on weights: symmetric, orthogonal, low rank, spectral norm, weight norm, caching."""

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize

torch.manual_seed(0)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


class CayleyMap(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("Id", torch.eye(n))

    def forward(self, X):
        return torch.linalg.solve(self.Id - X, self.Id + X)


layer = nn.Linear(3, 3)
print(f"Unparametrized:\n{layer}")
parametrize.register_parametrization(layer, "weight", Symmetric())
print(f"\nParametrized:\n{layer}")
A = layer.weight
print(torch.allclose(A, A.T), A, layer.parametrizations.weight.original)
layer.weight = torch.ones(3, 3)
print(layer.weight, parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"))
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
print(layer, layer.weight.requires_grad)

layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Skew())
parametrize.register_parametrization(layer, "weight", CayleyMap(3))
X = layer.weight
print(torch.dist(X.T @ X, torch.eye(3)) < 1e-5, X)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(3):
    loss = (layer(torch.eye(3)) - torch.eye(3)).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), torch.dist(layer.weight.T @ layer.weight, torch.eye(3)) < 1e-5)

cnn = nn.Conv2d(5, 8, 3)
nn.utils.parametrizations.spectral_norm(cnn)
print(torch.linalg.matrix_norm(cnn.weight.flatten(1), 2).item() < 1.5, cnn(torch.ones(1, 5, 4, 4)).sum())
weighted = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2), dim=0)
print(sorted(weighted.state_dict()), weighted(torch.ones(1, 4)))
orthogonal = nn.utils.parametrizations.orthogonal(nn.Linear(4, 4, bias=False))
print(torch.dist(orthogonal.weight @ orthogonal.weight.T, torch.eye(4)) < 1e-5)
calls = 0


class Counted(nn.Module):
    def forward(self, X):
        global calls
        calls += 1
        return X * 2


rnn = nn.GRUCell(2, 2)
parametrize.register_parametrization(rnn, "weight_hh", Counted())
calls = 0
with parametrize.cached():
    h = torch.zeros(1, 2)
    for _ in range(5):
        h = rnn(torch.ones(1, 2), h)
print(calls, h)
