"""torch.vmap, torch.func.grad and grad_and_value: transforms of functions."""

from __future__ import annotations

import functools

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def vmap(
    func: Callable[..., Any], in_dims: int | tuple[Any, ...] = 0, out_dims: int | tuple[int, ...] = 0,
    randomness: str = "error", *, chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """A function of batches, made from a function of one example.

    The function is called once, with tensors that look like one example and stand for all: each operator computes the whole
    batch. Keyword arguments are passed as they are. vmaps nest, in each other and in the other transforms of `torch.func`.

    Args:
        func (function): takes and returns tensors, or trees of them
        in_dims (int or tuple, default 0): which dimension of each argument is the batch; None for an argument that is the same
            for all examples. A tuple may have the structure of the arguments
        out_dims (int or tuple, default 0): where the batch is in each result
        randomness (str, default "error"): what random operators do: raise an error, draw "different" numbers for each example, or
            the "same"
        chunk_size (int or None): at most so many examples at a time, to save memory

    Returns:
        the function of batches

    Raises:
        ValueError: the dimensions do not fit the arguments, or the batches have different sizes
        RuntimeError: the function reads elements as numbers, or changes a tensor in place that is the same for all examples

    Example:
        >>> x, y = torch.arange(6.).view(3, 2), torch.ones(2)
        >>> torch.vmap(torch.dot, in_dims=(0, None))(x, y)
        tensor([1., 5., 9.])
        >>> torch.vmap(torch.vmap(lambda a, b: a * b, (0, None)), (None, 0))(y, y).shape
        torch.Size([2, 2])
    """
    if chunk_size is not None and not chunk_size > 0:
        raise ValueError(f"vmap: chunk_size must be positive, got {chunk_size}")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        from torch._functorch.vmap import vmap_impl

        return vmap_impl(func, in_dims, out_dims, randomness, chunk_size, args, kwargs)

    return wrapped


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the gradient of `func`, which returns one number.

    Args:
        func (function): returns a tensor with one element, or with `has_aux` a tuple of that and anything else
        argnums (int or tuple, default 0): the arguments to differentiate by; they may be trees of tensors
        has_aux (bool, default False): the function returns something else beside the number

    Returns:
        the function of the same arguments; with `has_aux` it returns a tuple of gradients and the rest

    Raises:
        RuntimeError: `func` returns a tensor with dimensions, or an argument is not differentiable

    Example:
        >>> torch.func.grad(torch.sin)(torch.tensor(0.))
        tensor(1.)
        >>> torch.func.grad(torch.func.grad(lambda x: x ** 3))(torch.tensor(2.))
        tensor(12.)
        >>> x, y = torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.])
        >>> torch.vmap(torch.func.grad(lambda w, x: (w * x).sum()), (None, 0))(y, x)  # per-sample gradients
        tensor([[1., 2.],
                [3., 4.]])
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        from torch._functorch.eager_transforms import grad_and_value_impl

        gradients, value = grad_and_value_impl(func, argnums, has_aux, args, kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return wrapped


def grad_and_value(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Like `grad`; the function made returns a tuple of the gradient and of what `func` returned.

    Args:
        func (function): returns a tensor with one element, or with `has_aux` a tuple of that and anything else
        argnums (int or tuple, default 0): the arguments to differentiate by
        has_aux (bool, default False): the function returns something else beside the number

    Returns:
        the function of the same arguments

    Example:
        >>> torch.func.grad_and_value(lambda x: x ** 2)(torch.tensor(3.))
        (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        from torch._functorch.eager_transforms import grad_and_value_impl

        return grad_and_value_impl(func, argnums, has_aux, args, kwargs)

    return wrapped
