"""local_map: a function of plain tensors as one of DTensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor.placement_types import Placement
from torch.utils import _pytree as pytree

_NAME = "local_map"


def local_map(
    func: Callable[..., Any] | None = None, out_placements: Any = None, in_placements: Any = None, in_grad_placements: Any = None,
    device_mesh: Any = None, *, redistribute_inputs: bool = False,
) -> Any:  # fmt: skip
    """Makes a function that computes on the parts of this process take and give DTensors.

    Args:
        func (Callable, optional): the function; without it, this is a decorator
        out_placements (sequence of Placement or tuple of such): the layout of the result, or of each of several; None for what is
            no tensor; tensors without a layout count as whole copies
        in_placements (tuple, optional): the layout that each argument must have; None for those that are no DTensors; by
            default DTensors are taken as they are
        in_grad_placements (tuple, optional): the layout of the gradient of each argument
        device_mesh (DeviceMesh, optional): the mesh; that of the DTensors by default
        redistribute_inputs (bool, default False): change the layout of arguments that have another

    Returns:
        the function. Its results are DTensors if an argument is one, and plain tensors otherwise

    Raises:
        ValueError: an argument has another layout
        AssertionError: there are more or fewer layouts than arguments or results, a DTensor has none, or a result that is no
            tensor has one

    Example:
        >>> from torch.distributed.tensor import Shard
        >>> double = torch.distributed.tensor.experimental.local_map(lambda x: 2 * x, [Shard(0)])
        >>> double(torch.ones(2))
        tensor([2., 2.])
    """
    if func is None:
        return functools.partial(
            local_map, out_placements=out_placements, in_placements=in_placements, in_grad_placements=in_grad_placements,
            device_mesh=device_mesh, redistribute_inputs=redistribute_inputs,
        )  # fmt: skip

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = pytree.tree_flatten(args)
        found = [x.device_mesh for x in leaves if isinstance(x, DTensor)]
        mesh = device_mesh if device_mesh is not None else found[0] if found else None
        for name, given in (("in_placements", in_placements), ("in_grad_placements", in_grad_placements)):
            if given is not None and len(given) != len(leaves):
                raise AssertionError(f"{_NAME}(): {name} has {len(given)} layouts for {len(leaves)} arguments")
        for k, x in enumerate(leaves):
            if isinstance(x, DTensor):
                expected = None if in_placements is None else in_placements[k]
                if in_placements is not None and expected is None:
                    raise AssertionError(f"{_NAME}(): argument {k} is a DTensor, and in_placements has no layout for it")
                if expected is not None and (tuple(expected) != x.placements or x.device_mesh != mesh):
                    if not redistribute_inputs:
                        raise ValueError(
                            f"{_NAME}(): argument {k} has the layout {x.placements} over {x.device_mesh}, expected "
                            f"{tuple(expected)} over {mesh}; redistribute_inputs=True changes it"
                        )
                    x = x.redistribute(mesh, tuple(expected))
                grad = None if in_grad_placements is None else in_grad_placements[k]
                leaves[k] = x.to_local(grad_placements=grad)
        results = func(*pytree.tree_unflatten(leaves, structure), **kwargs)
        return _as_dtensors(results, out_placements, mesh) if found else results

    return wrapped


def _as_dtensors(results: Any, placements: Any, mesh: Any) -> Any:
    leaves, structure = pytree.tree_flatten(results)
    if placements is None:
        placements = (None,) * len(leaves)
    given = [placements] if placements and isinstance(placements[0], Placement) else list(placements)
    if len(given) != len(leaves):
        raise AssertionError(f"{_NAME}(): out_placements has {len(given)} layouts for {len(leaves)} results")
    for k, (x, layout) in enumerate(zip(leaves, given)):
        if isinstance(x, torch.Tensor) and not isinstance(x, DTensor):
            leaves[k] = DTensor.from_local(x, mesh, None if layout is None else tuple(layout), run_check=False)
        elif layout is not None and not isinstance(x, torch.Tensor):
            raise AssertionError(f"{_NAME}(): result {k} is a {type(x).__name__}, and out_placements has the layout {layout}")
    return pytree.tree_unflatten(leaves, structure)
