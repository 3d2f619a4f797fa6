"""state_dict and load_state_dict of modules."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping

import torch
from torch.nn.parameter import Parameter, is_lazy
from torch.utils.hooks import RemovableHandle

EXTRA = "_extra_state"


TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NamedTuple

    class _Keys(NamedTuple):
        missing_keys: list[str]
        unexpected_keys: list[str]

else:
    _Keys = namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])


class _IncompatibleKeys(_Keys):
    """The keys that load_state_dict did not find, and those it did not expect."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


class _WithModule:
    """A hook that is called with the module as its first argument."""

    def __init__(self, hook, module):
        import weakref

        self.hook, self.module = hook, weakref.ref(module)

    def __call__(self, *args, **kwargs):
        return self.hook(self.module(), *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        return {"hook": self.hook, "module": self.module()}

    def __setstate__(self, state: Any) -> None:
        self.__init__(state["hook"], state["module"])


def _add(hooks: Any, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class StateMixin:
    """What Module offers to save and restore its parameters and buffers.

    Example:
        >>> list(nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
    """

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata)` after `state_dict()`; it may change the dictionary.

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m = nn.Linear(1, 1)
            >>> handle = m.register_state_dict_post_hook(lambda module, state, prefix, meta: state.update(note=1))
            >>> list(m.state_dict())
            ['weight', 'bias', 'note']
        """
        hook._from_public_api = True
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, prefix, keep_vars)` before `state_dict()`.

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m = nn.Linear(1, 1)
            >>> handle = m.register_state_dict_pre_hook(lambda module, prefix, keep_vars: print("saving"))
            >>> _ = m.state_dict()
            saving
        """
        return _add(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> RemovableHandle:
        return _add(self._load_state_dict_pre_hooks, _WithModule(hook, self) if with_module else hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` before loading.

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m = nn.Linear(1, 1)
            >>> handle = m.register_load_state_dict_pre_hook(lambda module, state, *rest: print(list(state)))
            >>> m.load_state_dict(m.state_dict())
            ['weight', 'bias']
            <All keys matched successfully>
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, incompatible_keys)` after loading; it may change the two lists.

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m = nn.Linear(1, 1)
            >>> handle = m.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
            >>> m.load_state_dict({"weight": torch.ones(1, 1)})
            <All keys matched successfully>
        """
        return _add(self._load_state_dict_post_hooks, hook)

    def get_extra_state(self) -> Any:
        """What a module saves beside parameters and buffers; those that have something override this and `set_extra_state`.

        Returns:
            anything that can be pickled

        Raises:
            RuntimeError: the module does not override it

        Example:
            >>> class Counted(nn.Module):
            ...     count = 3
            ...     def get_extra_state(self):
            ...         return self.count
            >>> dict(Counted().state_dict())
            {'_extra_state': 3}
        """
        raise RuntimeError(f"{type(self).__name__} has no extra state: define get_extra_state() to save some")

    def set_extra_state(self, state: Any) -> None:
        """Takes back what `get_extra_state` saved.

        Args:
            state (Any): what `get_extra_state` returned

        Raises:
            RuntimeError: the module does not override it

        Example:
            >>> class Counted(nn.Module):
            ...     def set_extra_state(self, state):
            ...         self.count = state
            >>> m = Counted()
            >>> _ = m.load_state_dict({"_extra_state": 5})
            >>> m.count
            5
        """
        raise RuntimeError(f"{type(self).__name__} has no place for extra state: define set_extra_state() to load some")

    def _has_own(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(StateMixin, name)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put this module's own entries, without those of its children, into `destination`."""
        for name, tensor in self._parameters.items():
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()
        for name, tensor in self._buffers.items():
            if tensor is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_own("get_extra_state"):
            destination[prefix + EXTRA] = self.get_extra_state()

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, Any]:
        """An ordered dictionary of all parameters and persistent buffers here and below, by dotted name.

        The tensors share memory with the module: clone them to keep their present values.

        Args:
            *args (Any): the positional form of early versions
            destination (Any): a dictionary to add to
            prefix (str, default ""): what names begin with
            keep_vars (bool, default False): give the parameters themselves instead of detached tensors

        Returns:
            the dictionary

        Example:
            >>> nn.Linear(1, 2, bias=False).state_dict().keys()
            odict_keys(['weight'])
        """
        if args:  # the positional order of early versions
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, metadata)
            if not getattr(hook, "_from_public_api", False):
                destination = destination if answer is None else answer
            elif answer is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Fill this module's own entries from `state_dict`, appending problems to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = {name: value for name, value in self._buffers.items() if name not in self._non_persistent_buffers_set}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, own in {**self._parameters, **persistent}.items():
            if own is None:
                continue
            key = prefix + name
            if key in state_dict:
                self._load_entry(name, own, key, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        self._load_extra(state_dict, prefix + EXTRA, strict, missing_keys, unexpected_keys)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != prefix + EXTRA:
                    name, *more = key[len(prefix) :].split(".", 1)
                    known = name in self._modules if more else name in persistent or name in self._parameters
                    if more and not known and name in persistent:
                        known = True
                    if not known:
                        unexpected_keys.append(key)

    def _load_extra(
        self,
        state_dict: Mapping[str, Any],
        key: str,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
    ) -> None:
        if self._has_own("set_extra_state"):
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)

    def _load_entry(self, name: str, own: Any, key: str, value: Any, assign: bool, error_msgs: list[str]) -> None:
        if not torch.overrides.is_tensor_like(value):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or '
                "Tensor-like object "
                f"from checkpoint but received {type(value)}"
            )
            return
        lazy = is_lazy(own)
        if not lazy and own.dim() == 0 and value.dim() == 1 and value.shape[0] == 1:
            value = value[0]  # early versions stored single numbers as vectors
        if not lazy and value.shape != own.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in "
                f"current model is {own.shape}."
            )
            return
        try:
            with torch.no_grad():
                if torch.__future__.get_swap_module_params_on_conversion():
                    new = own.module_load(value, assign=assign)
                    if type(own) in (Parameter, torch.Tensor) and type(new) in (Parameter, torch.Tensor) and not lazy:
                        own.data = new.detach()  # optimizers keep the object
                    else:
                        setattr(self, name, Parameter(new, own.requires_grad) if isinstance(own, Parameter) else new)
                elif assign:
                    if isinstance(own, Parameter):
                        value = value if isinstance(value, Parameter) else Parameter(value, own.requires_grad)
                        value.requires_grad_(own.requires_grad)
                    setattr(self, name, value)
                else:
                    if own.is_meta and not value.is_meta:
                        import warnings

                        warnings.warn(
                            f"for {key}: copying into a meta parameter does nothing. Pass assign=True to put the "
                            "loaded tensors in the place of the module's own"
                        )
                    own.copy_(value)
        except Exception as problem:
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model '
                f"are {own.size()} "
                f"and whose dimensions in the checkpoint are {value.size()}, an exception "
                "occurred : "
                f"{problem.args}."
            )

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> _IncompatibleKeys:
        """Copies the entries of a dictionary, as `state_dict()` gives it, into the module and its children.

        Args:
            state_dict (Mapping[str, Any]): tensors by dotted name
            strict (bool, default True): raise where keys are missing or unexpected
            assign (bool, default False): keep the tensors of `state_dict` themselves, with their types and devices

        Returns:
            (missing_keys, unexpected_keys)

        Raises:
            TypeError: `state_dict` is no mapping
            RuntimeError: shapes differ, or with `strict` keys do

        Example:
            >>> m = nn.Linear(1, 1)
            >>> m.load_state_dict({"weight": torch.ones(1, 1)}, strict=False)
            _IncompatibleKeys(missing_keys=['bias'], unexpected_keys=[])
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        entries = OrderedDict(state_dict)
        if metadata is not None:
            entries._metadata = metadata

        def load(module, entries, prefix):
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local["assign_to_params_buffers"] = assign
            module._load_from_state_dict(entries, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    start = prefix + name + "."
                    load(child, {k: v for k, v in entries.items() if k.startswith(start)}, start)
            incompatible = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, incompatible) is not None:
                    raise AssertionError(
                        "Hooks registered with register_load_state_dict_post_hook are not expected to return new "
                        "values: change incompatible_keys in place"
                    )

        load(self, entries, "")
        if strict:
            if missing:
                names = ", ".join(f'"{key}"' for key in missing)
                errors.insert(0, f"Missing key(s) in state_dict: {names}. ")
            if unexpected:
                names = ", ".join(f'"{key}"' for key in unexpected)
                errors.insert(1 if missing else 0, f"Unexpected key(s) in state_dict: {names}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)
