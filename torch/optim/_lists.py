"""What the rules of optimizers for lists of tensors share: their numbers, and steps of several parameters in one call.

Numbers of steps are a vector in float64, with one number for each parameter: on the CPU, or on the device where the counters
are there, so that nothing waits and a captured step counts on. `spread` gives what the operators on lists take.
"""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

    Tensors = list[Tensor]
    Numbers = list[float] | list[Tensor]


def uses_lists(parameter: Tensor, group: dict[str, Any]) -> bool:
    """Whether the parameters of a group change together: on a GPU, where a launch costs more than its work."""
    return parameter.is_cuda and not group.get("differentiable")


def check_capture(optimizer: Any, group: dict[str, Any]) -> None:
    """Refuse to capture a step whose counters are on the CPU: a replay would not count."""
    if not group.get("capturable") and torch.cuda.is_current_stream_capturing():
        raise RuntimeError(
            f"{type(optimizer).__name__}.step() is being captured for a CUDA graph, but one of its groups has "
            "capturable=False: pass capturable=True"
        )


def vector(numbers: Tensors, name: str, group: dict[str, Any], device: Any) -> Tensor:
    """0-dimensional tensors of the state as one vector in float64."""
    if group.get("capturable") and numbers[0].device != device:
        raise AssertionError(
            f"capturable=True: state['{name}'] must be on the parameter's device {device}, but it is on {numbers[0].device}"
        )
    return torch.stack(numbers).double()


def counted(steps: Tensors, group: dict[str, Any], device: Any) -> Tensor:
    """The numbers of a step that begins."""
    torch._foreach_add_(steps, 1)
    return vector(steps, "step", group, device)


def rate(group: dict[str, Any]) -> Any:
    """The learning rate: a number; a tensor only where the step must not wait for it."""
    lr = group["lr"]
    return lr if isinstance(lr, torch.Tensor) and group.get("capturable") else float(lr)


def spread(numbers: Any, like: Tensor) -> Numbers:
    """A vector as a list: of Python's numbers from the CPU, else of 0-dimensional tensors."""
    if numbers.is_cpu:
        return numbers.tolist()
    return list(numbers.to(like.dtype if like.dtype is torch.float64 else torch.float32).unbind())


def decay(params: Tensors, grads: Tensors, group: dict[str, Any]) -> Tensors:
    """Gradients with weight decay added, or parameters shrunk where it is decoupled."""
    amount = group["weight_decay"]
    if amount == 0:
        return grads
    if group.get("decoupled_weight_decay"):
        torch._foreach_mul_(params, 1 - rate(group) * amount)
        return grads
    return list(torch._foreach_add(grads, params, alpha=amount))


def add_scaled(params: Tensors, moves: Tensors, sizes: Any) -> None:
    """`params += sizes * moves`, with a number, a tensor, or one of either for each."""
    if isinstance(sizes, (int, float)):
        torch._foreach_add_(params, moves, alpha=sizes)
    else:
        torch._foreach_add_(params, torch._foreach_mul(moves, sizes))


def add_quotients(params: Tensors, tops: Tensors, bottoms: Tensors, sizes: Any) -> None:
    """`params += sizes * tops / bottoms`."""
    of_host = not isinstance(sizes[0] if isinstance(sizes, list) else sizes, torch.Tensor)
    if of_host:
        torch._foreach_addcdiv_(params, tops, bottoms, sizes)
    else:
        add_scaled(params, torch._foreach_div(tops, bottoms), sizes)


def by_device(*lists: Tensors) -> list[tuple[Tensors, ...]]:
    """The lists, parameters first, once for each device that has some: a fused step works on one device."""
    numbers: dict[Any, list[int]] = {}
    for number, parameter in enumerate(lists[0]):
        numbers.setdefault(parameter.device, []).append(number)
    if len(numbers) == 1:
        return [lists]
    return [tuple([items[k] for k in own] if items else [] for items in lists) for own in numbers.values()]


def amp_scaling(optimizer: Any) -> tuple[Tensor | None, Tensor | None]:
    """The scale, and whether gradients are infinite, that a scaler gives for a fused step: see GradScaler.step."""
    return getattr(optimizer, "grad_scale", None), getattr(optimizer, "found_inf", None)


def take_back(steps: Tensors, found_inf: Tensor | None) -> None:
    """A step that a scaler has found infinite gradients for was none: its counters go back."""
    if found_inf is not None:
        torch._foreach_sub_(steps, [found_inf.to(step.device, non_blocking=True) for step in steps])


def reals(tensors: Tensors) -> Tensors:
    return [torch.view_as_real(tensor) if tensor.is_complex() else tensor for tensor in tensors]


def state_lists(states: list[dict[str, Any]]) -> dict[str, Tensors]:
    """The tensors of each name, complex ones as pairs of real numbers."""
    return {name: reals([state[name] for state in states]) for name in states[0]}


def step_lists(optimizer: Any, batch: list[tuple[Tensor, Tensor, dict[str, Any]]], group: dict[str, Any]) -> None:
    """Steps of a class with `_update_lists`, for each device and dtype in one call, or one by one if `foreach` is False."""
    kinds: dict[Any, list[tuple[Tensor, Tensor, dict[str, Any]]]] = {}
    for item in batch:
        key = len(kinds) if group.get("foreach") is False else (item[0].device, item[0].dtype, item[1].dtype)
        kinds.setdefault(key, []).append(item)
    for items in kinds.values():
        grads = [gradient for _, gradient, _ in items]
        grads = list(torch._foreach_neg(grads)) if group.get("maximize") else grads
        params = [parameter for parameter, _, _ in items]
        names = {tuple(state) for _, _, state in items}
        if len(names) == 1:
            optimizer._update_lists(reals(params), reals(grads), state_lists([state for _, _, state in items]), group)
            continue
        for parameter, gradient, (_, _, state) in zip(params, grads, items):  # states of other settings, loaded
            optimizer._update_lists(reals([parameter]), reals([gradient]), state_lists([state]), group)
