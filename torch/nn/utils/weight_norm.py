"""Weight normalization by a hook, the form before parametrizations; kept for programs and state dictionaries that use it."""

from __future__ import annotations

import warnings

import torch
from torch.nn.parameter import Parameter, UninitializedParameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from torch.nn import Module

    _M = TypeVar("_M", bound=Module)

__all__ = ["WeightNorm", "weight_norm", "remove_weight_norm"]


class WeightNorm:
    """The hook that computes a weight from its length and its direction before every forward.

    Args:
        name (str): the weight
        dim (int or None): there is one length for each slice of this dimension; None: one for the whole tensor

    Example:
        >>> from torch.nn.utils.weight_norm import WeightNorm
        >>> m = nn.Linear(2, 3)
        >>> hook = WeightNorm.apply(m, "weight", 0)
        >>> list(m.state_dict())
        ['bias', 'weight_g', 'weight_v']
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Any:
        """The weight, from the tensors NAME_g and NAME_v of the module.

        Args:
            module (Module): the module

        Returns:
            the weight

        Example:
            >>> from torch.nn.utils.weight_norm import WeightNorm
            >>> m = nn.Linear(2, 3)
            >>> WeightNorm.apply(m, "weight", 0).compute_weight(m).shape
            torch.Size([3, 2])
        """
        return torch._weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Splits the weight of a module, and adds the hook to it.

        Args:
            module (Module): the module
            name (str): the weight
            dim (int or None): there is one length for each slice of this dimension

        Returns:
            the hook

        Raises:
            RuntimeError: the weight has such a hook already
            ValueError: the weight has no shape yet

        Example:
            >>> from torch.nn.utils.weight_norm import WeightNorm
            >>> hook = WeightNorm.apply(nn.Linear(2, 3), "weight", 0)
        """
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"weight_norm: '{name}' of {type(module).__name__} is normalized already")
        hook = WeightNorm(name, dim)
        weight: Any = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError(f"weight_norm: '{name}' has no shape yet; run a forward first")
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(torch.norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again.

        Args:
            module (Module): the module

        Example:
            >>> from torch.nn.utils.weight_norm import WeightNorm
            >>> m = nn.Linear(2, 3)
            >>> WeightNorm.apply(m, "weight", 0).remove(m)
            >>> list(m.state_dict())
            ['bias', 'weight']
        """
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: _M, name: str = "weight", dim: int | None = 0) -> _M:
    """Splits a weight into a length and a direction, by a hook; `nn.utils.parametrizations.weight_norm` takes its place.

    The parameters are NAME_g, the length, and NAME_v, the direction; the attribute NAME is computed before every forward.

    Args:
        module (_M): the module
        name (str, default "weight"): the weight
        dim (int or None, default 0): there is one length for each slice of this dimension; None: one for the whole tensor

    Returns:
        the module

    Raises:
        RuntimeError: the weight is normalized already

    Example:
        >>> m = nn.utils.weight_norm(nn.Linear(20, 40))
        >>> m.weight_g.shape, m.weight_v.shape
        (torch.Size([40, 1]), torch.Size([40, 20]))
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is the old form of `torch.nn.utils.parametrizations.weight_norm`",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: _M, name: str = "weight") -> _M:
    """Undoes `weight_norm`: the weight is a parameter again, with its present value.

    Args:
        module (_M): the module
        name (str, default "weight"): the weight

    Returns:
        the module

    Raises:
        ValueError: the weight is not normalized

    Example:
        >>> m = nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(2, 3)))
        >>> list(m.state_dict())
        ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"remove_weight_norm: {type(module).__name__} has no normalized weight with name '{name}'")
