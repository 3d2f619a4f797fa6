"""Train a network on scanned digits in several processes, each on its own part of every batch.

The data are the 1,797 scans of handwritten digits that scikit-learn ships; a fifth of them is held out. All processes end
with the same network.

    torchrun --nproc-per-node 2 examples/ddp_digits.py [--epochs 10] [--seed 0]

On several machines, with the same command on each, where HOST is one of them:

    torchrun --nnodes 2 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint HOST:29400 examples/ddp_digits.py
"""

from __future__ import annotations

import argparse

from sklearn.datasets import load_digits

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def load(seed: int) -> tuple[TensorDataset, TensorDataset]:
    """The training set and the held-out one, the same in every process."""
    images, labels = load_digits(return_X_y=True)
    x = torch.tensor(images, dtype=torch.float32).div(16)
    y = torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    held_out, training = order[: len(x) // 5], order[len(x) // 5 :]
    return TensorDataset(x[training], y[training]), TensorDataset(x[held_out], y[held_out])


def accuracy(model: nn.Module, data: TensorDataset) -> float:
    """Over all processes, each of which looks at its share."""
    x, y = data.tensors
    rank, size = dist.get_rank(), dist.get_world_size()
    model.eval()
    with torch.no_grad():
        correct = (model(x[rank::size]).argmax(1) == y[rank::size]).sum()
    model.train()
    dist.all_reduce(correct)
    return correct.item() / len(x)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    dist.init_process_group("gloo")
    training, held_out = load(options.seed)
    torch.manual_seed(options.seed)
    network = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    model = DistributedDataParallel(network)
    sampler: DistributedSampler = DistributedSampler(training, seed=options.seed)
    # A batch has 64 samples, whatever the number of processes.
    loader = DataLoader(training, batch_size=64 // dist.get_world_size(), sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(2, dtype=torch.float64)
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += torch.tensor([loss.item(), 1.0], dtype=torch.float64)
        dist.all_reduce(total)
        right = accuracy(model, held_out)
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1:2}: loss {total[0] / total[1]:.4f}, accuracy {right:.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
