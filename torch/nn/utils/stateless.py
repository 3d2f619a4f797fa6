"""A call of a module with other tensors in the place of its parameters and buffers."""

from __future__ import annotations

import contextlib
import warnings

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from torch import Tensor
    from torch.nn import Module

__all__ = ["functional_call"]


def _tied_names(module: Module) -> dict[str, set[str]]:
    """All names of every tensor that has several, by each of its names."""
    names: dict[int, list[str]] = {}
    for named in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, tensor in named:
            names.setdefault(id(tensor), []).append(name)
    return {name: set(group) for group in names.values() if len(group) > 1 for name in group}


def _untie_named_tensors_map(module: Module, parameters_and_buffers: dict[str, Tensor]) -> dict[str, Tensor]:
    """The dictionary with each tensor under all names that the module has for it."""
    tied = _tied_names(module)
    given_items = list(parameters_and_buffers.items())
    result = dict(given_items)
    for name, tensor in given_items:
        for other in tied.get(name, ()):
            given = parameters_and_buffers.get(other, tensor)
            if given is not tensor:
                raise ValueError(
                    f"functional_call: {sorted(tied[name])} are one tensor of the module, but got different tensors for them; "
                    "use tie_weights=False to replace them one by one"
                )
            result[other] = tensor
    return result


_ABSENT = object()


class _Swap:
    """Puts a tensor in the place of one of a module's, and back. A name that the module lacks becomes an attribute."""

    def __init__(self, module: Module, path: str) -> None:
        prefix, _, self.name = path.rpartition(".")
        self.path = path
        self.owner: Any = module.get_submodule(prefix)
        spaces = self.owner._parameters, self.owner._buffers
        self.space: Any = next((space for space in spaces if self.name in space), None)

    def put(self, tensor: Any) -> Any:
        if tensor is not None and tensor is not _ABSENT and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"functional_call: expected a tensor for '{self.path}', but got {type(tensor).__name__}")
        if self.space is None:
            return self._put_attribute(tensor)
        before = self.space[self.name]
        self.space[self.name] = tensor
        return before

    def _put_attribute(self, tensor: Any) -> Any:
        before = getattr(self.owner, self.name, _ABSENT)
        if before is not _ABSENT and not isinstance(before, torch.Tensor):
            raise TypeError(f"functional_call: '{self.path}' of the module is no tensor")
        if tensor is _ABSENT:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, tensor)
        return before


@contextlib.contextmanager
def _reparametrize_module(
    module: Module, parameters_and_buffers: dict[str, Tensor], tie_weights: bool = False, strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:  # fmt: skip
    """Within the block, the module has the tensors given. The dictionary receives those that its forward assigned."""
    tensors = _untie_named_tensors_map(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    if strict:
        _check_names(module, tensors)
    swaps: list[tuple[str, _Swap, Any]] = []
    try:
        order = list(tensors.items())
        for path, tensor in order:
            swap = _Swap(module, path)
            swaps.append((path, swap, swap.put(tensor)))
        yield
    finally:
        ordered = swaps if stack_weights else reversed(swaps)
        for path, swap, before in ordered:
            after = swap.put(before)
            if path in parameters_and_buffers:
                parameters_and_buffers[path] = after


def _check_names(module: Module, tensors: dict[str, Tensor]) -> None:
    own = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    own |= {name for name, _ in module.named_buffers(remove_duplicate=False)}
    unexpected, missing = [name for name in tensors if name not in own], [name for name in own if name not in tensors]
    if unexpected or missing:
        text = f"functional_call: the tensors do not fit {type(module).__name__} (strict=True)."
        text += f"\n\tUnexpected key(s): {', '.join(map(repr, unexpected))}." if unexpected else ""
        text += f"\n\tMissing key(s): {', '.join(map(repr, sorted(missing)))}." if missing else ""
        raise RuntimeError(text)


def functional_call(
    module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: dict[str, Any] | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Calls a module with other tensors in the place of its own; `torch.func.functional_call` is its new name.

    Args:
        module (Module): the module; it stays as it is
        parameters_and_buffers (dict[str, Tensor]): tensors by dotted name; those that it lacks are the module's own
        args (Any): arguments of the call; a tuple holds several
        kwargs (dict[str, Any] or None): keyword arguments of the call
        tie_weights (bool, default True): replace a tensor that the module has under several names under all of them
        strict (bool, default False): require the names to be exactly the module's

    Returns:
        what the module returns

    Raises:
        RuntimeError: with `strict`, names are missing or unexpected
        ValueError: with `tie_weights`, two names of one tensor are given different tensors

    Example:
        >>> from torch.nn.utils.stateless import functional_call
        >>> functional_call(nn.Linear(2, 1), {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(2))
        tensor([2.])
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is the old name of `torch.func.functional_call`", FutureWarning, stacklevel=2
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _functional_call(
    module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: dict[str, Any] | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*positional, **(kwargs or {}))
