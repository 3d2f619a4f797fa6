"""A job whose process is killed: torchrun starts it again, it goes on from its last checkpoint, and ends with the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ranks import needs_gloo

pytestmark = [needs_gloo, pytest.mark.timeout(120)]

PROGRAM = """
import datetime, os, signal, sys, time
import torch, torch.distributed as dist, torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard

folder, fault = sys.argv[1], sys.argv[2]
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=2 if fault == "hang" else 60))
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = fully_shard(nn.Sequential(nn.Linear(6, 9), nn.Dropout(0.2), nn.GELU(), nn.Linear(9, 1)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
step = 0
if os.path.exists(f"{folder}/.metadata"):
    model_state, optimizer_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optimizer": optimizer_state, "step": 0}
    dcp.load(state, checkpoint_id=folder)
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    step = state["step"]
while step < 8:
    step += 1
    torch.manual_seed(100 * step + rank)
    loss = (model(torch.randn(4, 6)) - 1).square().mean()
    loss.backward()
    if fault != "none" and step == 6 and rank == 1 and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        if fault == "hang": time.sleep(60)
        if fault == "raise": raise ValueError("of rank 1")
        os.kill(os.getpid(), signal.SIGKILL)
    optimizer.step()
    optimizer.zero_grad()
    if step % 2 == 0:
        model_state, optimizer_state = get_state_dict(model, optimizer)
        dcp.save({"model": model_state, "optimizer": optimizer_state, "step": step}, checkpoint_id=folder)
total = loss.detach().clone()
dist.all_reduce(total)
if rank == 0:
    whole = [p.full_tensor().sum().item() for p in model.parameters()]
    print("result", total.item().hex(), [v.hex() for v in whole])
else:
    [p.full_tensor() for p in model.parameters()]
dist.destroy_process_group()
"""


def run(tmp_path, name, mode):
    program, folder = tmp_path / "program.py", tmp_path / name
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--max-restarts", "1", str(program),
               str(folder), mode]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100)
    assert done.returncode == 0, done.stderr[-3000:]
    return [line for line in done.stdout.splitlines() if line.startswith("result")], done.stderr


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    lines, _ = run(tmp_path_factory.mktemp("quiet"), "checkpoint", "none")
    assert len(lines) == 1
    return lines


@pytest.mark.parametrize("fault, note", [("kill", "SIGKILL"), ("hang", "no answer from rank 1"), ("raise", "of rank 1")])
def test_restart_ends_with_the_same_bits(tmp_path, expected, fault, note):
    found, notes = run(tmp_path, "checkpoint", fault)
    assert found == expected
    assert note in notes, notes
