"""Train a convolutional network on scanned digits, and show what it learned.

The data are the 1,797 real scans of handwritten digits, 8 by 8 pixels in 17 grey levels, that scikit-learn
ships.
A fifth of them is held out. The run prints the accuracy on those, writes a checkpoint and a picture (the
loss, and the
digits that were misread) to examples/out, and reads the checkpoint back to show that it predicts the same.

    python examples/digits.py [--epochs 15] [--seed 0] [--device cuda] [--out examples/out]
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset


class DigitNet(nn.Module):
    """Two convolutional stages of two layers each, then two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, padding=1, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 10))

    def forward(self, images: Tensor) -> Tensor:
        scores: Tensor = self.classifier(self.features(images))
        return scores


def load_digits(seed: int, count: int | None = None) -> tuple[TensorDataset, TensorDataset]:
    """(training set, held-out set) of so many scans: images (N, 1, 8, 8) from 0 to 1, and their digits."""
    from sklearn.datasets import load_digits as scans

    data: Any = scans()
    images = torch.from_numpy(data.images).float().div(16).unsqueeze(1)[:count]
    labels = torch.from_numpy(data.target).long()[:count]
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))
    held_out = len(images) // 5
    test, train = order[:held_out], order[held_out:]
    return TensorDataset(images[train], labels[train]), TensorDataset(images[test], labels[test])


def shifted(images: Tensor) -> Tensor:
    """The images of a batch, each moved by up to one pixel in either direction."""
    padded = F.pad(images, (1, 1, 1, 1))
    moves = torch.randint(0, 3, (len(images), 2)).tolist()
    return torch.stack([image[:, y : y + 8, x : x + 8] for image, (y, x) in zip(padded, moves)])


def progress(total: int, epoch: int, epochs: int) -> Any:
    """A progress bar over the batches of an epoch; a plain silence where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=f"epoch {epoch:2d}/{epochs}", unit="batch", leave=False)


def train(
    model: DigitNet, train_set: TensorDataset, test_set: TensorDataset, epochs: int, batch_size: int
) -> tuple[list[float], list[float]]:
    """Train; returns the loss of every batch and the accuracy on the held-out set after every epoch."""
    loader = DataLoader(train_set, batch_size=batch_size, shuffle=True, drop_last=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=8e-3, total_steps=epochs * len(loader))
    device = next(model.parameters()).device
    losses: list[float] = []
    accuracies: list[float] = []
    for epoch in range(1, epochs + 1):
        model.train()
        bar = progress(len(loader), epoch, epochs)
        for images, labels in loader:
            loss = F.cross_entropy(model(shifted(images).to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss))
            if bar is not None:
                bar.update()
                bar.set_postfix(loss=f"{losses[-1]:.3f}")
        if bar is not None:
            bar.close()
        predicted, labels = predict(model, test_set)
        accuracies.append(float((predicted == labels).float().mean()))
        recent = sum(losses[-len(loader) :]) / len(loader)
        print(f"epoch {epoch:2d}  loss {recent:.4f}  test accuracy {accuracies[-1]:.2%}", flush=True)
    return losses, accuracies


@torch.no_grad()
def predict(model: DigitNet, dataset: TensorDataset) -> tuple[Tensor, Tensor]:
    """(predicted digits, true digits) of a dataset."""
    model.eval()
    device = next(model.parameters()).device
    batches = [(model(images.to(device)).argmax(1).cpu(), labels) for images, labels in DataLoader(dataset, batch_size=256)]
    return torch.cat([predicted for predicted, _ in batches]), torch.cat([labels for _, labels in batches])


def draw(path: str, losses: list[float], dataset: TensorDataset, predicted: Tensor, labels: Tensor) -> None:
    """A picture: the loss of every batch, and up to ten of the digits that were misread."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    wrong = (predicted != labels).nonzero().flatten().tolist()
    figure = plt.figure(figsize=(10, 6))
    grid = figure.add_gridspec(3, 5)
    axes = figure.add_subplot(grid[0, :])
    axes.plot(losses, linewidth=0.8)
    axes.set(yscale="log", xlabel="batch", ylabel="loss", title=f"training loss; {len(wrong)} of {len(labels)} digits misread")
    for place in range(10):
        cell = figure.add_subplot(grid[1 + place // 5, place % 5])
        cell.axis("off")
        if place < len(wrong):
            k = wrong[place]
            cell.imshow(dataset[k][0][0].numpy(), cmap="gray_r")
            cell.set_title(f"{labels[k].item()} read as {predicted[k].item()}", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print(f"picture     {path}")


def main() -> None:
    parse = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parse.add_argument("--epochs", type=int, default=15)
    parse.add_argument("--batch-size", type=int, default=64)
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--digits", type=int, help="how many scans to use; all of them without it")
    parse.add_argument("--device", default="cpu", help="where the network is, as cuda")
    parse.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    args = parse.parse_args()
    os.makedirs(args.out, exist_ok=True)

    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    train_set, test_set = load_digits(args.seed, args.digits)
    torch.manual_seed(args.seed)
    model = DigitNet().to(args.device)
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{len(train_set)} digits to train on, {len(test_set)} held out; {count} parameters")

    started = time.perf_counter()
    losses, accuracies = train(model, train_set, test_set, args.epochs, args.batch_size)
    seconds = time.perf_counter() - started
    predicted, labels = predict(model, test_set)
    print(f"test accuracy {accuracies[-1]:.2%} after {seconds:.1f} s")

    checkpoint = os.path.join(args.out, "digits.pt")
    torch.save({"model": model.state_dict(), "accuracy": accuracies[-1], "losses": losses}, checkpoint)
    print(f"checkpoint  {checkpoint}")
    draw(os.path.join(args.out, "digits.png"), losses, test_set, predicted, labels)

    restored = DigitNet().to(args.device)
    restored.load_state_dict(torch.load(checkpoint)["model"])
    again, _ = predict(restored, test_set)
    same = bool((again == predicted).all())
    print("the reloaded checkpoint predicts " + ("the same" if same else "something else"))
    if not same or (args.epochs >= 10 and args.digits is None and accuracies[-1] < 0.98):
        raise SystemExit("FAILED: expected at least 98 % accuracy and the same predictions after reloading")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted") from None
