"""Lists and dicts that cannot be changed in place, which the arguments of a node are made of.

A graph keeps, for each node, who uses it. Changing an argument in place would bypass that record.
"""

from __future__ import annotations

from typing import Any, NoReturn

_ADVICE = "its contents are part of a graph; assign a changed copy to node.args or node.kwargs instead"


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"'{type(self).__name__}' object does not support mutation: {_ADVICE}")


class immutable_list(list):
    """A list that cannot be changed; `list(x)` makes a copy that can.

    Example:
        >>> torch.fx.immutable_collections.immutable_list([1, 2]).append(3)
        Traceback (most recent call last):
        TypeError: ...
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (list(self),)


class immutable_dict(dict):
    """A dict that cannot be changed; `dict(x)` makes a copy that can.

    Example:
        >>> torch.fx.immutable_collections.immutable_dict(a=1).update(b=2)
        Traceback (most recent call last):
        TypeError: ...
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (dict(self),)


for _method in ("append extend insert pop remove clear reverse sort __setitem__ __delitem__ __iadd__ __imul__").split():
    setattr(immutable_list, _method, _refuse)
for _method in ("clear pop popitem setdefault update __setitem__ __delitem__ __ior__").split():
    setattr(immutable_dict, _method, _refuse)


def _register() -> None:
    """Make both known to torch.utils._pytree, as list and dict are."""
    from torch.utils._pytree import register_pytree_node

    register_pytree_node(
        immutable_list,
        lambda items: (list(items), None),
        lambda items, context: immutable_list(items),
        serialized_type_name="torch.fx.immutable_collections.immutable_list",
    )
    register_pytree_node(
        immutable_dict,
        lambda items: (list(items.values()), list(items)),
        lambda values, keys: immutable_dict(zip(keys, values)),
        serialized_type_name="torch.fx.immutable_collections.immutable_dict",
    )


_register()
