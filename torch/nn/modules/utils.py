"""Sizes as tuples, under the names that packages import."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple of a sequence, and repeats a number `n` times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = parse.__qualname__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(count, name) for count, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def _reverse_repeat_tuple(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """The items in reverse order, each `n` times: sizes of padding as `pad` takes them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: list[int], defaults: list[int]) -> list[int]:
    """Sizes of a result, with those of the input where they are None."""
    if isinstance(out_size, (int, Iterable)) and not isinstance(out_size, (list, tuple)):
        return out_size  # type: ignore[return-value]
    if len(defaults) <= len(out_size):
        raise ValueError(f"the input must have more than {len(out_size)} dimensions, but it has {len(defaults)}")
    return [v if v is not None else d for v, d in zip(out_size, defaults[-len(out_size) :])]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Takes a prefix, as DataParallel adds one, from the names of a state dictionary, in place.

    Args:
        state_dict (dict[str, Any]): the dictionary
        prefix (str): what names may begin with

    Example:
        >>> from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present
        >>> state = nn.DataParallel(nn.Linear(1, 1)).state_dict()
        >>> consume_prefix_in_state_dict_if_present(state, "module.")
        >>> list(state)
        ['weight', 'bias']
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for key in list(metadata):
        if key == prefix.rstrip("."):
            metadata[""] = metadata.pop(key)  # of the module itself
        elif key and key.startswith(prefix):
            metadata[key[len(prefix) :]] = metadata.pop(key)
