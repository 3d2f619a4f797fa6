"""The mesh of the parts that parameters have between forward and backward."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, _rows


def inner_mesh(mesh: DeviceMesh, shard_dim: int | None, size: int) -> DeviceMesh | None:
    """The processes of one dimension of a mesh in rows of `size`: the mesh (processes / size, size).

    None where the parts are as they were, or whole. All processes of the dimension call it.
    """
    count = 1 if shard_dim is None else mesh.size(shard_dim)
    if size < 1 or count % size:
        raise ValueError(f"fully_shard(): reshard_after_forward={size} does not divide the number of processes, {count}")
    if shard_dim is None or size in (1, count):
        return None
    root = mesh._get_root_mesh()
    key: Any = "inner", mesh._dims[shard_dim], size
    if key not in root._slices:
        whole = mesh.get_group(shard_dim)
        ranks = mesh.mesh.new_tensor(dist.get_process_group_ranks(whole)).view(-1, size)
        groups, own = [], dist.get_rank()
        for d in (0, 1):
            row = next(r for r in _rows(ranks, (d,)) if own in r)
            groups.append(
                dist.new_group(row, use_local_synchronization=True, group_desc="reshard_after_forward", sort_ranks=False)
            )
        root._slices[key] = DeviceMesh.from_group(groups, mesh.device_type, ranks)
    return root._slices[key]
