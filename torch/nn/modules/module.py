"""Module, the base of everything that has parameters."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import _C
from torch.nn.modules import _hooks
from torch.nn.modules._hooks import (  # noqa: F401
    GLOBAL,
    HookMixin,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from torch.nn.modules._state import EXTRA, StateMixin, _IncompatibleKeys, _WithModule  # noqa: F401
from torch.nn.modules._traverse import TraverseMixin
from torch.nn.parameter import Buffer, Parameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, Protocol, TypeVar

    from typing_extensions import Self

    from torch import Tensor

    _P = ParamSpec("_P")
    _R = TypeVar("_R", covariant=True)

    class _HasForward(Protocol[_P, _R]):
        @property
        def forward(self) -> Callable[_P, _R]: ...
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor


__all__ = [
    "Module", "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]  # fmt: skip

# The names by which packages find these.
_global_forward_hooks, _global_forward_pre_hooks = GLOBAL.forward, GLOBAL.forward_pre
_global_backward_hooks, _global_backward_pre_hooks = GLOBAL.backward, GLOBAL.backward_pre
_global_forward_hooks_always_called, _global_forward_hooks_with_kwargs = GLOBAL.forward_always, GLOBAL.forward_with_kwargs
_global_buffer_registration_hooks, _global_module_registration_hooks = GLOBAL.buffer_registration, GLOBAL.module_registration
_global_parameter_registration_hooks = GLOBAL.parameter_registration
_EXTRA_STATE_KEY_SUFFIX, _WrappedHook = EXTRA, _WithModule


def __getattr__(name: str) -> Any:
    if name == "_global_is_full_backward_hook":  # it changes, so that it cannot be a second name
        return GLOBAL.full_backward
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def _addindent(text: str, count: int) -> str:
    """The text with all lines but the first indented."""
    return text.replace("\n", "\n" + " " * count)


_ORDERED = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
_Tensor = torch.Tensor


class _PythonBase:
    """Attribute lookup and call in Python, used if the extension has no `_C._ModuleBase`."""

    def __getattr__(self, name: str) -> Any:
        space = self.__dict__
        for place in ("_parameters", "_buffers", "_modules"):
            held = space.get(place)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks or GLOBAL.any:
            return self._call_impl(*args, **kwargs)
        return self.forward(*args, **kwargs)


if TYPE_CHECKING:

    class _Base:
        def __getattr__(self, name: str) -> Tensor | Module: ...

        # A call takes and returns what `forward` does, also that of a subclass.
        def __call__(self: _HasForward[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

else:
    _Base = getattr(_C, "_ModuleBase", _PythonBase)
    if _Base is not _PythonBase:
        _Base._global_hooks = GLOBAL  # calls test its `any`


class Module(_Base, HookMixin, StateMixin, TraverseMixin):
    """A piece of a network: parameters, buffers, child modules, and `forward`, which computes.

    Assigning a Parameter, a Buffer or a Module to an attribute registers it under that name. A subclass calls
    `super().__init__()` first. Calling the module runs its hooks and `forward`; a type checker takes the call to have
    the arguments and the result of `forward`.

    Args:
        *args (Any): passed on to the next class where `call_super_init` is set, else an error
        **kwargs (Any): passed on to the next class where `call_super_init` is set, else an error

    Attributes:
        training: whether dropout, batch norm and the like behave as in training; set by `train` and `eval`

    Example:
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.first = nn.Linear(4, 8)
        ...         self.second = nn.Linear(8, 2)
        ...     def forward(self, x):
        ...         return self.second(self.first(x).relu())
        >>> Net()(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """

    dump_patches = False
    call_super_init = False
    _version = 1
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        space = self.__dict__
        space["training"] = True
        space["_parameters"], space["_buffers"] = {}, {}
        space["_non_persistent_buffers_set"] = set()
        space["_is_full_backward_hook"] = None
        for name in _ORDERED:
            space[name] = OrderedDict()
        space["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    if TYPE_CHECKING:
        forward: Callable[..., Any]
    else:

        def forward(self, *input: Any) -> Any:
            """What the module computes. A subclass defines it; a program calls the module, which runs the hooks too.

            Args:
                *input (Any): whatever the subclass takes

            Raises:
                NotImplementedError: the subclass has no `forward`

            Example:
                >>> nn.ReLU().forward(torch.tensor([-1., 2.]))
                tensor([0., 2.])
            """
            raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __setattr__(self, name: str, value: Any) -> None:
        space = self.__dict__
        parameters = space.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if space.get("_modules") is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers")
            self._set_module(name, value)
        elif "_modules" in space and name in space["_modules"]:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._set_module(name, value)
        elif isinstance(value, _Tensor) and isinstance(value, Buffer) or name in space.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, *places: str) -> None:
        space = self.__dict__
        space.pop(name, None)
        for place in places:
            space[place].pop(name, None)
        space["_non_persistent_buffers_set"].discard(name)

    def _set_module(self, name: str, module: Module | None) -> None:
        for hook in GLOBAL.module_registration.values():
            answer = hook(self, name, module)
            module = module if answer is None else answer
        self._modules[name] = module

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, _Tensor):
            raise TypeError(
                f"cannot assign '{torch.typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if name in self._buffers:
            for hook in GLOBAL.buffer_registration.values():
                answer = hook(self, name, value)
                value = value if answer is None else answer
            self._buffers[name] = value
        else:
            self._forget(name, "_parameters", "_modules")
            self.register_buffer(name, value, value.persistent)

    def __delattr__(self, name: str) -> None:
        for place in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(place, ()):
                del self.__dict__[place][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def _check_name(self, kind: str, name: str, place: Any) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in place and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a buffer: a tensor that is moved with the module and saved with it, but not trained.

        Args:
            name (str): the attribute under which it is found
            tensor (Tensor or None): the buffer; None keeps the name free
            persistent (bool, default True): whether it is in the state_dict

        Raises:
            TypeError: `tensor` is none
            KeyError: the name is taken, empty or has a dot

        Example:
            >>> m = nn.Module()
            >>> m.register_buffer("mean", torch.zeros(2))
            >>> m.mean
            tensor([0., 0.])
        """
        self._check_name("buffer", name, self.__dict__.get("_buffers", ()))
        if tensor is not None and not isinstance(tensor, _Tensor):
            raise TypeError(f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        for hook in GLOBAL.buffer_registration.values():
            answer = hook(self, name, tensor)
            tensor = tensor if answer is None else answer
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter under a name; assigning it to the attribute does the same.

        Args:
            name (str): the attribute under which it is found
            param (Parameter or None): the parameter; None keeps the name free

        Raises:
            TypeError: `param` is no Parameter
            KeyError: the name is taken, empty or has a dot

        Example:
            >>> m = nn.Module()
            >>> m.register_parameter("scale", nn.Parameter(torch.ones(1)))
            >>> m.scale
            Parameter containing:
            tensor([1.], requires_grad=True)
        """
        self._check_name("parameter", name, self.__dict__.get("_parameters", ()))
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{torch.typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                "forward() method."
            )
        for hook in GLOBAL.parameter_registration.values():
            answer = hook(self, name, param)
            param = param if answer is None else answer
        self._parameters[name] = param

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a child module under a name; assigning it to the attribute does the same.

        Args:
            name (str): the attribute under which it is found
            module (Module or None): the child; None keeps the name free

        Raises:
            TypeError: `module` is no Module
            KeyError: the name is taken, empty or has a dot

        Example:
            >>> m = nn.Module()
            >>> m.add_module("act", nn.ReLU())
            >>> m.act
            ReLU()
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        self._check_name("module", name, self.__dict__.get("_modules", ()))
        self._set_module(name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of `add_module`.

        Args:
            name (str): the attribute under which the child is found
            module (Module or None): the child

        Example:
            >>> m = nn.Module()
            >>> m.register_module("act", nn.ReLU())
        """
        self.add_module(name, module)

    def train(self, mode: bool = True) -> Self:
        """Sets training mode here and in everything below; it decides what dropout and batch norm do.

        Args:
            mode (bool, default True): True for training, False for use

        Returns:
            the module

        Raises:
            ValueError: `mode` is no bool

        Example:
            >>> nn.Dropout(0.5).train().training
            True
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Self:
        """Ends training mode here and in everything below: `train(False)`.

        Returns:
            the module

        Example:
            >>> nn.Dropout(0.5).eval()(torch.ones(3))
            tensor([1., 1., 1.])
        """
        return self.train(False)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Accepted, checked like the arguments of `torch.compile`, and without effect: modules run eagerly.

        Args:
            *args, **kwargs: those of `torch.compile`

        Example:
            >>> nn.Linear(2, 2).compile()
        """
        from torch._compile import compile_in_place

        compile_in_place(self, *args, **kwargs)

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        for name in _ORDERED:
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Protocols 0 and 1 would construct the base class that is written in C.
        return super().__reduce_ex__(max(protocol, 2))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_hooks_done", None)
        return state

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The settings that the module's repr shows, on one line or several; subclasses override it.

        Returns:
            the text

        Example:
            >>> nn.Linear(2, 3).extra_repr()
            'in_features=2, out_features=3, bias=True'
        """
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        below = []
        for name, module in self._modules.items():
            below.append(f"({name}): " + repr(module).replace("\n", "\n  "))
        if not below and len(lines) <= 1:
            return f"{self._get_name()}({''.join(lines)})"
        return self._get_name() + "(\n  " + "\n  ".join(lines + below) + "\n)"

    def __dir__(self) -> list[str]:
        held = [*self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in {*dir(type(self)), *held} if not name[:1].isdigit())


_global_module_hooks = _hooks.GLOBAL
