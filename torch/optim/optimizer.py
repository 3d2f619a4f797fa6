"""Optimizer, the base: groups of parameters with settings, and a state for every parameter."""

import copy
import functools
import warnings
from collections import OrderedDict, defaultdict

import torch
from torch import _C
from torch.utils.hooks import RemovableHandle

_global_pre_hooks, _global_post_hooks = OrderedDict(), OrderedDict()


class _Required:
    """Marks a setting that has no default."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook):
    """Call `hook(optimizer, args, kwargs)` before the step of every optimizer."""
    return _registered(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Call `hook(optimizer, args, kwargs)` after the step of every optimizer."""
    return _registered(_global_post_hooks, hook)


def _registered(hooks, hook, prepend=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _profiled(optimizer, what):
    """The range of the profile under which PyTorch has an optimizer's work."""
    return torch.profiler.record_function(f"Optimizer.{what}#{type(optimizer).__name__}.{what}")


def _hooked(step):
    """`step` with the hooks around it, where there are any."""

    @functools.wraps(step)
    def wrapped(self, *args, **kwargs):
        if _C._profiler_enabled():
            with _profiled(self, "step"):
                return with_hooks(self, *args, **kwargs)
        if not (_global_pre_hooks or _global_post_hooks or self._optimizer_step_pre_hooks
                or self._optimizer_step_post_hooks):
            return step(self, *args, **kwargs)
        return with_hooks(self, *args, **kwargs)

    def with_hooks(self, *args, **kwargs):
        args = (self, *args)  # hooks see the optimizer among the arguments, and may replace them all
        for hook in [*_global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()]:
            answer = hook(self, args, kwargs)
            if answer is not None:
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(f"a pre-hook of {step} must return None or (new_args, new_kwargs), "
                                       f"but got {answer}.")
                args, kwargs = answer
        result = step(*args, **kwargs)
        for hook in [*self._optimizer_step_post_hooks.values(), *_global_post_hooks.values()]:
            hook(self, args, kwargs)
        return result

    wrapped.hooked = True
    return wrapped


class Optimizer:
    """Holds `param_groups`, a list of dictionaries, and `state`, a dictionary by parameter.

    params: parameters, (name, parameter) pairs, or dictionaries with "params" and settings of their own;
    defaults: settings of the groups that do not name them."""

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, torch.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or "
                            "dicts, but got "
                            + torch.typename(params))
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(dict(group) if isinstance(group, dict) else group)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        step = cls.__dict__.get("step")
        if step is not None and not getattr(step, "hooked", False):
            cls.step = _hooked(step)

    def _make_hooks(self):
        for name in ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks",
                     "_optimizer_state_dict_pre_hooks",
                     "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
                     "_optimizer_load_state_dict_post_hooks"):
            self.__dict__.setdefault(name, OrderedDict())

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        lines = [type(self).__name__ + " ("]
        for k, group in enumerate(self.param_groups):
            lines += ["\n" * (k > 0) + f"Parameter Group {k}",
                      *(f"    {key}: {group[key]}" for key in sorted(group) if key != "params")]
        return "\n".join(lines) + "\n)"

    def register_step_pre_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` before every step; it may return new (args, kwargs)."""
        return _registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        return _registered(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        return _registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or fill them with zeros."""
        if _C._profiler_enabled():
            with _profiled(self, "zero_grad"):
                return self._zero_grad(set_to_none)
        self._zero_grad(set_to_none)

    def _zero_grad(self, set_to_none):
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                if set_to_none:
                    parameter.grad = None
                elif gradient.grad_fn is not None:
                    parameter.grad = gradient.detach().zero_()
                else:
                    gradient.requires_grad_(False).zero_()

    def step(self, closure=None):
        """Change the parameters once. `closure` computes the loss anew, and its gradients, and returns it."""
        raise NotImplementedError

    def add_param_group(self, param_group):
        """Add parameters, with settings of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, torch.Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the "
                            "ordering of tensors in "
                            "sets will change between runs. Please use a list instead.")
        params = list(params)
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [parameter for _, parameter in params]
        param_group["params"] = params
        for parameter in params:
            if not isinstance(parameter, torch.Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is "
                                f"{torch.typename(parameter)}")
            if not self.defaults.get("differentiable") and not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization "
                                 f"parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this "
                          "will cause an error",
                          stacklevel=3)
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            raise ValueError("all optimizer param groups should be with/without names.")
        known = {parameter for group in self.param_groups for parameter in group["params"]}
        if not known.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def state_dict(self):
        """{"state": by number, "param_groups": with numbers in the place of parameters}."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups = {}, []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            packed["params"] = [numbers[id(parameter)] for parameter in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, torch.Tensor) else key: value for key,
                 value in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            answer = hook(self, result)
            result = result if answer is None else answer
        return result

    def load_state_dict(self, state_dict):
        """Take over what `state_dict()` of an optimizer of the same shape gave."""
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            answer = hook(self, state_dict)
            state_dict = state_dict if answer is None else answer
        own, saved = self.param_groups, copy.deepcopy(state_dict["param_groups"])
        if len(own) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(own, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of "
                             "optimizer's group")
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


def _cast(parameter, value, group, key=None):
    """State in the dtype and on the device of its parameter; a step counter stays as it is."""
    if isinstance(value, torch.Tensor):
        if key == "step":
            return value.clone() if not group.get("capturable") else value.to(parameter.device)
        if parameter.is_floating_point():
            return value.to(dtype=parameter.dtype, device=parameter.device)
        return value.to(device=parameter.device)
    if isinstance(value, dict):
        return {name: _cast(parameter, inner, group, name) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(parameter, inner, group) for inner in value)
    return value
