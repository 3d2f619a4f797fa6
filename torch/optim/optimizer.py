"""Optimizer, the base: groups of parameters with settings, and a state for every parameter."""

from __future__ import annotations

import copy
import functools
import warnings
from collections import OrderedDict, defaultdict

import torch
from torch import _C
from torch.utils.hooks import RemovableHandle

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias, TypeVar, overload

    from torch import Tensor

    _T = TypeVar("_T")
    # Parameters, groups of them, or parameters with their names.
    ParamsT: TypeAlias = Iterable[Tensor | dict[str, Any] | tuple[str, Tensor]]
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor

    Any = object
    ParamsT = object

__all__ = [
    "Optimizer", "ParamsT", "required", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook",
]  # fmt: skip

_global_pre_hooks, _global_post_hooks = OrderedDict(), OrderedDict()


class _Required:
    """Marks a setting that has no default."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` before the step of every optimizer.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.optim.optimizer import register_optimizer_step_pre_hook
        >>> handle = register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: print("step"))
        >>> torch.optim.SGD([nn.Parameter(torch.ones(1))]).step()
        step
        >>> handle.remove()
    """
    return _registered(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` after the step of every optimizer.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.optim.optimizer import register_optimizer_step_post_hook
        >>> handle = register_optimizer_step_post_hook(lambda optimizer, args, kwargs: print("stepped"))
        >>> torch.optim.SGD([nn.Parameter(torch.ones(1))]).step()
        stepped
        >>> handle.remove()
    """
    return _registered(_global_post_hooks, hook)


def _registered(hooks: Any, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _profiled(optimizer: Any, what: str) -> Any:
    """The profiler range that PyTorch uses for an optimizer's work."""
    return torch.profiler.record_function(f"Optimizer.{what}#{type(optimizer).__name__}.{what}")


def _hooked(step: Any) -> Any:
    """`step` with its hooks, if there are any."""

    @functools.wraps(step)
    def wrapped(self, *args, **kwargs):
        if _C._profiler_enabled():
            with _profiled(self, "step"):
                return with_hooks(self, *args, **kwargs)
        if "_optimizer_step_pre_hooks" not in self.__dict__:  # a wrapper of an optimizer, which never called __init__
            return step(self, *args, **kwargs)
        if not (_global_pre_hooks or _global_post_hooks or self._optimizer_step_pre_hooks or self._optimizer_step_post_hooks):
            return step(self, *args, **kwargs)
        return with_hooks(self, *args, **kwargs)

    def with_hooks(self, *args, **kwargs):
        args = (self, *args)  # hooks see the optimizer among the arguments, and may replace them all
        for hook in [*_global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()]:
            answer = hook(self, args, kwargs)
            if answer is not None:
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(f"a pre-hook of {step} must return None or (new_args, new_kwargs), but got {answer}.")
                args, kwargs = answer
        result = step(*args, **kwargs)
        for hook in [*self._optimizer_step_post_hooks.values(), *_global_post_hooks.values()]:
            hook(self, args, kwargs)
        return result

    wrapped.hooked = True
    return wrapped


class Optimizer:
    """The base of the optimizers: groups of parameters with settings, and a state for every parameter.

    A subclass gives `step`.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        defaults (dict[str, Any]): settings of the groups that do not name them

    Attributes:
        param_groups: a list of dictionaries: 'params' and settings
        state: a dictionary by parameter

    Raises:
        TypeError: `params` is one tensor, or holds something else
        ValueError: it is empty, or has a parameter twice or one that is no leaf

    Example:
        >>> m = nn.Linear(1, 1)
        >>> optimizer = torch.optim.SGD([{"params": [m.weight]}, {"params": [m.bias], "lr": 0.5}], lr=0.1)
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.5]
    """

    defaults: dict[str, Any]
    state: defaultdict[Tensor, Any]
    param_groups: list[dict[str, Any]]
    _optimizer_step_pre_hooks: dict[int, Any]
    _optimizer_step_post_hooks: dict[int, Any]
    _optimizer_state_dict_pre_hooks: dict[int, Any]
    _optimizer_state_dict_post_hooks: dict[int, Any]
    _optimizer_load_state_dict_pre_hooks: dict[int, Any]
    _optimizer_load_state_dict_post_hooks: dict[int, Any]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, torch.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                "dicts, but got " + torch.typename(params)
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(dict(group) if isinstance(group, dict) else group)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        step = cls.__dict__.get("step")
        if step is not None and not getattr(step, "hooked", False):
            cls.step = _hooked(step)

    def _make_hooks(self) -> None:
        for name in (
            "_optimizer_step_pre_hooks",
            "_optimizer_step_post_hooks",
            "_optimizer_state_dict_pre_hooks",
            "_optimizer_state_dict_post_hooks",
            "_optimizer_load_state_dict_pre_hooks",
            "_optimizer_load_state_dict_post_hooks",
        ):
            self.__dict__.setdefault(name, OrderedDict())

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for k, group in enumerate(self.param_groups):
            lines += [
                "\n" * (k > 0) + f"Parameter Group {k}",
                *(f"    {key}: {group[key]}" for key in sorted(group) if key != "params"),
            ]
        return "\n".join(lines) + "\n)"

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before every step; it may return new (args, kwargs).

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("step"))
            >>> optimizer.step()
            step
        """
        return _registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after every step.

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("stepped"))
            >>> optimizer.step()
            stepped
        """
        return _registered(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` before `state_dict()`.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
            >>> _ = optimizer.state_dict()
            saving
        """
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` after `state_dict()`; its answer, if any, takes the dictionary's place.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            >>> handle = optimizer.register_state_dict_post_hook(lambda optimizer, state: {"all": state})
            >>> list(optimizer.state_dict())
            ['all']
        """
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` before loading; its answer, if any, is loaded instead.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            >>> handle = optimizer.register_load_state_dict_pre_hook(lambda optimizer, state: print(list(state)))
            >>> optimizer.load_state_dict(optimizer.state_dict())
            ['state', 'param_groups']
        """
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` after loading.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
            >>> handle = optimizer.register_load_state_dict_post_hook(lambda optimizer: print("loaded"))
            >>> optimizer.load_state_dict(optimizer.state_dict())
            loaded
        """
        return _registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros.

        Args:
            set_to_none (bool, default True): forget them, which saves memory

        Example:
            >>> p = nn.Parameter(torch.ones(1))
            >>> p.grad = torch.ones(1)
            >>> torch.optim.SGD([p]).zero_grad()
            >>> p.grad is None
            True
        """
        if _C._profiler_enabled():
            with _profiled(self, "zero_grad"):
                return self._zero_grad(set_to_none)
        self._zero_grad(set_to_none)

    def _zero_grad(self, set_to_none: bool) -> None:
        lists: dict[Any, list[Tensor]] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                if set_to_none:
                    parameter.grad = None
                    continue
                if gradient.grad_fn is not None:
                    parameter.grad = gradient = gradient.detach()
                else:
                    gradient.requires_grad_(False)
                if gradient.is_cuda and not gradient.is_sparse:
                    lists.setdefault(gradient.device, []).append(gradient)
                else:
                    gradient.zero_()
        for gradients in lists.values():  # few launches for all
            torch._foreach_zero_(gradients)

    if TYPE_CHECKING:

        @overload
        def step(self, closure: None = None) -> None: ...

        @overload
        def step(self, closure: Callable[[], _T]) -> _T: ...

    def step(self, closure: Any = None) -> Any:
        """Changes the parameters once by their gradients; the subclasses say how.

        Args:
            closure (Any): computes the loss anew, and its gradients, and returns it

        Returns:
            what `closure` returned, or None

        Raises:
            NotImplementedError: the subclass has no `step`

        Example:
            >>> p = nn.Parameter(torch.tensor([1.]))
            >>> p.grad = torch.tensor([2.])
            >>> torch.optim.SGD([p], lr=0.5).step()
            >>> p.item()
            0.0
        """
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters, with settings of their own.

        Args:
            param_group (dict[str, Any]): 'params', and the settings that differ from the defaults

        Raises:
            TypeError: it is no dictionary, or holds something else than tensors
            ValueError: a parameter is in another group already, or no leaf

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
            >>> optimizer.add_param_group({"params": nn.Parameter(torch.ones(2)), "lr": 0.5})
            >>> len(optimizer.param_groups)
            2
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, torch.Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        params = list(params)
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [parameter for _, parameter in params]
        param_group["params"] = params
        for parameter in params:
            if not isinstance(parameter, torch.Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {torch.typename(parameter)}")
            if not self.defaults.get("differentiable") and not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                stacklevel=3,
            )
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            raise ValueError("all optimizer param groups should be with/without names.")
        known = {parameter for group in self.param_groups for parameter in group["params"]}
        if not known.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def state_dict(self) -> dict[str, Any]:
        """Groups and state with numbers in the place of parameters, for `torch.save`.

        Returns:
            {'state': by number, 'param_groups': a list}

        Example:
            >>> torch.optim.SGD([nn.Parameter(torch.ones(1))]).state_dict()["param_groups"][0]["params"]
            [0]
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups = {}, []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            packed["params"] = [numbers[id(parameter)] for parameter in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, torch.Tensor) else key: value for key, value in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            answer = hook(self, result)
            result = result if answer is None else answer
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict()` of an optimizer of the same shape gave.

        State gets the type and device of its parameter.

        Args:
            state_dict (dict[str, Any]): the dictionary

        Raises:
            ValueError: the groups, or the numbers of their parameters, differ

        Example:
            >>> p = nn.Parameter(torch.ones(1))
            >>> optimizer = torch.optim.SGD([p], lr=0.1)
            >>> optimizer.load_state_dict(torch.optim.SGD([p], lr=0.7).state_dict())
            >>> optimizer.param_groups[0]["lr"]
            0.7
        """
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            answer = hook(self, state_dict)
            state_dict = state_dict if answer is None else answer
        own, saved = self.param_groups, copy.deepcopy(state_dict["param_groups"])
        if len(own) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(own, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        places = {}
        for mine, theirs in zip(own, saved):
            for parameter, number in zip(mine["params"], theirs["params"]):
                places[number] = parameter, theirs
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in places:
                parameter, group = places[key]
                state[parameter] = _cast(parameter, value, group)
            else:
                state[key] = value
        groups = []
        for mine, theirs in zip(own, saved):
            theirs["params"] = mine["params"]
            if "param_names" in mine and "param_names" not in theirs:
                theirs["param_names"] = mine["param_names"]
            groups.append(theirs)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def _cast(parameter: Tensor, value: Any, group: dict[str, Any], key: Any = None) -> Any:
    """State converted to the dtype and device of its parameter; a step counter stays unchanged."""
    if isinstance(value, torch.Tensor):
        if key == "step":
            if group.get("capturable") or group.get("fused"):
                return value.to(dtype=torch.float32, device=parameter.device, copy=True)
            return value.clone()
        if parameter.is_floating_point():
            return value.to(dtype=parameter.dtype, device=parameter.device)
        return value.to(device=parameter.device)
    if isinstance(value, dict):
        return {name: _cast(parameter, inner, group, name) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(parameter, inner, group) for inner in value)
    return value


_RequiredParameter = _Required
_global_optimizer_pre_hooks, _global_optimizer_post_hooks = _global_pre_hooks, _global_post_hooks

if not TYPE_CHECKING:
    from torch._lazy import lazy as _lazy

    # Helpers that optimizers of other packages import from here.
    _names = (
        "_use_grad_for_differentiable", "_default_to_fused_or_foreach", "_get_value", "_stack_if_compiling", "_to_scalar",
        "_get_scalar_dtype", "_view_as_real", "_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices",
        "_get_capturable_supported_devices",
    )  # fmt: skip
    __getattr__ = _lazy(__name__, (), dict.fromkeys(_names, "torch.optim._packages"))[0]
