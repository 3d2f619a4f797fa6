"""Train a diffusion model on scanned digits, and let it write new ones.

The data are the 1,797 scans, 8 by 8 pixels, that scikit-learn ships. The model learns to predict the noise in
a noisy digit. New
digits come out of pure noise, which it takes away step by step; which digit that is, is chosen for each. The
weights that draw
are a moving average of those that learn.

The run prints the loss on held-out scans, and writes a checkpoint and a picture of the new digits to
examples/out.

    python examples/diffusion.py [--steps 1200] [--seed 0] [--device cuda] [--out examples/out] [--sample-only]
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
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

NOISE_STEPS = 200
NOTHING = 10  # the label "any digit", with which a tenth of the training goes on


def schedule() -> Tensor:
    """How much of the clean picture is left at each step: falls from 1 to almost 0 along a cosine."""
    place = torch.linspace(0, 1, NOISE_STEPS + 1)
    left = torch.cos((place + 0.008) / 1.008 * math.pi / 2).square()
    return (left / left[0]).clamp(1e-4, 0.9999)[1:]


class Stage(nn.Module):
    """Two convolutions that know the step and the digit, added to what came in."""

    def __init__(self, inside: int, outside: int, known: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(8, inside), nn.GroupNorm(8, outside)
        self.first, self.second = nn.Conv2d(inside, outside, 3, padding=1), nn.Conv2d(outside, outside, 3, padding=1)
        self.know = nn.Linear(known, 2 * outside)
        self.around = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()
        nn.init.zeros_(self.second.weight)

    def forward(self, x: Tensor, known: Tensor) -> Tensor:
        scale, shift = self.know(known)[:, :, None, None].chunk(2, 1)
        hidden = self.norm2(self.first(F.silu(self.norm1(x)))) * (1 + scale) + shift
        kept: Tensor = self.around(x)
        return kept + self.second(F.silu(hidden))


class Denoiser(nn.Module):
    """A U-Net of two resolutions: (noisy pictures, steps, digits) -> the noise in them."""

    rates: Tensor

    def __init__(self, width: int = 32, known: int = 96) -> None:
        super().__init__()
        self.register_buffer("rates", torch.exp(torch.linspace(0, -7, known // 4)), persistent=False)
        self.time = nn.Sequential(nn.Linear(known // 2, known), nn.SiLU(), nn.Linear(known, known))
        self.digit = nn.Embedding(11, known)
        self.enter = nn.Conv2d(1, width, 3, padding=1)
        self.down1, self.down2 = Stage(width, width, known), Stage(width, 2 * width, known)
        self.middle = Stage(2 * width, 2 * width, known)
        self.up2, self.up1 = Stage(4 * width, width, known), Stage(2 * width, width, known)
        self.leave = nn.Sequential(nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, x: Tensor, steps: Tensor, digits: Tensor) -> Tensor:
        angles = steps[:, None] * self.rates
        known = F.silu(self.time(torch.cat([angles.sin(), angles.cos()], 1)) + self.digit(digits))
        fine = self.down1(self.enter(x), known)
        coarse = self.down2(F.avg_pool2d(fine, 2), known)
        deep = self.up2(torch.cat([self.middle(coarse, known), coarse], 1), known)
        wide = F.interpolate(deep, scale_factor=2, mode="nearest")
        noise: Tensor = self.leave(self.up1(torch.cat([wide, fine], 1), known))
        return noise


def load_digits(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(pictures to train on, their digits, held-out pictures, their digits); pictures (N, 1, 8, 8) from -1 to 1."""
    try:
        from sklearn.datasets import load_digits as scans
    except ImportError:
        raise SystemExit("this example needs scikit-learn for its data: python -m pip install scikit-learn") from None
    data: Any = scans()
    pictures = torch.from_numpy(data.images).float().div(8).sub(1).unsqueeze(1)
    digits = torch.from_numpy(data.target).long()
    order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(seed))
    test, train = order[:200], order[200:]
    return pictures[train], digits[train], pictures[test], digits[test]


def noisy(pictures: Tensor, steps: Tensor, noise: Tensor, left: Tensor) -> Tensor:
    """The pictures after so many steps of noise."""
    share = left[steps][:, None, None, None]
    return share.sqrt() * pictures + (1 - share).sqrt() * noise


def held_out_loss(model: nn.Module, pictures: Tensor, digits: Tensor, left: Tensor) -> float:
    """The mean error of the predicted noise on held-out scans, always with the same noise."""
    draw = torch.Generator().manual_seed(1)
    steps = torch.randint(0, NOISE_STEPS, (len(pictures),), generator=draw).to(pictures.device)
    noise = torch.randn(pictures.shape, generator=draw).to(pictures.device)
    with torch.no_grad():
        return float(F.mse_loss(model(noisy(pictures, steps, noise, left), steps, digits), noise))


@torch.no_grad()
def write(model: nn.Module, digits: Tensor, left: Tensor, strength: float = 1.5, every: int = 4) -> Tensor:
    """New pictures of the given digits, by steps that draw no new noise, each over `every` steps of training."""
    x = torch.randn(len(digits), 1, 8, 8).to(digits.device)
    anything = torch.full_like(digits, NOTHING)
    places = list(range(NOISE_STEPS - 1, -1, -every))
    for step, following in zip(places, [*places[1:], -1]):
        steps = torch.full_like(digits, step)
        free = model(x, steps, anything)
        noise = free + strength * (model(x, steps, digits) - free)
        clean = ((x - (1 - left[step]).sqrt() * noise) / left[step].sqrt()).clamp(-1, 1)
        if following < 0:
            x = clean
            break
        noise = (x - left[step].sqrt() * clean) / (1 - left[step]).sqrt()
        x = left[following].sqrt() * clean + (1 - left[following]).sqrt() * noise
    return x


def progress(total: int) -> Any:
    """A progress bar; nothing where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc="diffusion", unit="step", leave=False)


def train(model: Denoiser, average: AveragedModel, args: Any, left: Tensor) -> list[float]:
    """Train; returns the loss of every step."""
    pictures, digits, test_pictures, test_digits = (x.to(args.device) for x in load_digits(args.seed))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=args.steps, pct_start=0.1)
    bar, losses = progress(args.steps), []
    for step in range(1, args.steps + 1):
        pick = torch.randint(0, len(pictures), (args.batch_size,)).to(args.device)
        steps = torch.randint(0, NOISE_STEPS, (args.batch_size,)).to(args.device)
        noise = torch.randn(args.batch_size, 1, 8, 8).to(args.device)
        shown = digits[pick].masked_fill(torch.rand(args.batch_size).to(args.device) < 0.1, NOTHING)
        loss = F.mse_loss(model(noisy(pictures[pick], steps, noise, left), steps, shown), noise)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
        average.update_parameters(model)
        losses.append(float(loss))
        if bar is not None:
            bar.update()
        if step % args.every == 0 or step == args.steps:
            held_out = held_out_loss(average, test_pictures, test_digits, left)
            recent = losses[-args.every :]
            print(f"step {step:5d}  loss {sum(recent) / len(recent):.4f}  held out {held_out:.4f}", flush=True)
    if bar is not None:
        bar.close()
    return losses


def as_text(picture: Tensor) -> str:
    """A picture as lines of characters."""
    marks = " .:-=+*#%@"
    levels = ((picture[0] + 1) / 2 * (len(marks) - 1)).round().clamp(0, len(marks) - 1).int().tolist()
    return "\n".join("".join(2 * marks[level] for level in row) for row in levels)


def draw(path: str, written: Tensor, losses: list[float]) -> None:
    """A picture: the new digits, a row for each, and the loss."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 6), width_ratios=[3, 2])
    rows = F.pad(written.view(10, -1, 8, 8), (1, 1, 1, 1), value=-1.0)
    left.imshow(rows.permute(0, 2, 1, 3).reshape(100, -1).numpy(), cmap="gray_r")
    left.axis("off")
    left.set_title("digits that nobody wrote")
    right.plot(losses, linewidth=0.6)
    right.set(yscale="log", xlabel="step", title="error of the predicted noise")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print(f"picture     {path}")


def main() -> None:
    parse = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parse.add_argument("--steps", type=int, default=1200)
    parse.add_argument("--batch-size", type=int, default=64)
    parse.add_argument("--every", type=int, default=300, help="steps between two measurements")
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--device", default="cpu", help="where the model is, as cuda")
    parse.add_argument("--sample-only", action="store_true", help="only write digits, with the checkpoint of an earlier run")
    parse.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    args = parse.parse_args()
    os.makedirs(args.out, exist_ok=True)
    checkpoint = os.path.join(args.out, "diffusion.pt")

    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    torch.manual_seed(args.seed)
    left, model = schedule().to(args.device), Denoiser().to(args.device)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.995))
    losses: list[float] = []
    if not args.sample_only:
        started = time.perf_counter()
        losses = train(model, average, args, left)
        print(f"{sum(p.numel() for p in model.parameters())} parameters, {time.perf_counter() - started:.1f} s")
        torch.save({"average": average.module.state_dict(), "losses": losses}, checkpoint)
        print(f"checkpoint  {checkpoint}")
    saved = torch.load(checkpoint, map_location=args.device)
    writer = Denoiser().to(args.device).eval()
    writer.load_state_dict(saved["average"])
    torch.manual_seed(args.seed)
    written = write(writer, torch.arange(10, device=args.device).repeat_interleave(8), left).cpu()
    print("\n".join(f"a new {digit}:\n{as_text(written[8 * digit])}" for digit in (3, 8)))
    draw(os.path.join(args.out, "diffusion.png"), written, saved["losses"])
    if args.steps >= 1200 and not args.sample_only and sum(losses[-300:]) / 300 > 0.15:
        raise SystemExit("FAILED: expected an error of the predicted noise below 0.15")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted") from None
