"""Train a small GPT on English text, character by character, and let it write.

The text is the reference part of CPython's own documentation, `pydoc_data.topics`. A run trains, reports the
loss on
the last tenth of the text, saves a checkpoint to examples/out, and prints a sample. `--resume` goes on from
the checkpoint; `--sample-only` just writes.

    python examples/char_gpt.py [--steps 600] [--device cuda] [--resume] [--sample-only] [--prompt "The "]
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


class Block(nn.Module):
    """Causal attention and a feed-forward layer, each normalised before and added to what came in."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + F.dropout(self.project(seen.transpose(1, 2).reshape(batch, length, width)), self.dropout, self.training)
        fed: Tensor = self.feed(self.norm2(x))
        return x + fed


class CharGPT(nn.Module):
    """Logits of the next character, for every character of the input (batch, length)."""

    def __init__(self, characters: int, context: int, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.context = context
        self.token, self.position = nn.Embedding(characters, width), nn.Embedding(context, width)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, characters, bias=False)
        self.apply(self.start)

    @staticmethod
    def start(module: nn.Module) -> None:
        """Small normal weights, zero biases."""
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, indices: Tensor) -> Tensor:
        places = torch.arange(indices.size(1), device=indices.device)
        x = self.drop(self.token(indices) + self.position(places))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))

    @torch.no_grad()
    def write(self, indices: Tensor, count: int, temperature: float = 0.8) -> Tensor:
        """`count` more characters after `indices` (1, length), drawn from what the model expects."""
        for _ in range(count):
            logits = self(indices[:, -self.context :])[:, -1] / temperature
            indices = torch.cat([indices, torch.multinomial(logits.softmax(-1), 1)], dim=1)
        return indices


class Text:
    """The text as numbers, and its alphabet. Batches are made on the CPU and given on a device."""

    def __init__(self, device: str = "cpu") -> None:
        from pydoc_data.topics import topics

        text = "\n".join(topics[name] for name in sorted(topics))
        text = "".join(letter for letter in text if letter.isascii())
        self.device = device
        self.letters = sorted(set(text))
        self.number = {letter: k for k, letter in enumerate(self.letters)}
        data = torch.tensor([self.number[letter] for letter in text], dtype=torch.long)
        split = len(data) * 9 // 10
        self.train, self.valid = data[:split], data[split:]

    def batch(self, data: Tensor, size: int, context: int, generator: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """(inputs, targets), both (size, context): the targets are one character further on."""
        starts = torch.randint(len(data) - context - 1, (size,), generator=generator).tolist()
        rows = torch.stack([data[start : start + context + 1] for start in starts]).to(self.device)
        return rows[:, :-1], rows[:, 1:]

    def encode(self, text: str) -> Tensor:
        return torch.tensor([[self.number[letter] for letter in text if letter in self.number]], device=self.device)

    def decode(self, indices: Tensor) -> str:
        return "".join(self.letters[k] for k in indices.tolist())


def loss_of(model: CharGPT, inputs: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


@torch.no_grad()
def validate(model: CharGPT, text: Text, batches: int = 8, size: int = 32) -> float:
    """Mean loss over fixed pieces of the held-out text."""
    model.eval()
    generator = torch.Generator().manual_seed(1)
    losses = [float(loss_of(model, *text.batch(text.valid, size, model.context, generator))) for _ in range(batches)]
    model.train()
    return sum(losses) / len(losses)


def progress(first: int, last: int) -> Any:
    """A progress bar over the steps, or None where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=last, initial=first, unit="step", desc="training", mininterval=0.5)


def train(
    model: CharGPT,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    text: Text,
    first: int,
    args: argparse.Namespace,
) -> None:
    """Steps `first` to `said.steps`, reporting on the way."""
    bar, started = progress(first, args.steps), time.perf_counter()
    model.train()
    for step in range(first + 1, args.steps + 1):
        inputs, targets = text.batch(text.train, args.batch_size, args.context)
        loss = loss_of(model, inputs, targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        speed = (step - first) * inputs.numel() / (time.perf_counter() - started)
        if bar is not None:
            bar.update()
            bar.set_postfix(loss=f"{loss.item():.3f}", tokens_per_second=f"{speed:.0f}")
        if step % args.report == 0 or step == args.steps:
            line = (
                f"step {step:5d}  training loss {loss.item():.4f}  validation loss "
                f"{validate(model, text):.4f}  "
                f"{speed:.0f} tokens/s"
            )
            bar.write(line) if bar is not None else print(line, flush=True)
    if bar is not None:
        bar.close()


def main() -> None:
    parse = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parse.add_argument("--steps", type=int, default=600)
    parse.add_argument("--batch-size", type=int, default=24)
    parse.add_argument("--context", type=int, default=96)
    parse.add_argument("--width", type=int, default=128)
    parse.add_argument("--heads", type=int, default=4)
    parse.add_argument("--layers", type=int, default=3)
    parse.add_argument("--dropout", type=float, default=0.0)
    parse.add_argument("--report", type=int, default=100, help="steps between two validations")
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--device", default="cpu", help="where the model is, as cuda")
    parse.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    parse.add_argument("--sample-only", action="store_true", help="only write, from the checkpoint")
    parse.add_argument("--prompt", default="The ")
    parse.add_argument("--length", type=int, default=300, help="characters to write")
    parse.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    args = parse.parse_args()
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, "char_gpt.pt")

    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    text = Text(args.device)
    torch.manual_seed(args.seed)
    saved = torch.load(path, map_location="cpu") if args.resume or args.sample_only else None
    shape = (
        saved["shape"]
        if saved
        else {
            "characters": len(text.letters),
            "context": args.context,
            "width": args.width,
            "heads": args.heads,
            "layers": args.layers,
            "dropout": args.dropout,
        }
    )
    args.context = shape["context"]
    model = CharGPT(**shape).to(args.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.05, 1.0, total_iters=50)
    down = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(1, args.steps - 50), eta_min=1e-4)
    schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, down], [50])
    first = 0
    if saved:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        schedule.load_state_dict(saved["schedule"])
        torch.set_rng_state(saved["random"])
        first = saved["step"]
        print(f"checkpoint of step {first} loaded")
    count = sum(parameter.numel() for parameter in model.parameters())
    print(
        f"{len(text.train)} characters to train on, {len(text.valid)} held out, {len(text.letters)} different; {count} parameters"
    )

    if not args.sample_only:
        started = time.perf_counter()
        train(model, optimizer, schedule, text, first, args)
        print(f"validation loss {validate(model, text):.4f} after {time.perf_counter() - started:.1f} s")
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(),
                "random": torch.get_rng_state(),
                "step": max(first, args.steps),
                "shape": shape,
            },
            path,
        )
        print(f"checkpoint  {path}")
    model.eval()
    torch.manual_seed(args.seed)
    written = model.write(text.encode(args.prompt), args.length)
    print("-" * 60 + "\n" + text.decode(written[0]) + "\n" + "-" * 60)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted") from None
