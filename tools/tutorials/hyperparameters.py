"""A search over hyperparameters: random ones, cross-validation, early stopping, the best model kept."""

import itertools
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset, random_split

torch.manual_seed(0)
random.seed(0)
x = torch.randn(160, 6)
data = TensorDataset(x, (x[:, :3].sum(1) * x[:, 3] > 0).long())
train_set, test_set = random_split(data, [0.75, 0.25], generator=torch.Generator().manual_seed(1))
print(len(train_set), len(test_set), train_set.indices[:5])


def run(width, lr, optimizer_name, train_part, valid_part, epochs=4):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Linear(width, 2))
    optimizer = getattr(torch.optim, optimizer_name)(model.parameters(), lr=lr)
    best, patience = float("inf"), 2
    for _ in range(epochs):
        for xb, yb in DataLoader(train_part, batch_size=16, shuffle=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(xb), yb).backward()
            optimizer.step()
        with torch.no_grad():
            losses = [nn.functional.cross_entropy(model(xb), yb).item() for xb, yb in DataLoader(valid_part, batch_size=64)]
        valid = sum(losses) / len(losses)
        patience = 2 if valid < best else patience - 1
        best = min(best, valid)
        if patience == 0:
            break
    return best, model


results = {}
for width, lr, name in itertools.product([4, 16], [0.1, 0.01], ["SGD", "Adam"]):
    results[width, lr, name] = run(width, lr, name, Subset(data, range(0, 120)), Subset(data, range(120, 160)))[0]
    print(width, lr, name, f"{results[width, lr, name]:.5f}")
best = min(results, key=results.get)
print("best", best)
for fold in range(3):
    held_out = set(range(fold * 40, fold * 40 + 40))
    rest = [k for k in range(120) if k not in held_out]
    print(fold, run(*best, Subset(train_set, rest), Subset(train_set, sorted(held_out)))[0])
for _ in range(3):
    width, lr = random.choice([4, 8, 16]), 10 ** random.uniform(-3, -1)
    print(width, lr, run(width, lr, "Adam", train_set, test_set, 2)[0])
