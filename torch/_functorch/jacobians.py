"""jacrev, jacfwd and hessian of torch.func."""

from __future__ import annotations

import contextlib
import functools

import torch
from torch import Tensor
from torch._C import _functorch as _C
from torch._functorch.apis import vmap
from torch._functorch.eager_transforms import check_real, chosen, jvp, pullback, pushforward, with_inputs
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def _basis(t: Tensor) -> Tensor:
    """All tensors like t that are 1 at one place and 0 elsewhere."""
    return torch.eye(t.numel(), dtype=t.dtype, device=t.device).view(t.numel(), *t.shape)


def _checked_chunk(name: str, chunk_size: int | None) -> int | None:
    if chunk_size is not None and not chunk_size > 0:
        raise ValueError(f"{name}: chunk_size must be positive, got {chunk_size}")
    return chunk_size


@contextlib.contextmanager
def _without_random_operators() -> Iterator[None]:
    """A block in which drawing random numbers is an error."""
    _C._refuse_random(True)
    try:
        yield
    finally:
        _C._refuse_random(False)


def jacrev(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """A function that computes the Jacobian of `func`, row by row in reverse mode.

    Args:
        func (function): takes tensors, and returns one or a tree of them
        argnums (int or tuple, default 0): the arguments to differentiate by
        has_aux (bool, default False): the function returns a tuple of its outputs and anything else
        chunk_size (int or None): at most so many rows at a time, to save memory

    Returns:
        the function of the same arguments; its result has the structure of the outputs, each with the shape of the output
        followed by that of the argument

    Example:
        >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    _checked_chunk("jacrev", chunk_size)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        inputs, places = chosen("jacrev", args, argnums)
        single = isinstance(argnums, int)
        check_real("jacrev", "the arguments to differentiate by", inputs)

        def of_inputs(*given):
            return func(*with_inputs(args, places, given[0] if single else given, single), **kwargs)

        output, back, aux = pullback(of_inputs, (inputs,) if single else inputs, has_aux, "jacrev")
        check_real("jacrev", "the results", back.outputs)
        jacobians = []
        for k, y in enumerate(back.outputs):
            if y.numel() == 0:
                flat, spec = tree_flatten((inputs,) if single else inputs)
                rows = tree_unflatten([x.new_zeros(0, *x.shape) for x in flat], spec)
            else:
                rows = vmap(lambda w, k=k: back.of_outputs([k], [w]), chunk_size=chunk_size)(_basis(y))
            flat, spec = tree_flatten(rows)
            shaped = [r.reshape(y.shape + r.shape[1:]) for r in flat]
            jacobian = tree_unflatten(shaped, spec)
            jacobians.append(jacobian[0] if single else tuple(jacobian))
        result = tree_unflatten(jacobians, back.spec)
        return (result, aux) if has_aux else result

    return wrapped


def _all_columns_at_once(func: Callable[..., Any], inputs: Any, single: bool, has_aux: bool) -> Any:
    """The Jacobian of a function that draws other random numbers for each column."""
    flat, spec = tree_flatten((inputs,) if single else inputs)
    sizes = [x.numel() for x in flat]
    blocks = [b.reshape(-1, *x.shape).to(x) for x, b in zip(flat, torch.eye(sum(sizes), dtype=torch.float64).split(sizes, dim=1))]

    def along(*directions):
        output, derived, *aux = jvp(func, tree_unflatten(flat, spec), tree_unflatten(directions, spec), has_aux=has_aux)
        return derived, output, aux[0] if has_aux else ()

    derived, output, aux = vmap(along, randomness="different")(*blocks)
    check_real("jacfwd", "the results", output)
    columns, out_spec = tree_flatten(derived)
    jacobians = []
    for d in columns:
        parts = [p.movedim(0, -1).reshape(d.shape[1:] + x.shape) for p, x in zip(d.split(sizes), flat)]
        jacobian = tree_unflatten(parts, spec)
        jacobians.append(jacobian[0] if single else tuple(jacobian))
    result = tree_unflatten(jacobians, out_spec)
    return (result, tree_map(lambda t: t[0], aux)) if has_aux else result


def jacfwd(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func`, column by column.

    The function is linearized once, and the columns are its derivatives along all directions. With randomness="different" it is
    called with all directions at once.

    Args:
        func (function): takes tensors, and returns one or a tree of them
        argnums (int or tuple, default 0): the arguments to differentiate by
        has_aux (bool, default False): the function returns a tuple of its outputs and anything else
        randomness (str, default "error"): what random operators do: raise an error, draw "different" numbers for each column, or
            the "same"

    Returns:
        the function of the same arguments; its result has the structure of the outputs, each with the shape of the output
        followed by that of the argument

    Example:
        >>> torch.func.jacfwd(torch.sin)(torch.zeros(2))
        tensor([[1., 0.],
                [0., 1.]])
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if randomness not in ("error", "different", "same"):
            raise RuntimeError(f"jacfwd: randomness must be 'error', 'different' or 'same', got {randomness!r}")
        inputs, places = chosen("jacfwd", args, argnums)
        single = isinstance(argnums, int)
        check_real("jacfwd", "the arguments to differentiate by", inputs)

        def of_inputs(*given):
            with _without_random_operators() if randomness == "error" else contextlib.nullcontext():
                return func(*with_inputs(args, places, given[0] if single else given, single), **kwargs)

        if randomness == "different":
            return _all_columns_at_once(of_inputs, inputs, single, has_aux)
        output, forward, aux = pushforward(of_inputs, (inputs,) if single else inputs, has_aux, "jacfwd")
        check_real("jacfwd", "the results", forward.outputs)
        flat, spec = tree_flatten((inputs,) if single else inputs)
        columns = []  # by input: a list with a tensor for each output
        for k, x in enumerate(flat):
            if x.numel() == 0:
                columns.append([y.new_zeros(y.shape + x.shape) for y in forward.outputs])
                continue

            def along(t, k=k):
                return tuple(forward.flat([t if i == k else torch.zeros_like(x) for i, x in enumerate(flat)]))

            derived = vmap(along, out_dims=-1)(_basis(x))
            columns.append([d.reshape(d.shape[:-1] + x.shape) for d in derived])
        jacobians = []
        for k in range(len(forward.outputs)):
            jacobian = tree_unflatten([c[k] for c in columns], spec)
            jacobians.append(jacobian[0] if single else tuple(jacobian))
        result = tree_unflatten(jacobians, forward.spec)
        return (result, aux) if has_aux else result

    return wrapped


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that computes the second derivatives of `func`.

    Args:
        func (function): takes tensors, and returns one or a tree of them
        argnums (int or tuple, default 0): the arguments to differentiate by

    Returns:
        the function of the same arguments

    Example:
        >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)
