"""Parameters in lists and dictionaries."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch.nn.modules.container import _position
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, KeysView
    from typing import Any

    from typing_extensions import Self

    from torch import Tensor


def _described(value: Any, short: bool) -> str:
    """A line about an entry of a parameter container."""
    if isinstance(value, torch.Tensor):
        kind = value.dtype if short else torch.typename(value)
        where = "" if value.device.type == "cpu" else f" (GPU {value.get_device()})"
        size = "x".join(map(str, value.size()))
        name = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{name} containing: [{kind} of size {size}{where}]"
    return f"Object of type: {type(value).__name__}"


class ParameterList(Module):
    """A list whose tensors are parameters; other values are kept as they are.

    Args:
        values (Iterable[Any] or None): the first entries; plain tensors become parameters

    Example:
        >>> weights = nn.ParameterList([torch.ones(2), torch.zeros(3)])
        >>> len(list(weights.parameters()))
        2
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            chosen = type(self)()
            for k in range(*index.indices(len(self))):
                chosen.append(self[k])
            return chosen
        return getattr(self, str(_position(index, len(self), "parameter")))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(_position(index, len(self), "parameter")), value)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[k] for k in range(len(self)))

    def __iadd__(self, values: Any) -> Self:
        return self.extend(values)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Any) -> Self:
        """Adds a value at the end; a plain tensor becomes a parameter.

        Args:
            value (Any): the value

        Returns:
            the list

        Example:
            >>> type(nn.ParameterList().append(torch.ones(2))[0]).__name__
            'Parameter'
        """
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Adds values at the end; plain tensors become parameters.

        Args:
            values (Iterable[Any]): the values

        Returns:
            the list

        Raises:
            TypeError: `values` cannot be iterated over, or is a tensor

        Example:
            >>> len(nn.ParameterList().extend([torch.ones(2), torch.ones(3)]))
            2
        """
        if not hasattr(values, "__iter__") or isinstance(values, torch.Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got " + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({k}): {_described(value, True)}" for k, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary whose tensors are parameters; other values are kept as they are.

    Args:
        parameters (Any): a mapping, or pairs; plain tensors become parameters

    Example:
        >>> scales = nn.ParameterDict({"a": torch.ones(2)})
        >>> [name for name, _ in scales.named_parameters()]
        ['a']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._attribute(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, self._attribute(key), value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._attribute(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another dictionary of the same parameters.

        Returns:
            the dictionary

        Example:
            >>> scales = nn.ParameterDict({"a": torch.ones(2)})
            >>> scales.copy()["a"] is scales["a"]
            True
        """
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a name, which becomes `default` where there is none.

        Args:
            key (str): the name
            default (Any): what is put there

        Returns:
            the value

        Example:
            >>> nn.ParameterDict().setdefault("a", 3)
            3
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Takes all values out.

        Example:
            >>> scales = nn.ParameterDict({"a": torch.ones(2)})
            >>> scales.clear()
            >>> len(scales)
            0
        """
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Takes a value out.

        Args:
            key (str): the name

        Returns:
            the value

        Raises:
            AttributeError: there is none of that name

        Example:
            >>> nn.ParameterDict({"a": 3}).pop("a")
            3
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Takes the last pair out.

        Returns:
            (name, value)

        Raises:
            StopIteration: there is none

        Example:
            >>> nn.ParameterDict({"a": 3, "b": 4}).popitem()
            ('b', 4)
        """
        key = next(reversed(list(self._keys)))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or `default` where there is none.

        Args:
            key (str): the name
            default (Any): the answer for a name that is not there

        Returns:
            the value

        Example:
            >>> nn.ParameterDict().get("a", 3)
            3
        """
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dictionary of given names, all with one value.

        Args:
            keys (Iterable[str]): the names
            default (Any): the value

        Returns:
            the dictionary

        Example:
            >>> list(nn.ParameterDict().fromkeys(["a", "b"], 3).items())
            [('a', 3), ('b', 3)]
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """The names, in order.

        Returns:
            a view

        Example:
            >>> list(nn.ParameterDict({"a": 3}).keys())
            ['a']
        """
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """The pairs of name and value, in order.

        Returns:
            an iterator

        Example:
            >>> list(nn.ParameterDict({"a": 3}).items())
            [('a', 3)]
        """
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The values, in order.

        Returns:
            an iterator

        Example:
            >>> list(nn.ParameterDict({"a": 3}).values())
            [3]
        """
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds values, replacing those of the same name; plain tensors become parameters.

        A plain dict is taken in order of its names.

        Args:
            parameters (Any): a mapping, or pairs

        Raises:
            TypeError: it is neither
            ValueError: an entry is no pair

        Example:
            >>> scales = nn.ParameterDict()
            >>> scales.update({"b": 1, "a": 2})
            >>> list(scales)
            ['a', 'b']
        """
        if not hasattr(parameters, "__iter__"):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got " + type(parameters).__name__
            )
        if hasattr(parameters, "items"):
            plain = isinstance(parameters, dict) and not isinstance(parameters, OrderedDict)
            parameters = sorted(parameters.items()) if plain else parameters.items()
        for k, pair in enumerate(parameters):
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ParameterDict update sequence element #{k} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_described(value, False)}" for key, value in self.items())

    def __call__(self, input: Tensor) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: Any) -> ParameterDict:
        joined = ParameterDict(other) if not isinstance(other, ParameterDict) else other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self


__all__ = ["ParameterList", "ParameterDict"]
