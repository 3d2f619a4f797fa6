"""functional_call and stack_module_state of torch.func."""

from __future__ import annotations

import torch
from torch.nn.utils.stateless import _functional_call

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
    from torch.nn import Module


def functional_call(
    module: Module, parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]], args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Calls a module with other tensors in the place of its parameters and buffers, which stay as they are.

    A buffer that the forward assigns is put into the dictionary instead.

    Args:
        module (Module): the module
        parameter_and_buffer_dicts (dict[str, Tensor] or Sequence): tensors by dotted name, or several such dictionaries without
            common names; the tensors that they lack are the module's own
        args (Any): arguments of the call; a tuple holds several
        kwargs (dict[str, Any] or None): keyword arguments of the call
        tie_weights (bool, default True): replace a tensor that the module has under several names under all of them
        strict (bool, default False): require the names to be exactly the module's

    Returns:
        what the module returns

    Raises:
        RuntimeError: with `strict`, names are missing or unexpected
        ValueError: two dictionaries have a name in common, or two names of one tensor are given different tensors

    Example:
        >>> m, w = torch.nn.Linear(2, 1), torch.ones(1, 2, requires_grad=True)
        >>> out = torch.func.functional_call(m, {"weight": w, "bias": torch.zeros(1)}, torch.ones(2))
        >>> out.backward()
        >>> out.item(), w.grad
        (2.0, tensor([[1., 1.]]))
    """
    tensors: dict[str, Tensor]
    if isinstance(parameter_and_buffer_dicts, dict):
        tensors = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, (list, tuple)):
        tensors = {}
        for given in parameter_and_buffer_dicts:
            if not isinstance(given, dict):
                raise ValueError(f"functional_call: expected dictionaries of tensors, but one of them is {type(given).__name__}")
            repeated = tensors.keys() & given.keys()
            if repeated:
                raise ValueError(f"functional_call: {sorted(repeated)} appear in more than one dictionary")
            tensors.update(given)
    else:
        raise ValueError(
            "functional_call: expected a dictionary of tensors, or a list or tuple of them, "
            f"but got {type(parameter_and_buffer_dicts).__name__}"
        )
    return _functional_call(module, tensors, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models: Sequence[Module] | Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of several modules of one kind, each stacked along a new first dimension.

    Args:
        models (Sequence[Module]): the modules; their classes and modes are the same

    Returns:
        (parameters, buffers): dictionaries by dotted name; the stacked parameters are leaves of their own

    Raises:
        RuntimeError: there is no module, or they differ in class or mode

    Example:
        >>> params, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 3) for _ in range(5)])
        >>> params["weight"].shape
        torch.Size([5, 3, 2])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: expected one or more models, but got none")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: all models must be in training mode, or none")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: all models must have the same class")
    params = {
        name: construct_stacked_leaf([dict(model.named_parameters())[name] for model in models], name)
        for name, _ in models[0].named_parameters()
    }
    buffers = {
        name: construct_stacked_leaf([dict(model.named_buffers())[name] for model in models], name)
        for name, _ in models[0].named_buffers()
    }
    return params, buffers


def construct_stacked_leaf(tensors: Sequence[Tensor], name: str) -> Tensor:
    """One leaf with all the tensors, which require gradients all or none of them."""
    required = {tensor.requires_grad for tensor in tensors}
    if len(required) > 1:
        raise RuntimeError(f"stack_module_state: '{name}' requires a gradient in some models, but not in all")
    return torch.stack(list(tensors)).detach().requires_grad_(required.pop())
