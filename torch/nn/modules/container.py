"""Modules and parameters in sequences and dictionaries."""

from __future__ import annotations

import operator
from collections import OrderedDict
from itertools import islice

from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
    from typing import Any, overload

    from typing_extensions import Self


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
        *args (Module): modules, or one OrderedDict of them by name

    Shape:
        what the first takes to what the last gives

    Example:
        >>> nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """

    if TYPE_CHECKING:

        @overload
        def __init__(self, *args: Module) -> None: ...

        @overload
        def __init__(self, arg: OrderedDict[str, Module], /) -> None: ...

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = (
            args[0].items()
            if len(args) == 1 and isinstance(args[0], OrderedDict)
            else ((str(k), module) for k, module in enumerate(args))
        )
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
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
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
            raise TypeError("ModuleList.extend should be called with an iterable, but got " + type(modules).__name__)
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

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

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
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got " + type(modules).__name__
            )
        if hasattr(modules, "items"):
            modules = modules.items()
        for k, pair in enumerate(modules):
            if not hasattr(pair, "__iter__"):
                raise TypeError(f"ModuleDict update sequence element #{k} should be Iterable; is {type(pair).__name__}")
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ModuleDict update sequence element #{k} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]


class Container(Module):
    """A module of named children, without a forward; the base Module has taken its place.

    Args:
        **kwargs (Any): the children

    Example:
        >>> nn.Container(act=nn.ReLU()).act
        ReLU()
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        import warnings

        warnings.warn("nn.Container is deprecated: assign modules to attributes of an nn.Module", FutureWarning, stacklevel=2)
        for name, module in kwargs.items():
            self.add_module(name, module)


__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict"]
