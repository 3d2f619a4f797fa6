"""Checkpoints of several processes: layouts that differ, saves in the background, faults, files of safetensors."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import time
from pathlib import Path

import pytest
from ranks import needs_gloo, run_ranks

import torch
import torch.distributed as dist
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(120)]


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), nn.GELU(), nn.Linear(7, 3))


def trained(steps=1, mesh=None, sharded=True):
    from torch.distributed.fsdp import fully_shard

    model = network()
    if sharded:
        fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for k in range(steps):
        model(torch.ones(2, 5) * k).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer


class Counter:
    """An object with a state."""

    def __init__(self, value):
        self.value = value

    def state_dict(self):
        return {"value": self.value, "squares": torch.arange(3) * self.value}

    def load_state_dict(self, state):
        self.value, self.squares = state["value"], state["squares"]


def save_in_pieces(rank, size, folder):
    """Cut over all processes; also a mesh with copies, a tensor of one process, nested values and an object."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_state_dict
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = dist.init_device_mesh("cpu", (2, size // 2))
    model, optimizer = trained(2)
    states = dict(zip(("model", "optim"), get_state_dict(model, optimizer)))
    states["grid"] = distribute_tensor(torch.arange(35.0).reshape(5, 7), mesh, [Shard(0), Shard(1)])
    states["copies"] = distribute_tensor(torch.arange(6.0), mesh, [Replicate(), Shard(0)])
    states["nested"] = {"list": [torch.ones(2), {"a": "text"}], "step": 7, "tuple": (1, 2)}
    states["counter"] = Counter(5)
    if rank == 1:
        states["mine"] = torch.full((2,), 3.0)
    metadata = dcp.save(states, checkpoint_id=folder)
    return (None if metadata is None else len(metadata.storage_data)), sorted(os.listdir(folder))


def load_in_pieces(rank, size, folder):
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    from torch.distributed.tensor import Shard, zeros

    mesh = dist.init_device_mesh("cpu", (size,))
    model, optimizer = trained(0)
    for p in model.parameters():
        p.data.zero_()
    states = dict(zip(("model", "optim"), get_state_dict(model, optimizer)))
    states["grid"] = zeros(5, 7, device_mesh=mesh, placements=[Shard(1)])
    states["copies"] = torch.zeros(6)
    states["nested"] = {"list": [torch.zeros(2), {"a": None}], "step": 0, "tuple": None}
    states["counter"] = counter = Counter(0)
    states["mine"] = torch.zeros(2)
    dcp.load(states, checkpoint_id=folder)
    set_state_dict(model, optimizer, model_state_dict=states["model"], optim_state_dict=states["optim"])
    expected, other = trained(2)
    for a, b in zip(expected.parameters(), model.parameters()):
        torch.testing.assert_close(a.full_tensor(), b.full_tensor())  # means over 3 processes are rounded otherwise
    for a, b in zip(other.state.values(), optimizer.state.values()):
        torch.testing.assert_close(a["exp_avg"].full_tensor(), b["exp_avg"].full_tensor())
        assert a["step"] == b["step"]
    assert torch.equal(states["grid"].full_tensor(), torch.arange(35.0).reshape(5, 7))
    assert torch.equal(states["copies"], torch.arange(6.0)) and torch.equal(states["mine"], torch.full((2,), 3.0))
    assert states["nested"]["list"][1] == {"a": "text"} and states["nested"]["step"] == 7
    assert states["nested"]["tuple"] == (1, 2) and counter.value == 5 and counter.squares.tolist() == [0, 5, 10]


def in_background(rank, size, folder):
    """What is saved is the state at the call; training goes on meanwhile."""
    import torch.distributed.checkpoint as dcp

    model, optimizer = trained(1)
    before = {k: v.full_tensor().clone() for k, v in model.state_dict().items()}
    jobs = []
    for k in range(2):
        jobs.append(dcp.async_save({"model": model.state_dict(), "k": k}, checkpoint_id=f"{folder}/{k}"))
        model(torch.ones(2, 5)).sum().backward()
        optimizer.step()
    for job in jobs:
        job.result()
    states = {"model": model.state_dict(), "k": None}
    dcp.load(states, checkpoint_id=f"{folder}/0")
    for key, value in before.items():
        assert torch.equal(states["model"][key].full_tensor(), value)
    return states["k"]


def faults(rank, size, folder):
    """Every process gets the error, and the checkpoint that was there stays."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint import CheckpointException

    def load():
        states = {"x": torch.zeros(1000)}
        dcp.load(states, checkpoint_id=folder)
        return states["x"][0].item()

    dcp.save({"x": torch.ones(1000)}, checkpoint_id=folder)
    texts = []
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    if rank == 1:  # the disk of one process is full
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limit[1]))
    try:
        dcp.save({"x": torch.full((1000,), 2.0), "y": torch.ones(1000)}, checkpoint_id=folder)
    except CheckpointException as error:
        texts.append((sorted(error.failures), "File too large" in str(error)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert load() == 1
    for states in ({"missing": torch.ones(1)}, {"x": torch.ones(7)}):
        try:
            dcp.load(states, checkpoint_id=folder)
        except CheckpointException as error:
            texts.append((sorted(error.failures), "missing" in str(error) or "shape" in str(error)))
    from torch.distributed.tensor import DTensor, Partial

    total = DTensor.from_local(torch.ones(2), dist.init_device_mesh("cpu", (size,)), [Partial()])
    with pytest.raises(CheckpointException, match="a sum that was not computed yet"):
        dcp.save({"total": total}, checkpoint_id=folder)
    partial = {"x": torch.zeros(1000), "missing": 1}
    dcp.load(partial, checkpoint_id=folder, planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
    assert partial["x"][0] == 1 and partial["missing"] == 1
    with pytest.raises(CheckpointException, match="overwrite is False"):
        dcp.save({"x": 1}, storage_writer=dcp.FileSystemWriter(folder, overwrite=False))
    dcp.save({"x": torch.full((1000,), 4.0)}, storage_writer=dcp.FileSystemWriter(folder, thread_count=2))
    assert load() == 4
    dist.barrier()
    return texts, len([name for name in os.listdir(folder) if name.endswith(".distcp")])


def killed(rank, size, folder):
    """Rank 1 is killed in the middle of a save."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint import filesystem

    dcp.save({"x": torch.ones(4), "y": torch.ones(4)}, checkpoint_id=folder)
    if rank == 1:

        def die(*args):
            (Path(folder) / "__half_0.distcp").write_bytes(b"half of a file")
            os.kill(os.getpid(), signal.SIGKILL)

        filesystem.FileSystemWriter._write_file = die
    try:
        dcp.save({"x": torch.full((4,), 2.0), "y": torch.full((4,), 2.0)}, checkpoint_id=folder)
    except Exception as error:
        return type(error).__name__
    return None


def helpers(rank, size, folder):
    """State dictionaries by plain names, whole on one process and back; one level of names; DistributedDataParallel."""
    from torch.distributed.checkpoint.state_dict import (
        StateDictOptions,
        get_model_state_dict,
        get_optimizer_state_dict,
        get_state_dict,
        set_model_state_dict,
        set_optimizer_state_dict,
    )
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

    model, optimizer = trained(2)
    plain, plain_optimizer = trained(2, sharded=False)
    first = StateDictOptions(full_state_dict=True, cpu_offload=True)
    state, optim = get_state_dict(model, optimizer, options=first)
    assert bool(state) == bool(optim) == (rank == 0)
    if rank == 0:
        for key, value in plain.state_dict().items():
            torch.testing.assert_close(state[key], value, atol=1e-4, rtol=1e-3)
    twin, twin_optimizer = trained(1)
    back = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(twin, state, options=back)
    set_optimizer_state_dict(twin, twin_optimizer, optim, options=back)
    for a, b in zip(model.parameters(), twin.parameters()):
        assert torch.equal(a.full_tensor(), b.full_tensor())
        for key in ("exp_avg", "exp_avg_sq"):
            assert torch.equal(optimizer.state[a][key].full_tensor(), twin_optimizer.state[b][key].full_tensor())
    flat = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(flatten_optimizer_state_dict=True))
    assert {"state.0.weight.exp_avg", "param_groups.0.bias.lr"} <= set(flat)
    third, third_optimizer = trained(1)
    set_optimizer_state_dict(third, third_optimizer, flat, options=StateDictOptions(flatten_optimizer_state_dict=True))
    for a, b in zip(optimizer.state.values(), third_optimizer.state.values()):
        assert torch.equal(a["exp_avg"].full_tensor(), b["exp_avg"].full_tensor())
    copies = nn.parallel.DistributedDataParallel(network())
    wrapped = FSDP(network())
    names = list(network().state_dict())
    assert list(get_model_state_dict(copies)) == list(get_model_state_dict(wrapped)) == names
    assert set_model_state_dict(wrapped, get_model_state_dict(copies)).missing_keys == []
    assert list(get_model_state_dict(model, submodules={model[0]})) == ["0.weight", "0.bias"]


def safetensors(rank, size, folder):
    import torch.distributed.checkpoint as dcp
    from torch.distributed.tensor import Shard, distribute_tensor, zeros

    mesh = dist.init_device_mesh("cpu", (size,))
    a, b = torch.arange(10.0).reshape(5, 2), torch.arange(3).to(torch.bfloat16)
    dcp.save({"a": a, "b": b}, storage_writer=dcp.HuggingFaceStorageWriter(f"{folder}/whole", {"a": 1, "b": 2}))
    cut = {"a": distribute_tensor(a, mesh, [Shard(0)]), "b": distribute_tensor(b, mesh, [Shard(0)])}
    for consolidates in (False, True):
        dcp.save(
            cut,
            storage_writer=dcp.HuggingFaceStorageWriter(
                f"{folder}/cut{consolidates}", save_distributed=True, enable_consolidation=consolidates
            ),
        )
    for name in ("whole", "cutFalse", "cutTrue"):
        found = {"a": zeros(5, 2, device_mesh=mesh, placements=[Shard(1)]), "b": torch.zeros(3, dtype=torch.bfloat16)}
        dcp.load(found, storage_reader=dcp.HuggingFaceStorageReader(f"{folder}/{name}"))
        assert torch.equal(found["a"].full_tensor(), a) and torch.equal(found["b"], b), name
    return {name: sorted(os.listdir(f"{folder}/{name}")) for name in ("whole", "cutFalse", "cutTrue")}


def test_other_numbers_of_processes(tmp_path):
    found = run_ranks(save_in_pieces, 4, str(tmp_path))
    assert found[0][1] == [".metadata", *(f"__{k}_0.distcp" for k in range(4))]
    for size in (4, 3, 1):
        run_ranks(load_in_pieces, size, str(tmp_path))


def test_in_background(tmp_path):
    assert run_ranks(in_background, 2, str(tmp_path)) == [0, 0]


def test_faults(tmp_path):
    expected = [([1], True), ([0, 1], True), ([0, 1], True)]
    for texts, files in run_ranks(faults, 2, str(tmp_path)):
        assert texts == expected and files == 1  # only the process that writes the tensor has a file


def test_killed_save_leaves_the_last_checkpoint(tmp_path):
    import torch.distributed.checkpoint as dcp

    assert run_ranks(killed, 2, str(tmp_path), killed=(1,))[0] == "DistBackendError"
    found = {"x": torch.zeros(4), "y": torch.zeros(4)}
    dcp.load(found, checkpoint_id=tmp_path, no_dist=True)
    assert found["x"].tolist() == found["y"].tolist() == [1] * 4
    dcp.save(found, checkpoint_id=tmp_path, no_dist=True)
    assert not (tmp_path / "__half_0.distcp").exists()


def test_helpers(tmp_path):
    run_ranks(helpers, 2, str(tmp_path))


def test_safetensors(tmp_path):
    for found in run_ranks(safetensors, 2, str(tmp_path)):
        assert found["whole"] == [
            "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json",
        ]  # fmt: skip
        assert found["cutFalse"] == [f"shard-0000{k}-model-00001-of-00001.safetensors" for k in range(2)]
        assert found["cutTrue"] == ["model-00001-of-00001.safetensors", "model.safetensors.index.json", "sharded"]


def test_one_file(tmp_path):
    from torch.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp

    state = {"model": {"weight": torch.ones(2, 3)}, "list": [torch.ones(1), {"a": 1}], "step": 3}
    torch.save(state, tmp_path / "one.pt")
    torch_save_to_dcp(tmp_path / "one.pt", tmp_path / "folder")
    dcp_to_torch_save(tmp_path / "folder", tmp_path / "back.pt")
    back = torch.load(tmp_path / "back.pt")
    assert torch.equal(back["model"]["weight"], torch.ones(2, 3)) and back["step"] == 3 and back["list"][1] == {"a": 1}


def test_metadata_that_is_no_metadata(tmp_path):
    """The file cannot make objects of other classes, nor name files elsewhere."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint import CheckpointException

    class Attack:
        def __reduce__(self):
            return os.system, ("true",)

    (tmp_path / ".metadata").write_bytes(pickle.dumps(Attack()))
    with pytest.raises(CheckpointException, match="no part of metadata"):
        dcp.load({"x": torch.ones(1)}, checkpoint_id=tmp_path, no_dist=True)
    dcp.save({"x": torch.ones(1)}, checkpoint_id=tmp_path, no_dist=True)
    reader = dcp.FileSystemReader(tmp_path)
    metadata = reader.read_metadata()
    next(iter(metadata.storage_data.values())).relative_path = "../elsewhere"
    reader.read_metadata = lambda: metadata
    with pytest.raises(CheckpointException, match="outside of the checkpoint"):
        dcp.load({"x": torch.ones(1)}, storage_reader=reader, no_dist=True)
    with pytest.raises(CheckpointException, match="No such file"):
        dcp.load({"x": torch.ones(1)}, checkpoint_id=tmp_path / "nothing", no_dist=True)


def in_a_process(rank, size, folder):
    """Saves in another process: what it writes, its errors, its end, and processes of other groups."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.staging import BlockingAsyncStager, DefaultStager, StagingOptions
    from torch.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType, _background
    from torch.distributed.tensor import Shard, distribute_tensor

    kind = {"async_checkpointer_type": AsyncCheckpointerType.PROCESS}
    mesh = dist.init_device_mesh("cpu", (size,))

    def loaded(name, **options):
        found = {"x": distribute_tensor(torch.zeros(7), mesh, [Shard(0)]), "k": None}
        dcp.load(found, checkpoint_id=f"{folder}/{name}", **options)
        return found["x"].full_tensor().tolist(), found["k"]

    x = distribute_tensor(torch.arange(7.0), mesh, [Shard(0)])
    job = dcp.async_save({"x": x, "k": 3}, checkpoint_id=f"{folder}/a", **kind)
    x.mul_(2)  # after the copy
    with DefaultStager(StagingOptions(use_async_staging=rank == 0)) as stager:
        both = dcp.async_save({"x": x, "k": 4}, checkpoint_id=f"{folder}/b", async_stager=stager, **kind)
        both.staging_completion.result()
        x.mul_(2)
    pid = _background.process.process.pid
    job.result(), both.upload_completion.result()
    assert loaded("a") == ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3)
    assert loaded("b") == ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0], 4)
    with pytest.raises(dcp.CheckpointException, match="/proc/nothing"):
        dcp.async_save({"x": x}, checkpoint_id="/proc/nothing", **kind).result()
    stager = BlockingAsyncStager(cache_staged_state_dict=True)
    first = stager.stage({"x": x, "k": 5})
    second = stager.stage({"x": x + 1, "k": 6})
    assert second["x"] is first["x"] and second["k"] == 6 and second["x"].to_local().equal((x + 1).to_local())
    assert _background.process.process.pid == pid
    # After the process of one rank was killed, all have others.
    if rank == 0:
        os.kill(pid, signal.SIGKILL)
        _background.process.process.join()
    dcp.async_save({"x": x, "k": 5}, checkpoint_id=f"{folder}/c", **kind).result()
    assert loaded("c") == ([0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0], 5) and _background.process.process.pid != pid
    alone = dcp.async_save({"k": rank}, checkpoint_id=f"{folder}/own{rank}", no_dist=True, **kind)
    alone.result()
    with pytest.raises(ValueError, match="expected an AsyncCheckpointerType, got 'process'"):
        dcp.async_save({"x": x}, checkpoint_id=f"{folder}/d", async_checkpointer_type="process")
    return _background.process.process.pid


def test_saves_in_a_process(tmp_path):
    for pid in run_ranks(in_a_process, 2, str(tmp_path)):
        for _ in range(100):
            if not Path(f"/proc/{pid}").exists():
                break
            time.sleep(0.02)
        else:
            pytest.fail(f"the process {pid} that saved goes on after its job")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "c", "own0", "own1"]


def read_by_one(rank, size, path):
    """A file of torch.save that one process reads for all."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.format_utils import BroadcastingTorchSaveReader, DynamicMetaLoadPlanner
    from torch.distributed.tensor import Shard, distribute_tensor

    if rank == 0:
        torch.save({"m": {"w": torch.arange(6.0).view(3, 2), "b": torch.ones(1)}, "n": torch.tensor(3), "k": 7}, path)
    mesh = dist.init_device_mesh("cpu", (size,))

    def load(**more):
        w = distribute_tensor(torch.zeros(3, 2), mesh, [Shard(0)])
        state = {"m": {"w": w, "b": torch.zeros(1)}, "n": torch.tensor(0), **more}
        reader = BroadcastingTorchSaveReader()
        dcp.load(state, storage_reader=reader, planner=DynamicMetaLoadPlanner(), checkpoint_id=path)
        return state["m"]["w"].full_tensor().tolist(), state["m"]["b"].item(), state["n"].item()

    assert load() == ([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], 1.0, 3)
    for more, message in (
        ({"k": 0}, "'k' is a int"), ({"q": torch.ones(1)}, "no tensor 'q'"), ({"n": torch.zeros(2)}, "'n' has the shape"),
    ):  # fmt: skip
        with pytest.raises(dcp.CheckpointException, match=message):
            load(**more)


def test_read_by_one(tmp_path):
    run_ranks(read_by_one, 2, str(tmp_path / "model.pt"))
