"""Parametrizations: a tensor of a module that is computed from another one, whenever it is read."""

from __future__ import annotations

import collections
import copy
from contextlib import contextmanager

import torch
from torch.nn.modules.container import ModuleDict, ModuleList
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor


__all__ = [
    "cached", "ParametrizationList", "register_parametrization", "is_parametrized", "remove_parametrizations",
    "type_before_parametrizations", "transfer_parametrizations_and_params",
]  # fmt: skip

_cache_enabled = 0
_cache: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Computes every parametrized tensor once inside the block, and returns the same tensor at each reading.

    The values are dropped when the outermost block ends. Use it where a weight is read several times in one forward, as that of
    a recurrent network is.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
        >>> with parametrize.cached():
        ...     m.weight is m.weight
        True
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if _cache_enabled == 0:
            _cache.clear()


def _is_inverse_missing(parametrization: Module) -> bool:
    return not hasattr(parametrization, "right_inverse")


def _maybe_set(dest: Tensor, src: Tensor) -> None:
    """Give `dest` the memory of `src`. `dest` stays the same object unless tensors are swapped on conversion."""
    if torch.__future__.get_swap_module_params_on_conversion():
        source = Parameter(src, dest.requires_grad) if isinstance(dest, Parameter) and not isinstance(src, Parameter) else src
        torch.utils.swap_tensors(dest, source)
    else:
        dest.set_(src)


def _register_parameter_or_buffer(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _expect_same(what: str, got: Any, expected: Tensor, dtype: bool = True, shape: bool = True) -> None:
    """Raise ValueError unless `got` is a tensor with the dtype and shape of `expected`."""
    if not isinstance(got, torch.Tensor):
        raise ValueError(f"{what} must return a tensor, but returned {type(got).__name__}")
    if dtype and got.dtype != expected.dtype:
        raise ValueError(
            f"{what} must keep the dtype unless unsafe=True: the tensor has {expected.dtype}, the result has {got.dtype}"
        )
    if shape and got.shape != expected.shape:
        raise ValueError(
            f"{what} must keep the shape unless unsafe=True: the tensor has {tuple(expected.shape)}, "
            f"the result has {tuple(got.shape)}"
        )


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor of a module, and the tensors it is computed from.

    `module.parametrizations.NAME` is one. Reading the attribute NAME of the module calls it; assigning to that attribute calls
    `right_inverse`.

    Args:
        modules (Sequence[Module]): the parametrizations; the first one is applied first
        original (Tensor): the tensor that they replace
        unsafe (bool, default False): do not check that dtype and shape stay the same

    Attributes:
        original: the tensor that is trained, where `is_tensor`
        original0, original1, ...: the tensors that are trained, where `right_inverse` of the first parametrization returned
            several
        is_tensor: whether there is one of them only
        ntensors: how many there are

    Raises:
        ValueError: `modules` is empty, or a parametrization changes dtype or shape

    Example:
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> [name for name, _ in m.parametrizations.weight.named_parameters()]
        ['original0', 'original1']
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires at least one parametrization, but got none")
        super().__init__(modules)
        self.unsafe = unsafe
        value: Any = original
        for parametrization in reversed(self):
            try:
                value = value if _is_inverse_missing(parametrization) else parametrization.right_inverse(value)
            except NotImplementedError:
                pass
        self.is_tensor = isinstance(value, torch.Tensor)
        if self.is_tensor:
            self.ntensors = 1
            self._keep_one(original, value)
        elif isinstance(value, collections.abc.Sequence):
            self.ntensors = len(value)
            self._keep_several(original, value)
        else:
            raise ValueError(
                "right_inverse of a parametrization must return a tensor or a sequence of tensors, "
                f"but returned {type(value).__name__}"
            )
        if not unsafe:
            _expect_same("a parametrization", self(), original)

    def _keep_one(self, original: Tensor, value: Tensor) -> None:
        if value.dtype != original.dtype:
            raise ValueError(
                "right_inverse must keep the dtype where it returns one tensor: "
                f"the tensor has {original.dtype}, the result has {value.dtype}"
            )
        with torch.no_grad():
            _maybe_set(original, value)
        _register_parameter_or_buffer(self, "original", original)

    def _keep_several(self, original: Tensor, values: Sequence[Tensor]) -> None:
        for number, value in enumerate(values):
            if not isinstance(value, torch.Tensor):
                raise ValueError(
                    f"right_inverse must return a tensor or a sequence of tensors, but item {number} is {type(value).__name__}"
                )
            if isinstance(original, Parameter):
                value = Parameter(value, original.requires_grad)
            value.requires_grad_(original.requires_grad)
            _register_parameter_or_buffer(self, f"original{number}", value)

    def right_inverse(self, value: Tensor) -> None:
        """Changes the original tensors so that the parametrized one becomes `value`; assigning to the attribute calls this.

        Args:
            value (Tensor): the value to be read afterwards, as far as the parametrizations can produce it

        Raises:
            RuntimeError: a parametrization has no `right_inverse`
            ValueError: a `right_inverse` returns another number of tensors than before, or other dtypes

        Example:
            >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 1))
            >>> m.parametrizations.weight.right_inverse(torch.tensor([[3., 4.]]))
            >>> m.parametrizations.weight.original0.item()
            5.0
        """
        with torch.no_grad():
            result: Any = value
            for parametrization in reversed(self):
                if _is_inverse_missing(parametrization):
                    raise RuntimeError(
                        f"{type(parametrization).__name__} has no right_inverse, so the parametrized tensor cannot be assigned"
                    )
                result = parametrization.right_inverse(result)
            if self.is_tensor:
                _expect_same("right_inverse", result, self.original, shape=False)
                _maybe_set(self.original, result)
                return
            if not isinstance(result, collections.abc.Sequence):
                raise ValueError(f"right_inverse must return a sequence of tensors, but returned {type(result).__name__}")
            if len(result) != self.ntensors:
                raise ValueError(f"right_inverse must return {self.ntensors} tensors, but returned {len(result)}")
            for number, tensor in enumerate(result):
                held = getattr(self, f"original{number}")
                _expect_same(f"item {number} of right_inverse", tensor, held, shape=False)
                _maybe_set(held, tensor)

    def forward(self) -> Tensor:
        """The parametrized tensor, computed from the originals.

        Returns:
            the tensor

        Example:
            >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
            >>> m.parametrizations.weight().shape
            torch.Size([3, 2])
        """
        names = ["original"] if self.is_tensor else [f"original{number}" for number in range(self.ntensors)]
        steps = iter(self)
        value = next(steps)(*(getattr(self, name) for name in names))
        for parametrization in steps:
            value = parametrization(value)
        return value


def _refuse_pickle(self: Module) -> Any:
    raise RuntimeError(
        "a module with parametrizations cannot be pickled, because its class is made at run time: save its state_dict() instead"
    )


def _deepcopy(self: Module, memo: dict[int, Any]) -> Module:
    """Copy as copy.deepcopy does by default; `__getstate__` would refuse."""
    known = memo.get(id(self))
    if known is not None:
        return known
    replica = memo[id(self)] = type(self).__new__(type(self))
    replica.__dict__ = copy.deepcopy(self.__dict__, memo)
    for name in getattr(type(self), "__slots__", ()):
        if hasattr(self, name):
            setattr(replica, name, copy.deepcopy(getattr(self, name), memo))
    return replica


def _inject_new_class(module: Module) -> None:
    """Give the module a class of its own, to which properties can be added."""
    kind = type(module)
    members = {"__getstate__": _refuse_pickle}
    if not hasattr(kind, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), members)


def _inject_property(module: Module, tensor_name: str) -> None:
    """Replace the attribute by a property that computes the tensor."""
    assert not hasattr(module, tensor_name)

    def read(self: Module) -> Any:
        parametrization = self.parametrizations[tensor_name]
        if not _cache_enabled:
            return parametrization()
        key = id(self), tensor_name
        tensor = _cache.get(key)
        if tensor is None:
            tensor = _cache[key] = parametrization()
        return tensor

    def assign(self: Module, value: Tensor) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(read, assign))


def _check_added(module: Module, tensor_name: str, parametrization: Module) -> None:
    """What a parametrization on top of others must keep."""
    before = getattr(module, tensor_name)
    after = parametrization(before)
    _expect_same("a parametrization", after, before)
    if _is_inverse_missing(parametrization):
        return
    try:
        inverse = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    _expect_same("right_inverse", inverse, before)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:  # fmt: skip
    """Lets a parameter or buffer be computed by `parametrization`, whenever it is read.

    The tensor itself moves to `module.parametrizations.NAME.original`. If the parametrization has a method `right_inverse`, the
    tensor may be assigned, and its present value is kept as well as the method allows. `right_inverse` may return several
    tensors, which are kept as `original0`, `original1`, ...; `forward` then takes as many. A second parametrization of the same
    tensor is applied to the result of the first.

    Args:
        module (Module): the module
        tensor_name (str): the parameter or buffer
        parametrization (Module): computes the new value from the tensor
        unsafe (bool, default False): allow the parametrization to change dtype or shape

    Returns:
        the module

    Raises:
        ValueError: the module has no such parameter or buffer, or the parametrization changes dtype or shape

    Example:
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).mT
        >>> m = nn.utils.parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
        >>> bool((m.weight == m.weight.mT).all())
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        held = module.parametrizations[tensor_name]
        held.append(parametrization)
        held.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        held = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = held
    else:
        raise ValueError(f"{type(module).__name__} has no parameter, buffer or parametrized tensor with name '{tensor_name}'")
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations.

    Args:
        module (Module): the module
        tensor_name (str or None): ask about this tensor only

    Returns:
        whether it has

    Example:
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> nn.utils.parametrize.is_parametrized(m), nn.utils.parametrize.is_parametrized(m, "bias")
        (True, False)
    """
    held = getattr(module, "parametrizations", None)
    if not isinstance(held, ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a parametrized tensor an ordinary parameter or buffer again.

    Args:
        module (Module): the module
        tensor_name (str): the tensor
        leave_parametrized (bool, default True): keep the value that the parametrization computes; False brings the original back

    Returns:
        the module

    Raises:
        ValueError: the tensor is not parametrized, or is computed from several and `leave_parametrized` is False

    Example:
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> m = nn.utils.parametrize.remove_parametrizations(m, "weight")
        >>> list(m.state_dict())
        ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"{type(module).__name__} has no parametrization of '{tensor_name}'")
    held = module.parametrizations[tensor_name]
    if held.is_tensor:
        tensor = held.original
        if leave_parametrized:
            with torch.no_grad():
                _maybe_set(tensor, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        tensor = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            f"'{tensor_name}' is computed from {held.ntensors} tensors, so there is no original: use leave_parametrized=True"
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, tensor)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of a module, without that which parametrizations have put in its place.

    Args:
        module (Module): the module

    Returns:
        the class

    Example:
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> type(m).__name__, nn.utils.parametrize.type_before_parametrizations(m).__name__
        ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module, tensor_name: str | None = None) -> Module:
    """Copies parametrizations, and the tensors below them, from one module to another of the same kind.

    The parametrizations are shared by both modules; the original tensors are copied.

    Args:
        from_module (Module): has the parametrizations
        to_module (Module): gets them
        tensor_name (str or None): copy those of this tensor only; None: all

    Returns:
        `to_module`

    Example:
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> other = nn.utils.parametrize.transfer_parametrizations_and_params(m, nn.Linear(2, 3))
        >>> bool((other.weight == m.weight).all())
        True
    """
    if not is_parametrized(from_module):
        return to_module
    assert isinstance(from_module.parametrizations, ModuleDict)
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source: Any = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization, unsafe=source.unsafe)
        target: Any = to_module.parametrizations[name]
        for kept in ["original"] if source.is_tensor else [f"original{number}" for number in range(source.ntensors)]:
            value = getattr(source, kept)
            new = value.detach().clone()
            setattr(target, kept, Parameter(new, value.requires_grad) if isinstance(value, Parameter) else new)
    return to_module
