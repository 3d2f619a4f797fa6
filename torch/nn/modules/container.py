"""Modules and parameters in sequences and dictionaries."""

from __future__ import annotations

import operator
from collections import OrderedDict
from itertools import islice

import torch
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

TYPE_CHECKING = False  # a type checker takes it for true
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
    from typing import Any, overload

    from typing_extensions import Self

    from torch import Tensor


def _position(index: Any, length: int, what: str) -> int:
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length if length else index


class _Indexed(Module):
    """Children named by their position."""

    def _key(self, index: Any) -> Any:
        return next(islice(self._modules, _position(index, len(self), "module"), None))

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Module: ...

        @overload
        def __getitem__(self, index: slice) -> Self: ...

        def _cut(self, items: Any) -> Self: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._cut(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for name in names:
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def _renumber(self, modules: Any) -> None:
        self.__dict__["_modules"] = {str(k): module for k, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Module) -> Self:
        """Adds a module at the end.

        Args:
            module (Module): the module

        Returns:
            the container

        Example:
            >>> nn.ModuleList().append(nn.ReLU())
            ModuleList(
              (0): ReLU()
            )
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end.

        Args:
            modules (Iterable[Module]): the modules

        Returns:
            the container

        Example:
            >>> len(nn.ModuleList().extend([nn.ReLU(), nn.Tanh()]))
            2
        """
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Takes a module out; those behind it move up.

        Args:
            key (int or slice): its position

        Returns:
            the module

        Raises:
            IndexError: there is none

        Example:
            >>> nn.ModuleList([nn.ReLU(), nn.Tanh()]).pop(0)
            ReLU()
        """
        module = self[key]
        del self[key]
        return module


class Sequential(_Indexed):
    """Modules one after the other, each on the output of the one before.

    It can be indexed, sliced, added and multiplied like a list.

    Args:
        *args (Any): modules, or one OrderedDict of them by name

    Shape:
        what the first takes to what the last gives

    Example:
        >>> nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else (
            (str(k), module) for k, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _cut(self, items: Any) -> Self:
        return type(self)(OrderedDict(items))

    def forward(self, input: Any) -> Any:
        """The output of the last module.

        Args:
            input (Any): what the first module takes

        Returns:
            what the last module gives

        Example:
            >>> nn.Sequential(nn.ReLU(), nn.Flatten(0))(torch.ones(2, 2)).shape
            torch.Size([4])
        """
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index: int, module: Module) -> Self:
        """Puts a module at a position; those from there on move down.

        Args:
            index (int): a position; negative numbers count from the end
            module (Module): the module

        Returns:
            the container

        Raises:
            AssertionError: `module` is no Module
            IndexError: the position is out of range

        Example:
            >>> nn.Sequential(nn.Tanh()).insert(0, nn.ReLU())[0]
            ReLU()
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index + length if index < 0 else index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Adds the modules of another container at the end.

        Args:
            sequential (Iterable[Module]): the modules

        Returns:
            the container

        Example:
            >>> len(nn.Sequential(nn.ReLU()).extend(nn.Sequential(nn.Tanh())))
            2
        """
        for module in list(sequential):
            self.append(module)
        return self

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is "
                             "given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is "
                             "given.")
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(module for _ in range(times) for module in self))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        modules = list((self * times)._modules.values())
        self._renumber(modules)
        return self


class ModuleList(_Indexed):
    """A list of modules. It has no forward: the module that owns it says what they do.

    Args:
        modules (Iterable[Module] or None): the first entries

    Example:
        >>> layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
        >>> len(layers), layers[-1]
        (3, Linear(in_features=2, out_features=2, bias=True))
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _cut(self, items: Any) -> Self:
        return type(self)(module for _, module in items)

    def insert(self, index: int, module: Module) -> None:
        """Puts a module at a position; those from there on move down.

        Args:
            index (int): a position; negative numbers count from the end
            module (Module): the module

        Example:
            >>> layers = nn.ModuleList([nn.Tanh()])
            >>> layers.insert(0, nn.ReLU())
            >>> layers[0]
            ReLU()
        """
        modules = list(self._modules.values())
        modules.insert(index, module)
        for k, kept in enumerate(modules):
            self.add_module(str(k), kept)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end.

        Args:
            modules (Iterable[Module]): the modules

        Returns:
            the list

        Raises:
            TypeError: `modules` cannot be iterated over

        Example:
            >>> len(nn.ModuleList().extend([nn.ReLU(), nn.Tanh()]))
            2
        """
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got " + type(modules).__name__
            )
        return super().extend(modules)

    def __iadd__(self, modules: Any) -> Self:
        return self.extend(modules)

    def __add__(self, other: Any) -> Any:
        joined = ModuleList()
        for k, module in enumerate([*self, *other]):
            joined.add_module(str(k), module)
        return joined

    def __repr__(self) -> str:
        if not len(self):
            return self._get_name() + "()"
        runs = []  # equal neighbours share a line
        for k, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = k
            else:
                runs.append([k, k, text])
        lines = []
        for first, last, text in runs:
            head = f"({first}): " if first == last else f"({first}-{last}): {last - first + 1} x "
            lines.append("  " + (head + text).replace("\n", "\n  "))
        return self._get_name() + "(\n" + "\n".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules, in order of insertion.

    Args:
        modules (Mapping[str, Module] or Iterable[tuple[str, Module]] or None): a mapping, or pairs

    Example:
        >>> heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": nn.Linear(2, 3)})
        >>> heads["b"](torch.ones(2)).shape
        torch.Size([3])
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes all modules out.

        Example:
            >>> heads = nn.ModuleDict({"a": nn.ReLU()})
            >>> heads.clear()
            >>> len(heads)
            0
        """
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Takes a module out.

        Args:
            key (str): the name

        Returns:
            the module

        Raises:
            KeyError: there is none of that name

        Example:
            >>> nn.ModuleDict({"a": nn.ReLU()}).pop("a")
            ReLU()
        """
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """The names, in order.

        Returns:
            a view

        Example:
            >>> list(nn.ModuleDict({"a": nn.ReLU()}).keys())
            ['a']
        """
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        """The pairs of name and module, in order.

        Returns:
            a view

        Example:
            >>> list(nn.ModuleDict({"a": nn.ReLU()}).items())
            [('a', ReLU())]
        """
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        """The modules, in order.

        Returns:
            a view

        Example:
            >>> list(nn.ModuleDict({"a": nn.ReLU()}).values())
            [ReLU()]
        """
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules, replacing those of the same name.

        Args:
            modules (Mapping[str, Module] or Iterable[tuple[str, Module]]): a mapping, or pairs

        Raises:
            TypeError: it is neither
            ValueError: an entry is no pair

        Example:
            >>> heads = nn.ModuleDict({"a": nn.ReLU()})
            >>> heads.update([("b", nn.Tanh())])
            >>> list(heads)
            ['a', 'b']
        """
        if not hasattr(modules, "__iter__"):
            raise TypeError("ModuleDict.update should be called with an iterable of key/value pairs, but got "
                            + type(modules).__name__)
        if hasattr(modules, "items"):
            modules = modules.items()
        for k, pair in enumerate(modules):
            if not hasattr(pair, "__iter__"):
                raise TypeError(f"ModuleDict update sequence element #{k} should be Iterable; is "
                                f"{type(pair).__name__}")
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ModuleDict update sequence element #{k} has length {len(pair)}; 2 is "
                                 "required")
            self[pair[0]] = pair[1]


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
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got " + type(values).__name__
            )
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
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string "
                            "(type is "
                            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")
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
        """Adds values, replacing those of the same name; plain tensors become parameters. A plain dict is taken in order of
        its names.

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
            raise TypeError("ParametersDict.update should be called with an iterable of key/value pairs, "
                            "but got "
                            + type(parameters).__name__)
        if hasattr(parameters, "items"):
            plain = isinstance(parameters, dict) and not isinstance(parameters, OrderedDict)
            parameters = sorted(parameters.items()) if plain else parameters.items()
        for k, pair in enumerate(parameters):
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ParameterDict update sequence element #{k} has length {len(pair)}; 2 is "
                                 "required")
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


__all__ = ["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]
