"""Teach a small residual network to tell shapes apart from few pictures, with and without augmentation.

Every picture is drawn here: one of eight shapes, in any place, size, brightness and rotation, on a noisy background
with lines across it.
Only 480 pictures are there to learn from, so that the network soon knows them by heart. Augmentation shows it
a new version of
each in every epoch: moved, rotated, scaled, mirrored, in another light, with a piece cut out, and mixed with
another picture.

The run trains twice, prints the accuracy on 1,600 other pictures, and writes a checkpoint and a picture to
examples/out.

    python examples/shapes.py [--epochs 45] [--seed 0] [--device cuda] [--out examples/out]
"""

from __future__ import annotations

import argparse
import math
import os
import time
from typing import Any

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

NAMES = ["circle", "ring", "square", "frame", "triangle", "cross", "bar", "star"]
SIZE = 28


def distance(kind: int, x: Tensor, y: Tensor) -> Tensor:
    """Below zero inside a shape of radius 1 around the origin, above zero outside."""
    radius = torch.hypot(x, y)
    box = torch.maximum(x.abs(), y.abs())
    if kind == 0:
        return radius - 0.9
    if kind == 1:
        return (radius - 0.72).abs() - 0.2
    if kind == 2:
        return box - 0.75
    if kind == 3:
        return (box - 0.65).abs() - 0.18
    if kind == 4:
        return torch.maximum(torch.maximum(0.87 * x + 0.5 * y, -0.87 * x + 0.5 * y), -y) - 0.5
    if kind == 5:
        return torch.minimum(torch.maximum(x.abs() - 0.28, y.abs() - 0.95), torch.maximum(y.abs() - 0.28, x.abs() - 0.95))
    if kind == 6:
        return torch.maximum(x.abs() - 0.3, y.abs() - 0.95)
    return radius - 0.62 - 0.3 * torch.cos(5 * torch.atan2(y, x))


def draw_pictures(count: int, seed: int) -> TensorDataset:
    """Pictures (count, 1, 28, 28) from 0 to 1, and which shape each shows."""
    draw = torch.Generator().manual_seed(seed)
    labels = torch.arange(count) % len(NAMES)
    axis = torch.linspace(-1, 1, SIZE)
    rows, columns = torch.meshgrid(axis, axis, indexing="ij")
    pictures = torch.empty(count, 1, SIZE, SIZE)
    for index, kind in enumerate(labels.tolist()):
        angle, left, top, scale = (torch.rand(4, generator=draw) * torch.tensor([2 * math.pi, 0.6, 0.6, 0.3])).tolist()
        u, v = columns - left + 0.3, rows - top + 0.3
        x = (math.cos(angle) * u + math.sin(angle) * v) / (0.45 + scale)
        y = (math.cos(angle) * v - math.sin(angle) * u) / (0.45 + scale)
        inside = torch.sigmoid(-distance(kind, x, y) * 14)
        front, back = (torch.rand(2, generator=draw) * 0.35 + torch.tensor([0.55, 0.1])).tolist()
        lines = 0.1 * torch.sin(9 * (torch.rand(1, generator=draw) * columns + torch.rand(1, generator=draw) * rows))
        noise = 0.06 * torch.randn(SIZE, SIZE, generator=draw)
        pictures[index, 0] = (back + (front - back) * inside + lines + noise).clamp(0, 1)
    return TensorDataset(pictures, labels)


class Residual(nn.Module):
    """Two convolutions, added to what came in."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(outside), nn.BatchNorm2d(outside)
        self.around = nn.Conv2d(inside, outside, 1, stride, bias=False) if stride > 1 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        kept: Tensor = self.around(x)
        return F.relu(self.norm2(self.second(F.relu(self.norm1(self.first(x))))) + kept)


class ShapeNet(nn.Sequential):
    """Three residual stages, the mean over the places, and a linear layer."""

    def __init__(self, width: int = 16) -> None:
        super().__init__(
            nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), Residual(width, width, 1),
            Residual(width, 2 * width, 2), Residual(2 * width, 4 * width, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(4 * width, len(NAMES)),
        )  # fmt: skip


def moved(pictures: Tensor) -> Tensor:
    """Each picture rotated, scaled, mirrored and moved at random, in one step of resampling."""
    count = len(pictures)
    angle = torch.rand(count) * 2 * math.pi
    scale = torch.empty(count).uniform_(0.85, 1.15)
    mirror = torch.randint(0, 2, (count,)) * 2.0 - 1
    cos, sin = torch.cos(angle) * scale, torch.sin(angle) * scale
    shift = torch.empty(count, 2).uniform_(-0.2, 0.2)
    rows = torch.stack([torch.stack([mirror * cos, -sin, shift[:, 0]], 1), torch.stack([mirror * sin, cos, shift[:, 1]], 1)], 1)
    grid = F.affine_grid(rows, list(pictures.shape), align_corners=False)
    return F.grid_sample(pictures, grid, padding_mode="reflection", align_corners=False)


def relit(pictures: Tensor) -> Tensor:
    """Each picture with another brightness and contrast."""
    contrast, brightness = torch.empty(2, len(pictures), 1, 1, 1).uniform_(-0.25, 0.25)
    return ((pictures - 0.5) * (1 + contrast) + 0.5 + brightness / 2).clamp(0, 1)


def cut(pictures: Tensor, side: int = 6) -> Tensor:
    """Each picture with a grey square in a random place."""
    corner = torch.randint(0, SIZE - side, (len(pictures), 2, 1, 1))
    place = torch.arange(SIZE)
    hit = ((place[:, None] >= corner[:, 0]) & (place[:, None] < corner[:, 0] + side)
           & (place >= corner[:, 1]) & (place < corner[:, 1] + side))  # fmt: skip
    return pictures.masked_fill(hit[:, None], 0.5)


def augmented(pictures: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """New versions of a batch; a fifth of the batches is also mixed with itself in another order."""
    pictures = cut(relit(moved(pictures)))
    if torch.rand(()) < 0.2:
        share, order = float(torch.empty(()).uniform_(0.6, 1.0)), torch.randperm(len(pictures))
        pictures = torch.lerp(pictures[order], pictures, share)
        targets = torch.lerp(targets[order], targets, share)
    return pictures, targets


def progress(total: int, title: str) -> Any:
    """A progress bar; nothing where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=title, unit="batch", leave=False)


def accuracy(model: nn.Module, dataset: TensorDataset) -> float:
    """The share of pictures that the model names right."""
    model.eval()
    device = next(model.parameters()).device
    with torch.no_grad():
        right = sum(int((model(x.to(device)).argmax(1).cpu() == y).sum()) for x, y in DataLoader(dataset, batch_size=200))
    return right / len(dataset)


def train(train_set: TensorDataset, test_set: TensorDataset, augment: bool, args: Any) -> tuple[ShapeNet, list[float]]:
    """A trained network, and its accuracy on the other pictures after every few epochs."""
    torch.manual_seed(args.seed)
    model = ShapeNet().to(args.device)
    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(loader))
    title = "with augmentation" if augment else "without"
    bar = progress(args.epochs * len(loader), title)
    found: list[float] = []
    loss = torch.zeros(())
    for epoch in range(1, args.epochs + 1):
        model.train()
        for pictures, labels in loader:
            targets = F.one_hot(labels, len(NAMES)).float()
            if augment:
                pictures, targets = augmented(pictures, targets)
            loss = F.cross_entropy(model(pictures.to(args.device)), targets.to(args.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if bar is not None:
                bar.update()
        if epoch % args.every == 0 or epoch == args.epochs:
            found.append(accuracy(model, test_set))
            print(f"{title:18} epoch {epoch:3d}  loss {float(loss):.4f}  test accuracy {found[-1]:.2%}", flush=True)
    if bar is not None:
        bar.close()
    return model, found


def picture(path: str, dataset: TensorDataset, curves: dict[str, list[float]], every: int) -> None:
    """A picture: eight pictures, six new versions of each, and the accuracy over time."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(11, 8))
    grid = figure.add_gridspec(8, 12)
    first = torch.stack([dataset[k][0] for k in range(8)])
    for column in range(7):
        shown = first if column == 0 else cut(relit(moved(first)))
        for row in range(8):
            cell = figure.add_subplot(grid[row, column])
            cell.imshow(shown[row, 0].numpy(), cmap="gray", vmin=0, vmax=1)
            cell.set_xticks([])
            cell.set_yticks([])
            if column == 0:
                cell.set_ylabel(NAMES[row], fontsize=8)
    axes = figure.add_subplot(grid[:, 8:])
    for title, values in curves.items():
        axes.plot([every * (k + 1) for k in range(len(values))], values, label=title)
    axes.set(xlabel="epoch", title="accuracy on other pictures")
    axes.legend()
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print(f"picture     {path}")


def main() -> None:
    parse = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parse.add_argument("--epochs", type=int, default=45)
    parse.add_argument("--pictures", type=int, default=480)
    parse.add_argument("--batch-size", type=int, default=40)
    parse.add_argument("--every", type=int, default=5, help="epochs between two measurements")
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--device", default="cpu", help="where the network is, as cuda; pictures are changed on the CPU")
    parse.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    args = parse.parse_args()
    os.makedirs(args.out, exist_ok=True)

    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    train_set, test_set = draw_pictures(args.pictures, args.seed + 1), draw_pictures(1600, args.seed + 2)
    started = time.perf_counter()
    _, plain = train(train_set, test_set, False, args)
    model, better = train(train_set, test_set, True, args)
    print(f"test accuracy {plain[-1]:.2%} without and {better[-1]:.2%} with augmentation, {time.perf_counter() - started:.1f} s")

    checkpoint = os.path.join(args.out, "shapes.pt")
    torch.save({"model": model.state_dict(), "names": NAMES, "accuracy": better[-1]}, checkpoint)
    print(f"checkpoint  {checkpoint}")
    picture(os.path.join(args.out, "shapes.png"), train_set, {"without": plain, "with augmentation": better}, args.every)

    restored = ShapeNet().to(args.device)
    restored.load_state_dict(torch.load(checkpoint)["model"])
    same = accuracy(restored, test_set) == better[-1]
    print("the reloaded checkpoint names " + ("as many right" if same else "another number right"))
    if not same or (args.epochs >= 45 and better[-1] < max(0.75, plain[-1] + 0.05)):
        raise SystemExit("FAILED: expected at least 75 %, 5 % more than without augmentation, and the same after reloading")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted") from None
