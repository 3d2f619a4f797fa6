"""All parameters as one vector."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all parameters, one after the other.

    Args:
        parameters (Iterable[Tensor]): the parameters

    Returns:
        one dimension

    Example:
        >>> nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1, 1)])
        tensor([1., 1., 0.])
    """
    return torch.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Lets the parameters be views of the parts of a vector.

    Args:
        vec (Tensor): one dimension, as many elements as the parameters have together
        parameters (Iterable[Tensor]): the parameters

    Raises:
        TypeError: `vec` is no tensor

    Example:
        >>> m = nn.Linear(1, 1)
        >>> nn.utils.vector_to_parameters(torch.tensor([2., 3.]), m.parameters())
        >>> m.bias
        Parameter containing:
        tensor([3.], requires_grad=True)
    """
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
