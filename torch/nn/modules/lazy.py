"""LazyModuleMixin: a module whose parameters get their shapes from its first input."""

from __future__ import annotations

import torch
from torch.nn.parameter import is_lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Mixed into a module whose parameters get their shapes from its first input.

    The module's constructor makes UninitializedParameter and UninitializedBuffer, and `initialize_parameters` gives them shapes.
    It runs before the first forward, after which the module has the class `cls_to_become`, if one is set. Loading a state
    dictionary gives shapes, too.

    Args:
        *args (Any): those of the next class
        **kwargs (Any): those of the next class

    Example:
        >>> from torch.nn.modules.lazy import LazyModuleMixin
        >>> class Scale(LazyModuleMixin, nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.weight = nn.UninitializedParameter()
        ...     def initialize_parameters(self, x):
        ...         if self.has_uninitialized_params():
        ...             self.weight.materialize(x.shape[-1:])
        ...             nn.init.ones_(self.weight)
        ...     def forward(self, x):
        ...         return x * self.weight
        >>> Scale()(torch.tensor([1., 2.]))
        tensor([1., 2.], grad_fn=<MulBackward0>)
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        module._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        module._initialize_hook = module.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Give parameters the shapes that they have in a state dictionary."""
        module: Any = self
        for name, own in [*module._parameters.items(), *module._buffers.items()]:
            value = state_dict.get(prefix + name)
            if own is not None and isinstance(value, torch.Tensor) and is_lazy(own) and not is_lazy(value):
                with torch.no_grad():
                    own.materialize(value.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives the parameters shapes and values; a subclass defines it.

        Args:
            *args (Any): the arguments of the first forward
            **kwargs (Any): the arguments of the first forward

        Raises:
            NotImplementedError: the subclass does not

        Example:
            >>> m = nn.LazyLinear(2)
            >>> m.initialize_parameters(torch.ones(1, 3))
            >>> m.weight.shape
            torch.Size([2, 3])
        """
        raise NotImplementedError(f"{type(self).__name__} must define initialize_parameters")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet.

        Returns:
            whether one has not

        Example:
            >>> nn.LazyLinear(2).has_uninitialized_params()
            True
        """
        module: Any = self
        tensors = [*module._parameters.values(), *module._buffers.values()]
        return any(tensor is not None and is_lazy(tensor) for tensor in tensors)

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        """The hook before the first forward."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"{type(module).__name__}: initialize_parameters has left parameters without a shape")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
