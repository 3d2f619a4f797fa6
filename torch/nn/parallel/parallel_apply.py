"""Calls of several modules, each with its own arguments."""

from __future__ import annotations

import threading

import torch
from torch.nn.parallel._devices import checked

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
    from torch.nn import Module

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: Any) -> Tensor | None:
    """The first tensor inside of tuples, lists and dictionaries.

    Args:
        obj (Any): where to look

    Returns:
        the tensor, or None

    Example:
        >>> from torch.nn.parallel.parallel_apply import get_a_var
        >>> get_a_var({"a": [1, torch.ones(1)]})
        tensor([1.])
    """
    if isinstance(obj, torch.Tensor):
        return obj
    if isinstance(obj, dict):
        obj = list(obj.values())
    if isinstance(obj, (list, tuple)):
        return next((found for found in map(get_a_var, obj) if found is not None), None)
    return None


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:  # fmt: skip
    """Calls every module with its own arguments: on GPUs in threads, on a CPU one after the other, each on all cores.

    Args:
        modules (Sequence[Module]): the modules
        inputs (Sequence[Any]): for each of them a tuple of arguments, or a single argument
        kwargs_tup (Sequence[dict[str, Any]] or None): for each of them keyword arguments
        devices (Sequence[Any] or None): for each of them a device

    Returns:
        the results

    Raises:
        AssertionError: the numbers of items differ
        RuntimeError: a device is not available
        Exception: what the first module that failed has raised, with a note that names it

    Example:
        >>> torch.nn.parallel.parallel_apply([nn.ReLU(), nn.Identity()], [torch.tensor([-1.]), torch.tensor([-1.])])
        [tensor([0.]), tensor([-1.])]
    """
    named = [{} for _ in modules] if kwargs_tup is None else kwargs_tup
    for what, items in (("inputs", inputs), ("kwargs_tup", named), ("devices", devices)):
        if items is not None and len(items) != len(modules):
            raise AssertionError(f"parallel_apply: there are {len(modules)} modules, but {len(items)} {what}")
    arguments = [tuple(given) if isinstance(given, (list, tuple)) else (given,) for given in inputs]
    places = [_place(device, given) for device, given in zip(devices or [None] * len(modules), arguments)]
    if len(modules) > 1 and all(place is not None and place.type == "cuda" for place in places):
        return _in_threads(modules, arguments, named, places)
    return [module(*given, **keywords) for module, given, keywords in zip(modules, arguments, named)]


def _place(device: Any, given: Any) -> torch.device | None:
    """The device of a call: the given one, or that of its first tensor."""
    if device is not None:
        return checked("parallel_apply", [device])[0]
    tensor = get_a_var(given)
    return None if tensor is None else tensor.device


def _in_threads(modules: Any, arguments: Any, named: Any, places: Any) -> list[Any]:
    """Threads have the caller's grad mode, autocast and streams."""
    results: list[Any] = [None] * len(modules)
    errors: list[BaseException | None] = [None] * len(modules)
    records, lowers, lower = torch.is_grad_enabled(), torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")
    streams = [torch.cuda.current_stream(place) for place in places]

    def call(k: int) -> None:
        try:
            with (
                torch.set_grad_enabled(records), torch.cuda.device(places[k]), torch.cuda.stream(streams[k]),
                torch.autocast("cuda", dtype=lower, enabled=lowers),
            ):  # fmt: skip
                results[k] = modules[k](*arguments[k], **named[k])
        except BaseException as error:  # the caller's thread raises it
            errors[k] = error

    threads = [threading.Thread(target=call, args=(k,)) for k in range(len(modules))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, error in enumerate(errors):
        if error is not None:
            if hasattr(error, "add_note"):
                error.add_note(f"parallel_apply: raised by the module {k}, on {places[k]}")
            raise error
    return results
