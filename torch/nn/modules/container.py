"""Modules and parameters in sequences and dictionaries."""

import operator
from collections import OrderedDict
from itertools import islice

import torch
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


def _position(index, length, what):
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length if length else index


class _Indexed(Module):
    """Children named by their position."""

    def _key(self, index):
        return next(islice(self._modules, _position(index, len(self), "module"), None))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._cut(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        names = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for name in names:
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def _renumber(self, modules):
        self.__dict__["_modules"] = {str(k): module for k, module in enumerate(modules)}

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key):
        module = self[key]
        del self[key]
        return module


class Sequential(_Indexed):
    """Modules one after the other, each on the output of the one before; positional, or named by an
    OrderedDict."""

    def __init__(self, *args):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else (
            (str(k), module) for k, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _cut(self, items):
        return type(self)(OrderedDict(items))

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index, module):
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index + length if index < 0 else index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential):
        for module in list(sequential):
            self.append(module)
        return self

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is "
                             "given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is "
                             "given.")
        return self.extend(other)

    def __mul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(module for _ in range(times) for module in self))

    __rmul__ = __mul__

    def __imul__(self, times):
        modules = list((self * times)._modules.values())
        self._renumber(modules)
        return self


class ModuleList(_Indexed):
    """A list of modules. It has no forward: the module that owns it says what they do."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _cut(self, items):
        return type(self)(module for _, module in items)

    def insert(self, index, module):
        modules = list(self._modules.values())
        modules.insert(index, module)
        for k, kept in enumerate(modules):
            self.add_module(str(k), kept)

    def extend(self, modules):
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got " + type(modules).__name__
            )
        return super().extend(modules)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        joined = ModuleList()
        for k, module in enumerate([*self, *other]):
            joined.add_module(str(k), module)
        return joined

    def __repr__(self):
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
    """A dictionary of modules, in order."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        return self._modules.pop(key)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        """Add the pairs of a mapping, or of an iterable of pairs."""
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


def _described(value, short):
    """A line about an entry of a parameter container."""
    if isinstance(value, torch.Tensor):
        kind = value.dtype if short else torch.typename(value)
        where = "" if value.device.type == "cpu" else f" (GPU {value.get_device()})"
        size = "x".join(map(str, value.size()))
        name = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{name} containing: [{kind} of size {size}{where}]"
    return f"Object of type: {type(value).__name__}"


class ParameterList(Module):
    """A list whose tensors are parameters; other values are kept as they are."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, index):
        if isinstance(index, slice):
            chosen = type(self)()
            for k in range(*index.indices(len(self))):
                chosen.append(self[k])
            return chosen
        return getattr(self, str(_position(index, len(self), "parameter")))

    def __setitem__(self, index, value):
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(_position(index, len(self), "parameter")), value)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(self[k] for k in range(len(self)))

    def __iadd__(self, values):
        return self.extend(values)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value):
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values):
        if not hasattr(values, "__iter__") or isinstance(values, torch.Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got " + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({k}): {_described(value, True)}" for k, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary whose tensors are parameters; other values are kept as they are."""

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key):
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string "
                            "(type is "
                            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")
        return key

    def __getitem__(self, key):
        return getattr(self, self._attribute(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, self._attribute(key), value)

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._attribute(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        key = next(reversed(list(self._keys)))
        return key, self.pop(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        return self._keys.keys()

    def items(self):
        return ((key, self[key]) for key in self._keys)

    def values(self):
        return (self[key] for key in self._keys)

    def update(self, parameters):
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

    def extra_repr(self):
        return "\n".join(f"  ({key}): {_described(value, False)}" for key, value in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other):
        joined = ParameterDict(other) if not isinstance(other, ParameterDict) else other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other):
        self.update(other)
        return self


__all__ = ["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]
