"""The tables of CommDebugMode, and visualize_sharding."""

from __future__ import annotations

import contextlib
import io
import json

import pytest
from ranks import needs_gloo, run_ranks

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

pytestmark = [needs_gloo, pytest.mark.timeout(60)]


class Block(nn.Module):
    """Two layers that are cut."""

    def __init__(self):
        super().__init__()
        self.net1, self.relu, self.net2 = nn.Linear(4, 6, bias=False), nn.ReLU(), nn.Linear(6, 4, bias=False)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


class Outer(nn.Module):
    """A block, and a layer that is not cut and runs again in backward."""

    def __init__(self):
        super().__init__()
        self.block, self.layers = Block(), nn.ModuleList([nn.Linear(4, 4)])

    def forward(self, x):
        from torch.utils.checkpoint import checkpoint

        return checkpoint(self.layers[0], self.block(x), use_reentrant=False, early_stop=False)


TABLE = """Global
  FORWARD PASS
    *c10d_functional.all_reduce: 1
    Outer
      FORWARD PASS
        *c10d_functional.all_reduce: 1
        Outer.block
          FORWARD PASS
            *c10d_functional.all_reduce: 1
            Outer.block.net1
            Outer.block.relu
            Outer.block.net2
              FORWARD PASS
                *c10d_functional.all_reduce: 1
        Outer.layers.0
"""


def tables(rank, size, folder):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.debug import CommDebugMode
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("cpu", (size,))
    model = Outer()
    parallelize_module(model.block, mesh, {"net1": ColwiseParallel(), "net2": RowwiseParallel()})
    with CommDebugMode() as mode:
        model(torch.randn(3, 4)).sum().backward()
    assert mode.get_total_counts() == 1
    assert mode.comm_module_counts["Outer.block.net2"]["forward"] == {torch.ops.c10d_functional.all_reduce: 1}
    assert mode.get_sharding_info() == {"Outer.block.net1.weight": (Shard(0),), "Outer.block.net2.weight": (Shard(1),)}
    assert {name: list(p) for name, p in mode.get_parameter_info().items()} == {
        "Outer.block.net1": ["weight"], "Outer.block.net2": ["weight"], "Outer.layers.0": ["weight", "bias"],
    }  # fmt: skip

    names = [f"{folder}/{rank}{end}" for end in (".txt", ".json")]
    mode.log_comm_debug_tracing_table_to_file(names[0], noise_level=0)
    assert open(names[0]).read() == TABLE
    assert "\033[1;33m" in mode.generate_comm_debug_tracing_table(noise_level=0)
    counts = [mode.generate_comm_debug_tracing_table(noise_level=level).count("**aten.") for level in range(4)]
    assert counts[0] == 0 < counts[1] < counts[2] < counts[3]
    assert "aten.t." in mode.generate_comm_debug_tracing_table() and counts[1] == 5  # the products of parts
    with pytest.raises(ValueError, match="noise_level"):
        mode.generate_comm_debug_tracing_table(noise_level=4)

    mode.generate_json_dump(names[1], noise_level=2)
    tree = json.load(open(names[1]))
    block, layer = tree["children"][0]["children"]
    assert (tree["fqn"], block["fqn"], layer["fqn"]) == ("Global", "Outer.block", "Outer.layers.0")
    net1, relu, net2 = block["children"]
    assert net1["parameters"] == [["weight", "(Shard(dim=0),)"]] and net1["module_type"].endswith("Linear'")
    assert net2["collectives_forward"] == [["c10d_functional.all_reduce", 1]]
    product = net2["operations_forward"][0]
    assert product["name"] == "aten.mm.default" and product["input_sharding"] == ["(Shard(dim=1),)", "(Shard(dim=0),)"]
    assert [o["name"] for o in relu["operations_backward"]] == ["aten.threshold_backward.default"]
    again = layer["operations_checkpointing"]
    assert [o["name"] for o in again] == ["aten.addmm.default"] and again[0]["is_activation_checkpointing"]

    # An error in forward leaves no module behind, and a second block starts anew.
    with mode:
        with contextlib.suppress(RuntimeError):
            model(torch.randn(3, 5))
        distribute_tensor(torch.ones(4), mesh, [Shard(0)]).redistribute(mesh, [Replicate()])
    assert mode.comm_module_counts["Global"]["forward"] == {
        torch.ops.c10d.scatter_: 1, torch.ops.c10d_functional.all_gather_into_tensor: 1,
    }  # fmt: skip


def test_tables(tmp_path):
    run_ranks(tables, 2, str(tmp_path))


def pictures(rank, size):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.debug import visualize_sharding

    line, square = init_device_mesh("cpu", (size,)), init_device_mesh("cpu", (2, 2))
    found = []
    for shape, mesh, placements in (
        ((4, 6), square, [Shard(0), Shard(1)]), ((4, 6), square, [Shard(1), Replicate()]), ((5,), line, [Shard(0)]),
        ((0, 2), line, [Shard(0)]), ((4, 2), square, [Shard(0), Shard(0)]),
    ):  # fmt: skip
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            visualize_sharding(distribute_tensor(torch.ones(shape), mesh, placements))
        found.append([line.split() for line in text.getvalue().splitlines() if "-----" not in line])
    with pytest.raises(RuntimeError, match="1 or 2 dimensions, got 3"):
        visualize_sharding(distribute_tensor(torch.ones(4, 2, 2), line, [Shard(0)]))
    with pytest.raises(TypeError, match="expected a DTensor"):
        visualize_sharding(torch.ones(2))
    return found


def test_visualize_sharding():
    first, *others = run_ranks(pictures, 4)
    assert others == [[[]] * 5] * 3
    assert first == [
        [["Col", "0-2", "Col", "3-5"], ["Row", "0-1", "cpu:0", "cpu:1"], ["Row", "2-3", "cpu:2", "cpu:3"]],
        [["Col", "0-2", "Col", "3-5"], ["Row", "0-3", "cpu:0,1", "cpu:2,3"]],
        [["Col", "0-0"], ["Row", "0-1", "cpu:0"], ["Row", "2-3", "cpu:1"], ["Row", "4-4", "cpu:2"]],
        [],
        [["Col", "0-1"], *(["Row", f"{k}-{k}", f"cpu:{k}"] for k in range(4))],
    ]
