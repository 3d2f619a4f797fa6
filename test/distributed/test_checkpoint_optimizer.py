"""The state of an optimizer in the layouts of a model's parameters."""

from __future__ import annotations

import pytest
from ranks import needs_gloo, run_ranks

import torch
from torch import nn

pytestmark = [needs_gloo, pytest.mark.timeout(60)]


def saved_and_loaded(rank, size, folder):
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.optimizer import load_sharded_optimizer_state_dict
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
    from torch.distributed.tensor import Shard

    def stepped(model):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        model(torch.ones(2, 4)).square().sum().backward()
        optimizer.step()
        return optimizer

    torch.manual_seed(0)
    whole = nn.Linear(4, 6)
    expected = stepped(whole).state[whole.weight]["exp_avg"]
    torch.manual_seed(0)
    model = FullyShardedDataParallel(nn.Linear(4, 6))
    optimizer = stepped(model)
    state = FullyShardedDataParallel.optim_state_dict(model, optimizer)
    dcp.save({"optimizer": state, "model": model.state_dict()}, checkpoint_id=folder)

    # Another layout, and no layout at all.
    torch.manual_seed(0)
    other = fully_shard(nn.Linear(4, 6), mesh=init_device_mesh("cpu", (size,)), shard_placement_fn=lambda p: Shard(p.ndim - 1))
    for own in (other, whole):
        reader = dcp.FileSystemReader(folder)
        found = load_sharded_optimizer_state_dict(own.state_dict(), "optimizer", reader)
        moment = found["optimizer"]["state"]["weight"]["exp_avg"]
        if own is other:
            assert moment.placements == (Shard(1),)
            moment = moment.full_tensor()
        torch.testing.assert_close(moment, expected)
        assert found["optimizer"]["state"]["bias"]["step"].item() == 1
        assert found["optimizer"]["param_groups"][0]["lr"] == 0.1 and list(found) == ["optimizer"]

    with pytest.raises(ValueError, match="nothing at 'absent'; it has .'model', 'optimizer'."):
        load_sharded_optimizer_state_dict(other.state_dict(), "absent", dcp.FileSystemReader(folder))


def test_load_sharded_optimizer_state_dict(tmp_path):
    run_ranks(saved_and_loaded, 2, str(tmp_path))
