"""Fine-tune a small GPT-2 with LoRA: it has read English, and learns to write Python.

The package transformers has the model, and peft the adapters. Nothing is downloaded: the model first learns
from CPython's own
documentation, byte by byte, and its weights are then frozen. Small matrices beside them, 2 % of the weights,
learn from the
sources of Python's library. The adapters alone are the checkpoint.

The run prints the loss on held-out sources before and after, and writes the checkpoint, a picture of the
losses and a sample.

    python examples/lora.py [--base-steps 300] [--steps 200] [--seed 0] [--out examples/out]
"""

from __future__ import annotations

import argparse
import glob
import importlib
import os
import sysconfig
import time
from typing import Any

import torch
from torch import Tensor

NEEDED = (
    "this example needs transformers and peft: python -m pip install --no-deps transformers peft accelerate, and what they need"
)


def packages() -> tuple[Any, Any]:
    """(transformers, peft), or the end of the program with a line that says what to install."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        return importlib.import_module("transformers"), importlib.import_module("peft")
    except ImportError as problem:
        raise SystemExit(f"{problem}\n{NEEDED}") from None


def as_bytes(text: str) -> Tensor:
    """A text as numbers from 0 to 255."""
    return torch.frombuffer(bytearray(text.encode("utf-8", "replace")), dtype=torch.uint8).long()


def documentation() -> Tensor:
    """CPython's documentation of its language."""
    from pydoc_data.topics import topics

    return as_bytes("\n\n".join(topics[name] for name in sorted(topics)))


def sources() -> tuple[Tensor, Tensor]:
    """Sources of Python's library: (to train on, held out)."""
    files = sorted(glob.glob(os.path.join(sysconfig.get_path("stdlib"), "*.py")))
    texts = [open(file, encoding="utf-8", errors="replace").read() for file in files]
    train = as_bytes("\n\n".join(text for k, text in enumerate(texts) if k % 10))
    return train[:2_000_000], as_bytes("\n\n".join(texts[::10]))


def batch(text: Tensor, size: int, length: int, draw: torch.Generator | None = None) -> Tensor:
    """Random pieces of a text, (size, length)."""
    starts = torch.randint(0, len(text) - length, (size,), generator=draw)
    return text[starts[:, None] + torch.arange(length)]


def held_out_loss(model: Any, text: Tensor, length: int) -> float:
    """The mean loss on always the same pieces of a text."""
    draw = torch.Generator().manual_seed(0)
    model.eval()
    with torch.no_grad():
        pieces = [batch(text, 16, length, draw) for _ in range(4)]
        return sum(float(model(input_ids=piece, labels=piece).loss) for piece in pieces) / len(pieces)


def progress(total: int, title: str) -> Any:
    """A progress bar; nothing where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=title, unit="step", leave=False)


def train(model: Any, text: Tensor, steps: int, rate: float, title: str, args: Any) -> list[float]:
    """Train what of the model can be trained; returns the loss of every step."""
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=rate, betas=(0.9, 0.95), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    bar, losses = progress(steps, title), []
    model.train()
    for step in range(1, steps + 1):
        pieces = batch(text, args.batch_size, args.length)
        loss = model(input_ids=pieces, labels=pieces).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss))
        if bar is not None:
            bar.update()
        if step % 100 == 0 or step == steps:
            print(f"{title:14} step {step:4d}  loss {sum(losses[-50:]) / len(losses[-50:]):.4f}", flush=True)
    if bar is not None:
        bar.close()
    return losses


def draw(path: str, base: list[float], tuned: list[float]) -> None:
    """A picture of the losses."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4))
    axes.plot(range(len(base)), base, label="all weights, on documentation")
    axes.plot(range(len(base), len(base) + len(tuned)), tuned, label="adapters, on sources")
    axes.set(xlabel="step", ylabel="loss per byte")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print(f"picture     {path}")


def main() -> None:
    parse = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parse.add_argument("--base-steps", type=int, default=300)
    parse.add_argument("--steps", type=int, default=200)
    parse.add_argument("--batch-size", type=int, default=16)
    parse.add_argument("--length", type=int, default=96)
    parse.add_argument("--width", type=int, default=128)
    parse.add_argument("--layers", type=int, default=4)
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    args = parse.parse_args()
    transformers, peft = packages()
    transformers.logging.set_verbosity_error()
    os.makedirs(args.out, exist_ok=True)

    print(f"torch {torch.__version__}, transformers {transformers.__version__}, peft {peft.__version__}")
    torch.manual_seed(args.seed)
    shape = transformers.GPT2Config(
        vocab_size=256, n_positions=256, n_embd=args.width, n_layer=args.layers, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, bos_token_id=10, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    base = transformers.GPT2LMHeadModel(shape)
    code, other_code = sources()
    started = time.perf_counter()
    first = train(base, documentation(), args.base_steps, 3e-3, "documentation", args)
    weights = {name: value.clone() for name, value in base.state_dict().items()}

    targets = ["c_attn", "c_proj", "c_fc"]
    adapters = peft.LoraConfig(r=4, lora_alpha=16, target_modules=targets, fan_in_fan_out=True, task_type="CAUSAL_LM")
    model = peft.get_peft_model(base, adapters)
    trained, total = model.get_nb_trainable_parameters()
    before = held_out_loss(model, other_code, args.length)
    second = train(model, code, args.steps, 1e-2, "sources", args)
    after = held_out_loss(model, other_code, args.length)
    print(f"adapters: {trained} of {total} parameters ({trained / total:.1%})")
    print(f"loss on held-out sources: {before:.4f} before, {after:.4f} after; {time.perf_counter() - started:.1f} s")

    folder = os.path.join(args.out, "lora")
    model.save_pretrained(folder)
    print(f"checkpoint  {folder}")
    draw(os.path.join(args.out, "lora.png"), first, second)

    untuned = transformers.GPT2LMHeadModel(shape)
    untuned.load_state_dict(weights)
    restored = peft.PeftModel.from_pretrained(untuned, folder)
    again = held_out_loss(restored, other_code, args.length)
    merged = restored.merge_and_unload().eval()
    torch.manual_seed(args.seed)
    written = merged.generate(
        as_bytes("def ")[None], max_new_tokens=120, do_sample=True, temperature=0.8, top_k=20, pad_token_id=0
    )
    print("-" * 60 + "\n" + bytes(written[0].tolist()).decode("utf-8", "replace") + "\n" + "-" * 60)
    same = abs(again - after) < 1e-4
    print("the reloaded adapters have " + ("the same loss" if same else "another loss"))
    if not same or (args.steps >= 200 and after > before - 0.1):
        raise SystemExit("FAILED: expected a loss lower by 0.1, and the same after reloading")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted") from None
