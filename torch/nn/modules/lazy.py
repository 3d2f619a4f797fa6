"""The base of modules of programs whose parameters take their shapes from the first input."""

from __future__ import annotations

from typing import Any

from torch.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Put before a module class: the first call makes the parameters, by `initialize_parameters`, before forward runs.

    Parameters are UninitializedParameter until then. If `cls_to_become` is a class, the module then is one.

    Example:
        >>> from torch.nn.modules.lazy import LazyModuleMixin
        >>> class Scale(LazyModuleMixin, nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.weight = nn.UninitializedParameter()
        ...     def initialize_parameters(self, x):
        ...         self.weight.materialize(x.shape[-1:])
        ...         nn.init.ones_(self.weight)
        ...     def forward(self, x):
        ...         return self.weight * x
        >>> Scale()(torch.ones(2))
        tensor([1., 1.], grad_fn=<MulBackward0>)
    """

    cls_to_become: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._initialize_hook = self.register_forward_pre_hook(  # type: ignore[attr-defined]
            LazyModuleMixin._infer_parameters, with_kwargs=True
        )

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Make the parameters; classes define it.

        Args:
            *args (Any): what forward gets
            **kwargs (Any): what forward gets

        Raises:
            NotImplementedError: the class does not
        """
        raise NotImplementedError(f"{type(self).__name__} defines no initialize_parameters")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet.

        Returns:
            whether one has none
        """
        tensors = (*self._parameters.values(), *self._buffers.values())  # type: ignore[attr-defined]
        return any(tensor is not None and is_lazy(tensor) for tensor in tensors)

    def _infer_parameters(self, args: Any, kwargs: Any = None) -> None:
        self.initialize_parameters(*args, **(kwargs or {}))
        if self.has_uninitialized_params():
            raise RuntimeError(f"{type(self).__name__}: initialize_parameters left parameters without a shape")
        self._initialize_hook.remove()
        del self.__dict__["_initialize_hook"]
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become
