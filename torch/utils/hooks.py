"""Handles of registered hooks, and the hooks around a module's backward."""

from __future__ import annotations

import weakref
from collections import OrderedDict

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class RemovableHandle:
    """Names one hook in a dictionary of hooks, to take it out again.

    Args:
        hooks_dict (dict): where the hook is
        extra_dict (dict or list of dict, optional): what else forgets it

    Example:
        >>> layer = nn.Linear(2, 1)
        >>> with layer.register_forward_hook(lambda module, inputs, output: print("ran")):
        ...     output = layer(torch.ones(2))
        ran
        >>> output = layer(torch.ones(2))
    """

    id: int
    next_id = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict) if isinstance(hooks_dict, OrderedDict) else _Strong(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = () if extra_dict is None else extra_dict if isinstance(extra_dict, list) else (extra_dict,)
        self.extra_dict_ref = tuple(_reference(item) for item in extra)

    def remove(self) -> None:
        """Removes the hook from the dictionaries."""
        for held in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = held()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self):
        return (self.hooks_dict_ref(), self.id, tuple(held() for held in self.extra_dict_ref))

    def __setstate__(self, state):
        self.hooks_dict_ref = _reference(OrderedDict() if state[0] is None else state[0])
        self.id = state[1]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        self.extra_dict_ref = tuple(_reference(item or OrderedDict()) for item in (state[2] if len(state) > 2 else ()))

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        self.remove()


class _Strong:
    """Replaces a weak reference to a plain dict, which does not support them."""

    def __init__(self, held):
        self.held = held

    def __call__(self):
        return self.held


def _reference(hooks):
    return weakref.ref(hooks) if isinstance(hooks, OrderedDict) else _Strong(hooks)


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a hook that a pickled tensor leaves behind without a warning.

    Args:
        f (function): the hook

    Returns:
        the hook

    Example:
        >>> @torch.utils.hooks.unserializable_hook
        ... def hook(gradient):
        ...     return gradient * 2
        >>> x = torch.ones(1, requires_grad=True)
        >>> handle = x.register_hook(hook)
    """
    f.__torch_unserializable__ = True
    return f


class BackwardHook:
    """Full backward hooks of one module call.

    An identity function on the inputs and one on the outputs bracket the call in the graph. When the gradient of the outputs
    arrives, the pre-hooks run; when the gradient of the inputs is known too, the hooks run.

    Args:
        module (Module): the module
        user_hooks (list of function): get the module, the gradients of its inputs and those of its outputs
        user_pre_hooks (list of function): get the module and the gradients of its outputs

    Example:
        >>> hook = torch.utils.hooks.BackwardHook(nn.ReLU(), [lambda module, inputs, outputs: print(outputs)], [])
        >>> x, = hook.setup_input_hook((torch.ones(1, requires_grad=True),))
        >>> hook.setup_output_hook(x * 2).backward()
        (tensor([1.]),)
    """

    def __init__(self, module: Any, user_hooks: Any, user_pre_hooks: Any) -> None:
        self.module, self.hooks, self.pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs, self.input_count, self.input_places = None, 0, ()
        self.output_count, self.output_places = 0, ()

    def _bracket(self, values, register):
        from torch.nn.modules._functions import BackwardHookFunction

        places = [k for k, value in enumerate(values) if isinstance(value, torch.Tensor)]
        tensors = [values[k] for k in places]
        if not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)):
            return values, None
        passed = BackwardHookFunction.apply(*tensors)
        nodes = {tensor.grad_fn for tensor in passed if tensor.grad_fn is not None}
        if not nodes:
            raise RuntimeError("a full backward hook was set on a module whose inputs do not require gradients")
        register(nodes.pop())
        values = list(values)
        for k, tensor in zip(places, passed):
            values[k] = tensor
        return tuple(values), places

    @staticmethod
    def _spread(grads, places, count):
        wide = [None] * count
        for k, grad in zip(places, grads):
            wide[k] = grad
        return tuple(wide)

    @staticmethod
    def _narrow(grads, places):
        return tuple(grads[k] for k in places)

    def setup_input_hook(self, args: Any) -> Any:
        """Brackets the inputs.

        Args:
            args (tuple): the inputs
        """

        def register(node):
            def done(grad_input, _):
                if self.grad_outputs is None:
                    return None
                grads = self._spread(grad_input, self.input_places, self.input_count)
                changed = None
                for hook in self.hooks:
                    answer = hook(self.module, grads, self.grad_outputs)
                    if answer is not None:
                        answer = answer if isinstance(answer, tuple) else (answer,)
                        if len(answer) != len(grads):
                            raise RuntimeError(
                                "Backward hook returned an invalid number of grad_input, got "
                                f"{len(answer)}, but expected {len(grads)}"
                            )
                        grads = changed = answer
                self.grad_outputs = None
                return None if changed is None else self._narrow(changed, self.input_places)

            node.register_hook(done)

        self.input_count = len(args)
        values, places = self._bracket(args, register)
        self.input_places = places or ()
        self._bracketed_input = places is not None
        return values

    def setup_output_hook(self, args: Any) -> Any:
        """Brackets the outputs.

        Args:
            args (Tensor or tuple): the outputs
        """

        def register(node):
            def arrived(_, grad_output):
                grads = self._spread(grad_output, self.output_places, self.output_count)
                for hook in self.pre_hooks:
                    answer = hook(self.module, grads)
                    if answer is not None:
                        grads = answer if isinstance(answer, tuple) else (answer,)
                        if len(grads) != self.output_count:
                            raise RuntimeError(
                                f"Backward pre hook returned an invalid number of grad_output, got {len(grads)}, "
                                f"but expected {self.output_count}"
                            )
                self.grad_outputs = grads
                if not self._bracketed_input:  # no input has a gradient, so this is the only opportunity
                    for hook in self.hooks:
                        if hook(self.module, self._spread((), (), self.input_count), grads) is not None:
                            raise RuntimeError(
                                "Backward hook for Modules where no input requires gradient should always return "
                                "None or None for all gradients."
                            )
                    self.grad_outputs = None
                return self._narrow(grads, self.output_places)

            node.register_prehook(lambda grad_output: arrived(None, grad_output))

        single = not isinstance(args, tuple)
        values = (args,) if single else args
        self.output_count = len(values)
        values, places = self._bracket(values, register)
        self.output_places = places or ()
        return values[0] if single else values
