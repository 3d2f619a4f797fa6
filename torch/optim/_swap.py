"""An optimizer that works on other parameters for a while."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:  # fmt: skip
    """Within the block, an optimizer has other parameters, state and settings than its own.

    What changes tensors of the state in place is seen in `swapin_optim_state` afterwards; other changes are forgotten.

    Args:
        optimizer (Optimizer): the optimizer, after a first step
        swapin_parameters (dict[str, Tensor]): the other parameters, in the order of the optimizer's
        swapin_optim_state (dict[str, Any]): state and settings, in the form of `optimizer.state_dict()`

    Raises:
        RuntimeError: the optimizer has no state yet, or the numbers of groups or parameters differ

    Example:
        >>> p, other = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        >>> optimizer = torch.optim.Adam([p], lr=0.5)
        >>> p.grad, other.grad = torch.zeros(1), torch.ones(1)
        >>> optimizer.step()
        >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"p": other}, optimizer.state_dict()):
        ...     optimizer.step()
        >>> p.item(), other.item() < 1
        (1.0, True)
    """
    name = "swap_in_optimizer_params_and_state"
    if not optimizer.state:
        raise RuntimeError(f"{name}: the optimizer has no state yet; step it once first")
    state, groups = swapin_optim_state.get("state"), swapin_optim_state.get("param_groups")
    if not isinstance(state, dict):
        raise RuntimeError(f"{name}: 'state' of swapin_optim_state must be a dictionary, but got {type(state).__name__}")
    if not isinstance(groups, (list, tuple)) or len(groups) != len(optimizer.param_groups):
        raise RuntimeError(f"{name}: 'param_groups' of swapin_optim_state must hold {len(optimizer.param_groups)} groups")
    tensors = list(swapin_parameters.values())
    counts = [len(group["params"]) for group in optimizer.param_groups]
    if [len(group["params"]) for group in groups] != counts:
        raise RuntimeError(f"{name}: the groups of swapin_optim_state must hold {counts} parameters, as the optimizer's do")
    if len(tensors) != sum(counts):
        raise RuntimeError(f"{name}: the optimizer has {sum(counts)} parameters, but got {len(tensors)}")
    before = optimizer.state, optimizer.param_groups
    new_state: defaultdict[Tensor, Any] = defaultdict(dict)
    new_groups, rest = [], iter(tensors)
    for group in groups:
        params = [next(rest) for _ in group["params"]]
        new_groups.append({**group, "params": params})
        for number, parameter in zip(group["params"], params):
            if number in state:
                new_state[parameter] = dict(state[number])
    optimizer.state, optimizer.param_groups = new_state, new_groups
    try:
        yield
    finally:
        optimizer.state, optimizer.param_groups = before
