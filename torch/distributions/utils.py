"""What the distributions share: broadcasting of parameters, probabilities against logits, attributes computed on demand."""

from __future__ import annotations

import math

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from torch import Tensor

euler_constant = 0.57721566490153286060

# Operators of torch.nn.functional, without the import of torch.nn.
softplus: Any = torch._C._nn.softplus
logsigmoid: Any = torch._C._nn.log_sigmoid
one_hot: Any = torch._C._nn.one_hot

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]  # fmt: skip


def is_tensor_like(value: object) -> bool:
    """Whether a value is a tensor, or its type takes part in functions of tensors."""
    return isinstance(value, torch.Tensor) or hasattr(type(value), "__torch_function__")


def cross_entropy_of_logits(logits: Tensor, probs: Tensor) -> Tensor:
    """-probs log(sigmoid(logits)) - (1 - probs) log(1 - sigmoid(logits)), without reduction."""
    return torch.binary_cross_entropy_with_logits(logits, probs, None, None, 0)


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Tensors of one shape from tensors and numbers.

    Numbers take the dtype and the device of the first tensor, or the default dtype if there is none.

    Args:
        *values (Tensor or Number): what is broadcast

    Returns:
        a tuple of tensors, as `torch.broadcast_tensors` gives

    Raises:
        ValueError: an argument is neither a tensor nor a number

    Example:
        >>> from torch.distributions.utils import broadcast_all
        >>> broadcast_all(torch.zeros(2), 1)
        (tensor([0., 0.]), tensor([1., 1.]))
    """
    for value in values:
        if not (isinstance(value, (int, float)) or is_tensor_like(value)):
            raise ValueError(
                f"parameters must be numbers, Tensors or objects with __torch_function__, got {type(value).__name__}"
            )
    first = next((value for value in values if isinstance(value, torch.Tensor)), None)
    options = {"dtype": torch.get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    return tuple(torch.broadcast_tensors(*[v if is_tensor_like(v) else torch.tensor(v, **options) for v in values]))


def one_of_two(probs: Any, logits: Any) -> bool:
    """Whether `probs` was given. Exactly one of the two must be."""
    if (probs is None) == (logits is None):
        raise ValueError(f"give either `probs` or `logits`, got {'neither' if probs is None else 'both'}")
    return probs is not None


def _standard_normal(shape: Sequence[int], dtype: torch.dtype | None, device: Any) -> Tensor:
    """Normal noise, drawn as `Tensor.normal_` draws it."""
    return torch.empty(tuple(shape), dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape(value.shape[: value.dim() - dim] + (-1,)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from logits: `sigmoid` of log odds, or `softmax` over the last dimension.

    Args:
        logits (Tensor): log odds, or logarithms of unnormalized probabilities
        is_binary (bool, default False): whether each value stands for itself

    Returns:
        a tensor of the same shape

    Example:
        >>> from torch.distributions.utils import logits_to_probs
        >>> logits_to_probs(torch.zeros(4))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities, kept away from 0 and 1 by the machine epsilon of their dtype.

    Args:
        probs (Tensor): probabilities

    Returns:
        a tensor of the same shape

    Example:
        >>> from torch.distributions.utils import clamp_probs
        >>> bool(clamp_probs(torch.tensor(0.0)) > 0)
        True
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits from probabilities: log odds, or logarithms.

    The probabilities are clamped first, so that the result is finite.

    Args:
        probs (Tensor): probabilities
        is_binary (bool, default False): whether each value stands for itself

    Returns:
        a tensor of the same shape

    Example:
        >>> from torch.distributions.utils import probs_to_logits
        >>> probs_to_logits(torch.tensor(0.5), is_binary=True)
        tensor(0.)
    """
    inside = clamp_probs(probs)
    return inside.log() - torch.log1p(-inside) if is_binary else inside.log()


class lazy_property:
    """An attribute of an object that a method computes when it is first read.

    The value takes the method's place on the object. It is computed with gradients enabled.

    Args:
        wrapped (Callable): the method

    Example:
        >>> from torch.distributions.utils import lazy_property
        >>> class Square:
        ...     def __init__(self, side):
        ...         self.side = side
        ...     @lazy_property
        ...     def area(self):
        ...         print("computed")
        ...         return self.side**2
        >>> square = Square(3)
        >>> square.area + square.area
        computed
        18
    """

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.__name__ = wrapped.__name__

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is not None:
            with torch.enable_grad():
                value = self.wrapped(instance)
            setattr(instance, self.__name__, value)
            return value
        return _lazy_property_and_property(self.wrapped)


class _lazy_property_and_property(lazy_property, property):
    """What the class of an object with a lazy property shows: a property, for `help` and for documentation tools."""

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        property.__init__(self, wrapped)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of a batch of matrices, row by row.

    Args:
        mat (Tensor): shape (..., n, n)
        diag (int, default 0): the last diagonal that belongs to the triangle

    Returns:
        a tensor of shape (..., number of entries)

    Raises:
        ValueError: the matrices have no such diagonal

    Example:
        >>> from torch.distributions.utils import tril_matrix_to_vec
        >>> tril_matrix_to_vec(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 3, 4])
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag must be between {-n} and {n - 1}, got {diag}")
    rows, columns = torch.tril_indices(n, n, diag, device=mat.device)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """A batch of lower triangular matrices from the entries of their triangles: the inverse of `tril_matrix_to_vec`.

    Args:
        vec (Tensor): shape (..., number of entries)
        diag (int, default 0): the last diagonal that belongs to the triangle

    Returns:
        a tensor of shape (..., n, n)

    Raises:
        ValueError: no triangle has that many entries

    Example:
        >>> from torch.distributions.utils import vec_to_tril_matrix
        >>> vec_to_tril_matrix(torch.tensor([1.0, 3.0, 4.0]))
        tensor([[1., 0.],
                [3., 4.]])
    """
    count = vec.shape[-1]
    # The count is (n (n + slope) - |diag| (diag + 1)) / 2; n is the positive root.
    slope = 1 + 2 * diag
    square = slope * slope + 8 * count + 4 * abs(diag) * (diag + 1)
    root = math.isqrt(square) if square >= 0 else 0
    n, rest = divmod(root - slope, 2)
    if root * root != square or rest:
        raise ValueError(f"{count} entries do not fill the lower triangle of a square matrix up to diagonal {diag}")
    rows, columns = torch.tril_indices(n, n, diag, device=vec.device)
    matrix = vec.new_zeros(vec.shape[:-1] + (n, n))
    matrix[..., rows, columns] = vec
    return matrix
