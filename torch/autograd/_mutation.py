"""allow_mutation_on_saved_tensors: saved tensors are copied when they are about to be changed in place."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

_current: _SavedTensors | None = None


class _Saved:
    """What backward gets back: the tensor, or the copy that was made before the tensor was changed."""

    def __init__(self, tensor: torch.Tensor) -> None:
        with _disable_current_modes():
            self.tensor, self.copy = tensor.detach(), None

    def value(self) -> torch.Tensor:
        return self.tensor if self.copy is None else self.copy


class _SavedTensors:
    """The saved tensors of one block, by the storage that they are in."""

    def __init__(self) -> None:
        self.by_storage: dict[int, weakref.WeakSet[_Saved]] = {}
        self.is_open = True

    def pack(self, tensor: torch.Tensor) -> _Saved:
        saved = _Saved(tensor)
        self.by_storage.setdefault(tensor.untyped_storage()._cdata, weakref.WeakSet()).add(saved)
        return saved

    def unpack(self, saved: _Saved) -> torch.Tensor:
        if not self.is_open:
            raise AssertionError(
                "allow_mutation_on_saved_tensors: backward runs outside of the block in which the graph was recorded; "
                "run it inside"
            )
        return saved.value()

    def before_change(self, tensor: torch.Tensor) -> None:
        """Copy what shares memory with a tensor."""
        for saved in self.by_storage.pop(tensor.untyped_storage()._cdata, ()):
            if saved.copy is None:
                saved.copy = saved.tensor.clone()

    def clear(self) -> None:
        """Forget everything: later backwards are refused."""
        self.by_storage.clear()
        self.is_open = False


class _CopyOnChange(TorchDispatchMode):
    """Sees the operators that change arguments."""

    def __init__(self, saved: _SavedTensors) -> None:
        super().__init__()
        self.saved = saved

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        schema = func._schema
        if schema.is_mutable:
            from torch._library.utils import mutated_arguments

            for tensor in mutated_arguments(schema, args, kwargs):
                self.saved.before_change(tensor)
        return func(*args, **kwargs)


@contextlib.contextmanager
def allow_mutation() -> Iterator[Any]:
    """The block."""
    global _current
    if _current is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors: blocks cannot be nested")
    _current = saved = _SavedTensors()
    try:
        with saved_tensors_hooks(saved.pack, saved.unpack), _CopyOnChange(saved):
            yield saved
    finally:
        saved.clear()
        _current = None
