"""Hooks of modules: how they are registered, and a call that runs them."""

from __future__ import annotations

import warnings
from collections import OrderedDict

import torch
from torch.utils.hooks import BackwardHook, RemovableHandle

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Watched(OrderedDict):
    """Hooks of every module. Packages change these dictionaries themselves, so that each change has to be noticed."""

    def __setitem__(self, key: Any, hook: Any) -> None:
        super().__setitem__(key, hook)
        refresh_global()

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        refresh_global()

    def clear(self) -> None:
        super().clear()
        refresh_global()


class _Global:
    """Hooks that run for every module; calls test only `any`."""

    any = False

    def __init__(self) -> None:
        self.forward, self.forward_pre = _Watched(), _Watched()
        self.backward, self.backward_pre = _Watched(), _Watched()
        self.forward_with_kwargs, self.forward_always = OrderedDict(), OrderedDict()
        self.full_backward = None
        self.buffer_registration, self.module_registration = OrderedDict(), OrderedDict()
        self.parameter_registration = OrderedDict()


GLOBAL = _Global()


class _GlobalHandle(RemovableHandle):
    def remove(self) -> None:
        super().remove()
        refresh_global()


def refresh_global() -> None:
    GLOBAL.any = bool(GLOBAL.forward or GLOBAL.forward_pre or GLOBAL.backward or GLOBAL.backward_pre)


def _register_global(hooks: Any, hook: Callable[..., Any], *extra: Any) -> RemovableHandle:
    handle = _GlobalHandle(hooks, extra_dict=list(extra))
    hooks[handle.id] = hook
    for flags in extra:
        flags[handle.id] = True
    refresh_global()
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, args)` before the forward of every module.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_forward_pre_hook
        >>> handle = register_module_forward_pre_hook(lambda module, args: print(type(module).__name__))
        >>> _ = nn.ReLU()(torch.ones(1))
        ReLU
        >>> handle.remove()
    """
    return _register_global(GLOBAL.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., Any],
    *,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Calls `hook(module, args, output)` after the forward of every module.

    Args:
        hook (Callable[..., Any]): what is called
        with_kwargs (bool, default False): hand the keyword arguments to it too
        always_call (bool, default False): call it though forward raised

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_forward_hook
        >>> handle = register_module_forward_hook(lambda module, args, output: print(output.shape))
        >>> _ = nn.ReLU()(torch.ones(1))
        torch.Size([1])
        >>> handle.remove()
    """
    extra = [GLOBAL.forward_with_kwargs] if with_kwargs else []
    return _register_global(GLOBAL.forward, hook, *extra, *([GLOBAL.forward_always] if always_call else []))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_input, grad_output)` in the backward of every module.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_full_backward_hook
        >>> handle = register_module_full_backward_hook(lambda module, inside, outside: print(outside))
        >>> nn.ReLU()(torch.ones(1, requires_grad=True)).sum().backward()
        (tensor([1.]),)
        >>> handle.remove()
    """
    GLOBAL.full_backward = True
    return _register_global(GLOBAL.backward, hook)


register_module_backward_hook = register_module_full_backward_hook


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_output)` before the backward of every module.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_full_backward_pre_hook
        >>> handle = register_module_full_backward_pre_hook(lambda module, outside: print(outside))
        >>> nn.ReLU()(torch.ones(1, requires_grad=True)).sum().backward()
        (tensor([1.]),)
        >>> handle.remove()
    """
    return _register_global(GLOBAL.backward_pre, hook)


def _register_plain(hooks: Any, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, buffer)` for every buffer that a module gets; its answer, if any, takes the buffer's place.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_buffer_registration_hook
        >>> handle = register_module_buffer_registration_hook(lambda module, name, buffer: print(name))
        >>> nn.Module().register_buffer("mean", torch.zeros(1))
        mean
        >>> handle.remove()
    """
    return _register_plain(GLOBAL.buffer_registration, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, child)` for every child that a module gets; its answer, if any, takes the child's place.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_module_registration_hook
        >>> handle = register_module_module_registration_hook(lambda module, name, child: print(name, child))
        >>> _ = nn.Sequential(nn.ReLU())
        0 ReLU()
        >>> handle.remove()
    """
    return _register_plain(GLOBAL.module_registration, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, parameter)` for every parameter that a module gets; its answer, if any, takes its place.

    Args:
        hook (Callable[..., Any]): what is called

    Returns:
        a handle, whose `remove()` ends it

    Example:
        >>> from torch.nn.modules.module import register_module_parameter_registration_hook
        >>> handle = register_module_parameter_registration_hook(lambda module, name, parameter: print(name))
        >>> _ = nn.Linear(1, 1)
        weight
        bias
        >>> handle.remove()
    """
    return _register_plain(GLOBAL.parameter_registration, hook)


class HookMixin:
    """What Module offers to register hooks.

    Example:
        >>> handle = nn.ReLU().register_forward_hook(lambda module, args, output: None)
    """

    def _add_hook(self, hooks: Any, hook: Callable[..., Any], prepend: bool = False, flags: Any = ()) -> RemovableHandle:
        handle = RemovableHandle(hooks, extra_dict=list(flags))
        hooks[handle.id] = hook
        for flag in flags:
            flag[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before forward; what it returns, if anything, replaces the arguments.

        With `with_kwargs` it is `hook(module, args, kwargs)`, which returns both or None.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already
            with_kwargs (bool, default False): hand the keyword arguments to it too

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m = nn.ReLU()
            >>> handle = m.register_forward_pre_hook(lambda module, args: (args[0] - 1,))
            >>> m(torch.tensor([0., 3.]))
            tensor([0., 2.])
        """
        flags = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return self._add_hook(self._forward_pre_hooks, hook, prepend, flags)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Calls `hook(module, args, output)` after forward; what it returns, if anything, replaces the output.

        With `with_kwargs` it is `hook(module, args, kwargs, output)`.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already
            with_kwargs (bool, default False): hand the keyword arguments to it too
            always_call (bool, default False): call it though forward raised

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m = nn.ReLU()
            >>> handle = m.register_forward_hook(lambda module, args, output: output * 2)
            >>> m(torch.tensor([-1., 3.]))
            tensor([0., 6.])
        """
        flags = [self._forward_hooks_with_kwargs] if with_kwargs else []
        if always_call:
            flags.append(self._forward_hooks_always_called)
        return self._add_hook(self._forward_hooks, hook, prepend, flags)

    def _set_backward_kind(self, full: bool) -> None:
        if self._is_full_backward_hook is not None and self._is_full_backward_hook != full:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = full

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` when the gradients of the inputs are known.

        What it returns, if anything, replaces grad_input.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already

        Returns:
            a handle, whose `remove()` ends it

        Raises:
            RuntimeError: the module has a hook by `register_backward_hook`

        Example:
            >>> m, x = nn.ReLU(), torch.ones(2, requires_grad=True)
            >>> handle = m.register_full_backward_hook(lambda module, inside, outside: (inside[0] * 10,))
            >>> m(x).sum().backward()
            >>> x.grad
            tensor([10., 10.])
        """
        self._set_backward_kind(True)
        return self._add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The form before full hooks: `hook` sees the gradients of the last node that forward recorded.

        Args:
            hook (Callable[..., Any]): what is called

        Returns:
            a handle, whose `remove()` ends it

        Raises:
            RuntimeError: the module has a hook by `register_full_backward_hook`

        Example:
            >>> m, x = nn.ReLU(), torch.ones(2, requires_grad=True)
            >>> handle = m.register_backward_hook(lambda module, inside, outside: print(outside))
            >>> m(x).sum().backward()
            (tensor([1., 1.]),)
        """
        self._set_backward_kind(False)
        return self._add_hook(self._backward_hooks, hook)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_output)` before the module's backward; its answer, if any, replaces grad_output.

        Args:
            hook (Callable[..., Any]): what is called
            prepend (bool, default False): call it before the hooks that are there already

        Returns:
            a handle, whose `remove()` ends it

        Example:
            >>> m, x = nn.ReLU(), torch.ones(2, requires_grad=True)
            >>> handle = m.register_full_backward_pre_hook(lambda module, outside: (outside[0] * 3,))
            >>> m(x).sum().backward()
            >>> x.grad
            tensor([3., 3.])
        """
        return self._add_hook(self._backward_pre_hooks, hook, prepend)

    _compiled_call_impl = None

    def _wrapped_call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return self._call_impl(*args, **kwargs)

    def _slow_forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def _get_backward_hooks(self) -> tuple[list[Any], list[Any]]:
        """(full hooks, old ones), those of every module first."""
        full = list(GLOBAL.backward.values()) if GLOBAL.full_backward is True else []
        old = list(GLOBAL.backward.values()) if GLOBAL.full_backward is False else []
        own = list(self._backward_hooks.values())
        return (full + own, old) if self._is_full_backward_hook is True else (full, old + own)

    def _get_backward_pre_hooks(self) -> list[Any]:
        return [*GLOBAL.backward_pre.values(), *self._backward_pre_hooks.values()]

    def _replicate_for_data_parallel(self) -> Any:
        """A copy without parameters, which shares everything else."""
        replica = type(self).__new__(type(self))
        replica.__dict__.update(self.__dict__)
        replica._parameters, replica._buffers, replica._modules = {}, dict(self._buffers), dict(self._modules)
        replica._is_replica = True
        return replica

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """Forward with every hook around it."""
        try:
            return _call_with_hooks(self, args, kwargs)
        except Exception:
            _run_always_called(self, args, kwargs)
            raise
        finally:
            self.__dict__.pop("_hooks_done", None)


def _call_with_hooks(module, args, kwargs):
    done = module.__dict__["_hooks_done"] = set()
    for key, hook in [*GLOBAL.forward_pre.items(), *module._forward_pre_hooks.items()]:
        if key in module._forward_pre_hooks_with_kwargs:
            answer = hook(module, args, kwargs)
            if answer is not None:
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
                    )
                args, kwargs = answer
        else:
            answer = hook(module, args)
            if answer is not None:
                args = answer if isinstance(answer, tuple) else (answer,)
    full = [*GLOBAL.backward.values()] if GLOBAL.full_backward else []
    pre = [*GLOBAL.backward_pre.values(), *module._backward_pre_hooks.values()]
    if module._is_full_backward_hook:
        full += module._backward_hooks.values()
    around = BackwardHook(module, full, pre) if full or pre else None
    if around:
        args = around.setup_input_hook(args)
    result = module.forward(*args, **kwargs)
    for key, hook in [*GLOBAL.forward.items(), *module._forward_hooks.items()]:
        done.add(key)
        if key in module._forward_hooks_with_kwargs or key in GLOBAL.forward_with_kwargs:
            answer = hook(module, args, kwargs, result)
        else:
            answer = hook(module, args, result)
        if answer is not None:
            result = answer
    if around:
        if not isinstance(result, (torch.Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                f"received {type(result)}"
            )
        result = around.setup_output_hook(result)
    if module._is_full_backward_hook is False and module._backward_hooks:
        _hook_last_node(module, result)
    return result


def _hook_last_node(module, result):
    while not isinstance(result, torch.Tensor):
        result = next(v for v in result.values() if isinstance(v, torch.Tensor)) if isinstance(result, dict) else result[0]
    node = result.grad_fn
    if node is not None:
        for hook in module._backward_hooks.values():
            node.register_hook(lambda grad_input, grad_output, hook=hook: hook(module, grad_input, grad_output))


def _run_always_called(module, args, kwargs):
    done = module.__dict__.get("_hooks_done", ())
    always = {
        **{key: GLOBAL.forward.get(key) for key in GLOBAL.forward_always},
        **{key: module._forward_hooks.get(key) for key in module._forward_hooks_always_called},
    }
    for key, hook in always.items():
        if key in done or hook is None:
            continue
        try:
            if key in module._forward_hooks_with_kwargs or key in GLOBAL.forward_with_kwargs:
                hook(module, args, kwargs, None)
            else:
                hook(module, args, None)
        except Exception as problem:
            warnings.warn(f"forward hook with always_call=True raised {problem!r}, silenced because forward failed too")
