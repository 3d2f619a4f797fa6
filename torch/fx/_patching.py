"""Names of modules and classes that are replaced while a function is recorded."""

from __future__ import annotations

import builtins
import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from torch.fx._wrap import _wrapped_fns_to_patch, _wrapped_methods_to_patch
from torch.fx.proxy import Proxy

_ABSENT = object()


class _Patcher:
    """Replaces entries of dicts and attributes of classes, and restores them."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []
        self.redo: list[Callable[[], None]] = []
        self.patched: set[tuple[int, str]] = set()
        self.visited: set[int] = set()

    def patch(self, frame_dict: dict[str, Any], name: str, new_fn: Callable[..., Any], deduplicate: bool = True) -> None:
        """Replace an entry of a dict, such as the globals of a module."""
        old = frame_dict.get(name, _ABSENT)
        if self._is_new(frame_dict, name, new_fn, deduplicate):
            restore = (
                functools.partial(frame_dict.pop, name, None)
                if old is _ABSENT
                else functools.partial(frame_dict.update, {name: old})
            )
            self._do(functools.partial(frame_dict.update, {name: new_fn}), restore)

    def patch_method(self, cls: type, name: str, new_fn: Callable[..., Any], deduplicate: bool = True) -> None:
        """Replace an attribute of a class."""
        old = vars(cls).get(name, _ABSENT)
        if self._is_new(cls, name, new_fn, deduplicate):
            restore = functools.partial(delattr, cls, name) if old is _ABSENT else functools.partial(setattr, cls, name, old)
            self._do(functools.partial(setattr, cls, name, new_fn), restore)

    def _is_new(self, place: Any, name: str, new_fn: Callable[..., Any], deduplicate: bool) -> bool:
        new_fn.__fx_already_patched = deduplicate  # type: ignore[attr-defined]
        key = id(place), name
        if deduplicate and key in self.patched:
            return False
        self.patched.add(key)
        return True

    def _do(self, apply: Callable[[], Any], restore: Callable[[], Any]) -> None:
        self.undo.append(restore)
        self.redo.append(apply)
        apply()

    def visit_once(self, thing: object) -> bool:
        """Whether this is the first visit of an object."""
        first = id(thing) not in self.visited
        self.visited.add(id(thing))
        return first

    def revert_all_patches(self) -> list[Callable[[], None]]:
        """Restore everything; `reapply_all_patches` replaces it again."""
        for restore in reversed(self.undo):
            restore()
        return self.redo

    def reapply_all_patches(self) -> list[Callable[[], None]]:
        """Replace again what `revert_all_patches` restored."""
        for apply in self.redo:
            apply()
        return self.redo

    def __enter__(self) -> _Patcher:
        return self

    def __exit__(self, *problem: object) -> None:
        self.revert_all_patches()
        self.undo.clear()
        self.redo.clear()
        self.patched.clear()


CURRENT_PATCHER: _Patcher | None = None


@contextlib.contextmanager
def _new_patcher() -> Iterator[_Patcher]:
    global CURRENT_PATCHER
    before = CURRENT_PATCHER
    with _Patcher() as patcher:
        CURRENT_PATCHER = patcher
        try:
            yield patcher
        finally:
            CURRENT_PATCHER = before


@contextlib.contextmanager
def _maybe_revert_all_patches() -> Iterator[None]:
    """A block without the replacements, if a function is being recorded."""
    patcher = CURRENT_PATCHER
    if patcher is None:
        yield
        return
    patcher.revert_all_patches()
    try:
        yield
    finally:
        patcher.reapply_all_patches()


def _find_proxy(*objects_to_search: object) -> Proxy | None:
    """The first proxy in nested containers."""
    from torch.fx.node import map_aggregate

    found: list[Proxy] = []
    map_aggregate(objects_to_search, lambda a: found.append(a) if isinstance(a, Proxy) else None)
    return found[0] if found else None


def _create_wrapped_func(orig_fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function, but calls with a recorded value among the arguments are recorded."""

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls: type, name: str) -> Callable[..., Any]:
    orig_fn = getattr(cls, name)

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def _autowrap_check(patcher: _Patcher, frame_dict: dict[str, Any], function_ids: set[int]) -> None:
    """Replace the functions of a module that are recorded as calls without being marked."""
    if not patcher.visit_once(frame_dict):
        return
    for name, value in list(frame_dict.items()):
        if not name.startswith("_") and callable(value) and id(value) in function_ids:
            patcher.patch(frame_dict, name, _create_wrapped_func(value))


def _patch_wrapped_functions(patcher: _Patcher) -> None:
    """Replace the functions that `torch.fx.wrap` marked."""
    for (_, name), frame_dict in list(_wrapped_fns_to_patch.items()):
        found = frame_dict.get(name, getattr(builtins, name, None))
        if found is not None:
            patcher.patch(frame_dict, name, _create_wrapped_func(found))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))
