"""Train the GPT of char_gpt.py in several processes, each of which keeps only a part of every parameter.

Each block's parameters are gathered while the block computes. All processes write the checkpoint together, each its own parts;
a run that finds one goes on from there, also with another number of processes, and also after torchrun has started it again.

    torchrun --nproc-per-node 2 examples/fsdp_char_gpt.py [--steps 200] [--checkpoint FOLDER] [--every 50] [--bfloat16]

On several machines, with the same command on each, where HOST is one of them and all of them see FOLDER:

    torchrun --nnodes 2 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint HOST:29400 --max-restarts 3 \\
        examples/fsdp_char_gpt.py --checkpoint FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

from char_gpt import CharGPT, Text, loss_of

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Training:
    """The model, the optimizer and the step, as a checkpoint keeps them."""

    def __init__(self, model: CharGPT, optimizer: torch.optim.Optimizer) -> None:
        self.model, self.optimizer, self.step = model, optimizer, 0

    def state_dict(self) -> dict[str, object]:
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer, "step": self.step}

    def load_state_dict(self, state: dict[str, object]) -> None:
        set_state_dict(
            self.model,
            self.optimizer,
            model_state_dict=state["model"],  # type: ignore[arg-type]
            optim_state_dict=state["optimizer"],  # type: ignore[arg-type]
        )
        self.step = int(state["step"])  # type: ignore[call-overload]


def mean(value: torch.Tensor) -> float:
    """Over all processes."""
    total = value.detach().clone()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=24, help="of all processes together")
    parser.add_argument("--context", type=int, default=96)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--report", type=int, default=20)
    parser.add_argument("--checkpoint", help="the folder to save to, and to go on from")
    parser.add_argument("--every", type=int, default=50, help="steps between two checkpoints")
    parser.add_argument("--bfloat16", action="store_true", help="compute in bfloat16")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    mesh = init_device_mesh("cpu", (size,))
    text = Text()
    torch.manual_seed(args.seed)
    model = CharGPT(len(text.letters), args.context, args.width, 4, args.layers, 0.0)
    policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32) if args.bfloat16 else MixedPrecisionPolicy()
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    training = Training(model, optimizer)
    if args.checkpoint and (Path(args.checkpoint) / ".metadata").exists():
        dcp.load({"training": training}, checkpoint_id=args.checkpoint)
        if rank == 0:
            print(f"checkpoint of step {training.step} loaded", flush=True)
    while training.step < args.steps:
        training.step += 1
        # The batch of a step does not depend on what came before, so that a run that was stopped draws the same ones.
        generator = torch.Generator().manual_seed(args.seed + 1000 * training.step)
        inputs, targets = text.batch(text.train, args.batch_size, args.context, generator)
        loss = loss_of(model, inputs.chunk(size)[rank], targets.chunk(size)[rank])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if training.step % args.report == 0 or training.step == args.steps:
            average = mean(loss)
            if rank == 0:
                print(f"step {training.step:5}  loss {average:.5f}", flush=True)
        if args.checkpoint and (training.step % args.every == 0 or training.step == args.steps):
            dcp.save({"training": training}, checkpoint_id=args.checkpoint)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
