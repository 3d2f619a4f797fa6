"""Functional tensors that Python sees: a class and a mode over the functional tensors of C++.

Under `FunctionalTensorMode`, programs run as always, and the modes inside of it get operators that change nothing in place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import _C
from torch._library.effects import effect_of
from torch.utils._python_dispatch import TorchDispatchMode, _detect_infra_mode, _disable_infra_mode, return_and_correct_aliasing
from torch.utils._pytree import tree_map, tree_map_only

__all__ = ["BaseFunctionalizeAPI", "CppFunctionalizeAPI", "FunctionalTensor", "FunctionalTensorMode", "PythonFunctionalizeAPI",
           "disable_functional_mode", "dispatch_functionalize"]  # fmt: skip

_KEY = _C._TorchDispatchModeKey.FUNCTIONAL


class FunctionalTensor(torch.Tensor):
    """A tensor whose changes in place become new values, inside of a `FunctionalTensorMode`. `elem` is the one of C++.

    Args:
        value (Tensor): a functional tensor of C++, which `torch._to_functional_tensor` makes
        mode (FunctionalTensorMode): which answers calls with it

    Example:
        >>> from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
        >>> x = torch.zeros(2)
        >>> with FunctionalTensorMode():
        ...     y = FunctionalTensor.to_functional(x)
        ...     _ = y.add_(1)
        >>> x, FunctionalTensor.from_functional(y)
        (tensor([0., 0.]), tensor([1., 1.]))
    """

    elem: torch.Tensor
    _mode_key = _KEY

    def __new__(cls, value: torch.Tensor, mode: FunctionalTensorMode) -> Any:
        if not _C._is_functional_tensor(value):
            raise AssertionError("FunctionalTensor: expected a tensor that torch._to_functional_tensor has made")
        made = torch.Tensor._make_wrapper_subclass(
            cls, value.shape, value.stride(), value.storage_offset(), None, value.dtype, value.layout, value.device,
            requires_grad=value.requires_grad, storage_size=value.untyped_storage().nbytes(),
        )  # fmt: skip
        made.elem = value
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError(f"{func}: a FunctionalTensor is used outside of a FunctionalTensorMode; calls with it need the mode")

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"FunctionalTensor({FunctionalTensor.from_functional(self)!r})"

    @staticmethod
    def to_functional(x: Any) -> Any:
        """A functional tensor that holds `x`; the mode must be on."""
        mode = _detect_infra_mode(_KEY)
        if mode is None:
            raise AssertionError("FunctionalTensor.to_functional: no FunctionalTensorMode is on")
        return mode.wrapped(x)

    @staticmethod
    def from_functional(x: FunctionalTensor) -> torch.Tensor:
        """What a functional tensor holds now."""
        if not isinstance(x, FunctionalTensor):
            raise TypeError(f"FunctionalTensor.from_functional: expected a FunctionalTensor, got {type(x).__name__}")
        with disable_functional_mode():
            return torch._from_functional_tensor(x.elem)

    def is_base_tensor(self) -> bool:
        """Whether it is no view of another functional tensor."""
        return not self.elem._is_view()

    def replace_(self, output: Any) -> None:
        """Give it, and all that share its memory, a new value."""
        value = FunctionalTensor.from_functional(output) if isinstance(output, FunctionalTensor) else output
        with disable_functional_mode():
            torch._functionalize_replace(self.elem, value)

    def commit_update(self) -> None:
        """Pass the value on; `replace_` has done so."""

    def sync(self) -> None:
        """Bring it up to date with changes of the tensors that share its memory."""
        with disable_functional_mode():
            torch._sync(self.elem)

    def tolist(self) -> Any:
        """The values as Python numbers."""
        return FunctionalTensor.from_functional(self).tolist()


class FunctionalTensorMode(TorchDispatchMode):
    """A block in which calls with functional tensors become calls with values that change nothing in place.

    Args:
        pre_dispatch (bool, default False): True is refused
        export (bool, default False): of no effect

    Example:
        >>> from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
        >>> from torch.fx.experimental.proxy_tensor import make_fx
        >>> def pure(x):
        ...     with FunctionalTensorMode():
        ...         y = FunctionalTensor.to_functional(x)
        ...         return FunctionalTensor.from_functional(y.mul_(2))
        >>> [node.name for node in make_fx(pure)(torch.ones(2)).graph.nodes]
        ['x_1', 'mul', 'output']
    """

    _mode_key = _KEY

    def __init__(self, pre_dispatch: bool = False, export: bool = False, _allow_token_discovery: bool = False) -> None:
        super().__init__()
        if pre_dispatch:
            raise NotImplementedError(
                "FunctionalTensorMode: pre_dispatch=True is not supported; values are replaced below autograd"
            )
        self.pre_dispatch, self.export, self._allow_token_discovery = pre_dispatch, export, _allow_token_discovery
        self._tokens: dict[Any, torch.Tensor] = {}
        self._outer: list[Any] = []

    def __enter__(self) -> FunctionalTensorMode:
        self._outer.append(_C._unset_dispatch_mode(_KEY))
        return super().__enter__()  # type: ignore[return-value]

    def __exit__(self, *problem: Any) -> None:
        super().__exit__(*problem)
        outer = self._outer.pop()
        if outer is not None:
            _C._set_dispatch_mode(outer)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """It is of this library, not of a program."""
        return True

    def wrapped(self, x: Any) -> Any:
        """A functional tensor that holds `x`; other values as they are."""
        if not isinstance(x, torch.Tensor) or isinstance(x, FunctionalTensor):
            return x
        with _disable_infra_mode(_KEY), torch.no_grad():
            made = FunctionalTensor(x if _C._is_functional_tensor(x) else torch._to_functional_tensor(x), self)
        return made.requires_grad_(True) if x.requires_grad else made

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if any(not issubclass(t, FunctionalTensor) and _defines_dispatch(t) for t in types):
            return NotImplemented
        given, named = tree_map_only(FunctionalTensor, lambda x: x.elem, (tuple(args), kwargs))
        before = _C._functionalization_state()
        _C._set_functionalization(True, True)
        try:
            with torch.no_grad():
                out = self._with_token(func, given, named) if effect_of(func) is not None else func(*given, **named)
        finally:
            _C._set_functionalization(*before)
        wrap = tree_map(lambda x: self.wrapped(x) if isinstance(x, torch.Tensor) and _C._is_functional_tensor(x) else x, out)
        return return_and_correct_aliasing(func, args, kwargs, wrap)

    def _with_token(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Call an operator that has an effect after the one before it: see torch/_higher_order_ops/effects.py."""
        from torch._higher_order_ops.effects import new_token, with_effects

        effect = effect_of(func)
        values = tree_map(lambda x: _C._from_functional_tensor(x) if isinstance(x, torch.Tensor) else x, (args, kwargs))
        _C._set_functionalization(False, True)
        if effect not in self._tokens:
            self._tokens[effect] = new_token()
        self._tokens[effect], *results = with_effects(self._tokens[effect], func, *values[0], **values[1])
        results = [torch._to_functional_tensor(x) if isinstance(x, torch.Tensor) else x for x in results]
        returns = len(func._schema.returns)
        return None if returns == 0 else results[0] if returns == 1 else tuple(results)


def _defines_dispatch(kind: type) -> bool:
    return kind is not torch.Tensor and kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


@contextlib.contextmanager
def disable_functional_mode() -> Iterator[Any]:
    """A block without the FunctionalTensorMode around it, which it gives (None without one).

    Example:
        >>> from torch._subclasses.functional_tensor import disable_functional_mode
        >>> with disable_functional_mode() as mode:
        ...     print(mode)
        None
    """
    with _disable_infra_mode(_KEY) as mode:
        yield mode


def dispatch_functionalize(func: Callable[..., Any], mode: FunctionalTensorMode | None = None) -> Callable[..., Any]:
    """A function that runs `func` with functional tensors, and returns what they hold. Its arguments stay as they are.

    Args:
        func (Callable): the function
        mode (FunctionalTensorMode, optional): a new one by default

    Returns:
        the function

    Example:
        >>> from torch._subclasses.functional_tensor import dispatch_functionalize
        >>> x = torch.zeros(2)
        >>> dispatch_functionalize(lambda x: x.add_(1))(x), x
        (tensor([1., 1.]), tensor([0., 0.]))
    """

    def functionalized(*args: Any, **kwargs: Any) -> Any:
        with disable_functional_mode(), FunctionalTensorMode() if mode is None else mode as on:
            given, named = tree_map(on.wrapped, (args, kwargs))
            out = func(*given, **named)
        return tree_map_only(FunctionalTensor, FunctionalTensor.from_functional, out)

    return functionalized


class BaseFunctionalizeAPI:
    """What a rule for functional tensors (`OpOverload.py_functionalize_impl`) wraps and unwraps them with."""

    def wrap_tensors(self, args: Any) -> Any:
        """Tensors become functional ones."""
        raise NotImplementedError

    def unwrap_tensors(self, args: Any) -> Any:
        """Functional tensors become what they hold."""
        raise NotImplementedError

    def functionalize(self, inner_f: Callable[..., Any]) -> Callable[..., Any]:
        """A function of values that runs `inner_f` with functional tensors."""
        raise NotImplementedError

    def redispatch_to_next(self) -> Any:
        """A block in which calls go to the layer below."""
        return contextlib.nullcontext()

    def replace(self, input_tensor: Any, output_tensor: Any) -> None:
        """Give a functional tensor a new value."""
        torch._functionalize_replace(input_tensor, output_tensor)

    def commit_update(self, tensor: Any) -> None:
        """Pass the value on; `replace` has done so."""

    def sync(self, tensor: Any) -> None:
        """Bring a functional tensor up to date."""
        torch._sync(tensor)


class PythonFunctionalizeAPI(BaseFunctionalizeAPI):
    """The functional tensors of a FunctionalTensorMode.

    Args:
        mode (FunctionalTensorMode, optional): a new one by default
        pre_dispatch (bool, default False): True is refused
    """

    def __init__(self, mode: FunctionalTensorMode | None = None, pre_dispatch: bool = False) -> None:
        self.mode = mode if mode is not None else FunctionalTensorMode(pre_dispatch)
        self.pre_dispatch = pre_dispatch

    def wrap_tensors(self, args: Any) -> Any:
        return tree_map(self.mode.wrapped, args)

    def unwrap_tensors(self, args: Any) -> Any:
        return tree_map_only(FunctionalTensor, FunctionalTensor.from_functional, args)

    def functionalize(self, inner_f: Callable[..., Any]) -> Callable[..., Any]:
        return dispatch_functionalize(inner_f, self.mode)

    def redispatch_to_next(self) -> Any:
        return disable_functional_mode()

    def replace(self, input_tensor: Any, output_tensor: Any) -> None:
        input_tensor.replace_(output_tensor)

    def sync(self, tensor: Any) -> None:
        tensor.sync()


class CppFunctionalizeAPI(BaseFunctionalizeAPI):
    """The functional tensors of C++, which `torch.func.functionalize` uses."""

    def wrap_tensors(self, args: Any) -> Any:
        return tree_map_only(torch.Tensor, torch._to_functional_tensor, args)

    def unwrap_tensors(self, args: Any) -> Any:
        return tree_map(lambda x: torch._from_functional_tensor(x) if isinstance(x, torch.Tensor) else x, args)

    def functionalize(self, inner_f: Callable[..., Any]) -> Callable[..., Any]:
        return torch.func.functionalize(inner_f)
