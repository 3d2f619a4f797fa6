"""parallelize_module: applies styles to the modules that a plan names."""

from __future__ import annotations

import warnings
from fnmatch import fnmatch
from typing import Any

from torch import nn
from torch.distributed._mesh_stack import _mesh_resources
from torch.distributed.tensor.parallel.style import ParallelStyle


def parallelize_module(
    module: nn.Module, device_mesh: Any = None, parallelize_plan: Any = None, *, src_data_rank: int | None = 0
) -> nn.Module:  # fmt: skip
    """Spreads modules over the processes of a mesh.

    Args:
        module (Module): the module
        device_mesh (DeviceMesh, optional): a mesh of one dimension; that of the block around the call by default
        parallelize_plan (ParallelStyle or dict): how, or styles by the paths of submodules, in which "*" stands for any name
        src_data_rank (int or None, default 0): the process whose parameters count; None: each process has them already

    Returns:
        the module, whose parameters are DTensors where a style says so

    Raises:
        ValueError: the mesh has several dimensions
        TypeError: the plan is something else

    Example:
        >>> torch.distributed.tensor.parallel.parallelize_module.__name__
        'parallelize_module'
    """
    mesh = _mesh_resources.get_current_mesh() if device_mesh is None else device_mesh
    if mesh.ndim > 1:
        raise ValueError(f'parallelize_module(): expected a mesh of one dimension, got {mesh}; take a part, mesh["tp"]')
    if parallelize_plan is None:
        warnings.warn("parallelize_module(): without parallelize_plan nothing is changed", stacklevel=2)
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(f"parallelize_module(): expected a ParallelStyle or a dict, got {type(parallelize_plan).__name__}")
    for path, style in parallelize_plan.items():
        found = _matching(module, path.split("."))
        if not found:
            warnings.warn(f"parallelize_module(): there is no submodule {path!r}", stacklevel=2)
        for child in found:
            parallelize_module(child, mesh, style, src_data_rank=src_data_rank)
    return module


def _matching(module: nn.Module, path: list[str]) -> list[nn.Module]:
    if path == [""]:
        return [module]
    children = [child for name, child in module.named_children() if fnmatch(name, path[0])]
    return children if len(path) == 1 else [found for child in children for found in _matching(child, path[1:])]
