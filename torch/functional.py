"""Functions of the top-level namespace that are written in Python over operators."""

from __future__ import annotations

import torch
from torch import _C, _lazy
from torch._operators import VF as _VF

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from torch import Tensor

_overridden = _C._has_torch_function
_Tensor = torch.Tensor


def _hand_over(function: Callable[..., Any], relevant: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
    from torch.overrides import handle_torch_function

    return handle_torch_function(function, relevant, *args, **kwargs)


def _unpack(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Tensors passed one by one, or as one list."""
    return tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a tensor.

    Args:
        tensor (Tensor): what to take apart
        split_size_or_sections (int or Sequence[int]): the size of each part (the last may be shorter), or the sizes of all
        dim (int, default 0): the dimension that is cut

    Returns:
        the parts, which share the memory of `tensor`

    Raises:
        RuntimeError: the size is negative, or the sizes do not add up to the length of `dim`

    Example:
        >>> torch.split(torch.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        >>> torch.split(torch.arange(5), [1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if _overridden((tensor,)):
        return _hand_over(split, (tensor,), tensor, split_size_or_sections, dim=dim)
    return tensor.split(split_size_or_sections, dim)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape.

    Args:
        *tensors (Tensor): one by one, or in one list

    Returns:
        views of that shape; elements may share memory, so clone before writing

    Raises:
        RuntimeError: the shapes do not broadcast

    Example:
        >>> a, b = torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(2))
        >>> a.shape, b.shape
        (torch.Size([3, 2]), torch.Size([3, 2]))
    """
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(broadcast_tensors, tensors, *tensors)
    return _VF.broadcast_tensors(tensors)


def broadcast_shapes(*shapes: int | Sequence[int]) -> torch.Size:
    """The shape that tensors of these shapes broadcast to.

    Args:
        *shapes (int or Sequence[int]): the shapes; a number is a shape of one dimension

    Returns:
        the common shape

    Raises:
        RuntimeError: two lengths differ and neither is 1, or one is negative

    Example:
        >>> torch.broadcast_shapes((3, 1), (2,))
        torch.Size([3, 2])
    """
    result = []
    for shape in shapes:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        result = [1] * (len(shape) - len(result)) + result
        for k in range(-1, -1 - len(shape), -1):
            if shape[k] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({shape[k]}): ({shape[k]})")
            if shape[k] == 1 or shape[k] == result[k]:
                continue
            if result[k] != 1:
                raise RuntimeError(
                    f"Shape mismatch: objects cannot be broadcast to a single shape, mismatch at dimension {k}: "
                    f"{result[k]} against {shape[k]}"
                )
            result[k] = shape[k]
    return torch.Size(result)


def einsum(*args: Any) -> Tensor:
    """Sum of products by Einstein's convention.

    Args:
        *args (str, then Tensors): an equation such as "ij,jk->ik" and its operands; or operands that alternate with lists of
            index numbers, and the list of the result last

    Returns:
        the result, with the indices after "->"; without an arrow, those that occur once, in alphabetical order

    Raises:
        ValueError: there is no operand, or an index number is not between 0 and 51
        RuntimeError: the equation does not fit the operands

    Example:
        >>> a, b = torch.ones(2, 3), torch.ones(3, 4)
        >>> torch.einsum("ij,jk->ik", a, b).shape
        torch.Size([2, 4])
        >>> torch.einsum(a, [0, 1], b, [1, 2], [0, 2]).shape
        torch.Size([2, 4])
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        )
    if isinstance(args[0], _Tensor):
        equation, operands = _equation(args)
    else:
        equation, operands = args[0], _unpack(args[1:])
    if _overridden(operands):
        return _hand_over(einsum, operands, equation, *operands)
    return _VF.einsum(equation, operands)


def _letter(index: Any) -> str:
    if index is Ellipsis:
        return "..."
    if 0 <= index < 26:
        return chr(ord("A") + index)
    if 26 <= index < 52:
        return chr(ord("a") + index - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _equation(args: tuple[Any, ...]) -> tuple[str, tuple[Tensor, ...]]:
    """The equation for operands that alternate with lists of numbers."""
    inputs = ",".join("".join(map(_letter, indices)) for indices in args[1::2])
    if len(args) % 2:
        inputs = ",".join("".join(map(_letter, indices)) for indices in args[1:-1:2])
        return inputs + "->" + "".join(map(_letter, args[-1])), args[:-1:2]
    return inputs, args[::2]


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates from 1-D tensors.

    Args:
        *tensors (Tensor): the coordinates along each dimension, one by one or in one list
        indexing (str, optional): "ij", matrix order, which is also the default, or "xy", the first two dimensions exchanged

    Returns:
        one grid for each tensor, all of one shape

    Raises:
        RuntimeError: a tensor has more than one dimension, or `indexing` is something else

    Example:
        >>> rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
        >>> rows
        tensor([[0, 0, 0],
                [1, 1, 1]])
    """
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(meshgrid, tensors, *tensors, indexing=indexing)
    return _VF.meshgrid(tensors) if indexing is None else _VF.meshgrid(tensors, indexing=indexing)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Sum of products of two tensors over several dimensions.

    Args:
        a (Tensor): the left operand
        b (Tensor): the right operand
        dims (int, Tensor or two lists of int, default 2): a number of last dimensions of `a` and first of `b`, or the dimensions
            of each in a list
        out (Tensor, optional): receives the result

    Returns:
        a tensor of the dimensions that are left, those of `a` first

    Raises:
        RuntimeError: `dims` is negative or too large, or the lengths differ

    Example:
        >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3), dims=([1, 2], [1, 0]))
        tensor([12., 12.])
    """
    if _overridden((a, b)):
        return _hand_over(tensordot, (a, b), a, b, dims=dims, out=out)
    if isinstance(dims, _Tensor):
        dims = dims.item() if dims.numel() == 1 else dims.tolist()
    if isinstance(dims, (list, tuple)):
        if len(dims) > 2:
            raise RuntimeError(f"tensordot expects dims to be int or two lists of ints, but got dims={dims}")
        dims_a, dims_b = ([x] if isinstance(x, int) else list(x) for x in dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims_a, dims_b = list(range(-dims, 0)), list(range(dims))
    if out is None:
        return _VF.tensordot(a, b, dims_a, dims_b)
    return _VF.tensordot(a, b, dims_a, dims_b, out=out)


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of elements of 1-D tensors, one a row.

    Args:
        *tensors (Tensor): of one dimension each

    Returns:
        a row for each combination; a single tensor comes back as it is

    Raises:
        RuntimeError: a tensor is not of one dimension

    Example:
        >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([8, 9]))
        tensor([[1, 8],
                [1, 9],
                [2, 8],
                [2, 9]])
    """
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(cartesian_prod, tensors, *tensors)
    return _VF.cartesian_prod(tensors)


def block_diag(*tensors: Any) -> Tensor:
    """The tensors as blocks on the diagonal of a matrix.

    Args:
        *tensors (Tensor): of at most two dimensions; one of one dimension is a row

    Returns:
        the matrix, zero outside of the blocks

    Raises:
        RuntimeError: a tensor has more than two dimensions

    Example:
        >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
        tensor([[1, 2, 0],
                [0, 0, 3]])
    """
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(block_diag, tensors, *tensors)
    return _VF.block_diag(tensors)


_CDIST_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """Distances in p-norm between every row of one tensor and every row of another.

    Args:
        x1 (Tensor): (..., P, M)
        x2 (Tensor): (..., R, M)
        p (float, default 2.0): order of the norm, at least 0
        compute_mode (str, default "use_mm_for_euclid_dist_if_necessary"): whether Euclidean distances come from a matrix product,
            which is quicker and less accurate; by default where P or R is above 25. All other distances go through a tensor of
            (..., P, R, M)

    Returns:
        (..., P, R)

    Raises:
        ValueError: `compute_mode` is unknown
        RuntimeError: not floating point, of different dtypes or widths, or `p` is negative

    Example:
        >>> torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.], [0., 1.]]))
        tensor([[5., 1.]])
    """
    if _overridden((x1, x2)):
        return _hand_over(cdist, (x1, x2), x1, x2, p=p, compute_mode=compute_mode)
    if compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode, expected one of {', '.join(_CDIST_MODES)}")
    return _VF._cdist_forward(x1, x2, p, _CDIST_MODES.index(compute_mode))


def _with_min_dims(dims: int) -> Callable[..., Any]:
    operator = getattr(_VF, f"atleast_{dims}d")

    def atleast(*tensors: Any) -> Any:
        tensors = _unpack(tensors)
        if _overridden(tensors):
            return _hand_over(atleast, tensors, *tensors)
        return operator(tensors[0]) if len(tensors) == 1 else operator(tensors)

    atleast.__name__ = atleast.__qualname__ = f"atleast_{dims}d"
    shape = ", ".join("1" * dims)
    atleast.__doc__ = f"""The tensors with dimensions of length 1 added until there are at least {dims}.

Args:
    *tensors (Tensor): one by one, or in one list

Returns:
    a view of a single tensor, or a tuple of views

Example:
    >>> torch.atleast_{dims}d(torch.tensor(2.0)).shape
    torch.Size([{shape}])
"""
    return atleast


atleast_1d, atleast_2d, atleast_3d = _with_min_dims(1), _with_min_dims(2), _with_min_dims(3)


def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the cheapest order.

    Args:
        *matrices (Tensor): one or more, each with two dimensions
        out (Tensor, optional): receives the result

    Returns:
        the product

    Raises:
        RuntimeError: a matrix does not fit the next one

    Example:
        >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1))
        tensor([[12.],
                [12.]])
    """
    matrices = _unpack(matrices)
    if _overridden(matrices):
        return _hand_over(chain_matmul, matrices, *matrices, **({} if out is None else {"out": out}))
    return _VF.chain_matmul(matrices) if out is None else _VF.chain_matmul(matrices, out=out)


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """Places of the elements that are not zero.

    Args:
        input (Tensor): what is searched
        out (Tensor, optional): receives the result
        as_tuple (bool, default False): an index tensor for each dimension, with which `input` can be indexed

    Returns:
        one row of indices for each such element, or the tuple

    Example:
        >>> x = torch.tensor([[0, 5], [7, 0]])
        >>> torch.nonzero(x)
        tensor([[0, 1],
                [1, 0]])
        >>> x[torch.nonzero(x, as_tuple=True)]
        tensor([5, 7])
    """
    if _overridden((input,)):
        return _hand_over(nonzero, (input,), input, out=out, as_tuple=as_tuple)
    if as_tuple:
        return tuple(_VF.nonzero_numpy(input))
    return _VF.nonzero(input) if out is None else _VF.nonzero(input, out=out)


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None,
) -> Any:  # fmt: skip
    """Distinct elements, or slices along a dimension.

    Args:
        input (Tensor): what is searched
        sorted (bool, default True): in ascending order
        return_inverse (bool, default False): also where each element of `input` is in the result
        return_counts (bool, default False): also how often each one occurs
        dim (int, optional): compare whole slices along this dimension; by default single elements

    Returns:
        the values, or a tuple of them and what else was asked for

    Example:
        >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
    """
    if _overridden((input,)):
        return _hand_over(
            unique, (input,), input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, dim=dim
        )
    if dim is None:
        found = torch._unique2(input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    else:
        found = _VF.unique_dim(input, dim, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    return _chosen(found, return_inverse, return_counts)


def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The input without repetitions of the element, or slice, before.

    Args:
        input (Tensor): what is searched
        return_inverse (bool, default False): also where each element of `input` is in the result
        return_counts (bool, default False): also the length of each run
        dim (int, optional): compare whole slices along this dimension; by default single elements

    Returns:
        the values, or a tuple of them and what else was asked for

    Example:
        >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])
    """
    if _overridden((input,)):
        return _hand_over(
            unique_consecutive, (input,), input, return_inverse=return_inverse, return_counts=return_counts, dim=dim
        )
    found = _VF.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    return _chosen(found, return_inverse, return_counts)


def _chosen(found: tuple[Tensor, Tensor, Tensor], inverse: bool, counts: bool) -> Any:
    values, places, numbers = found
    if not inverse and not counts:
        return values
    return (values, *((places,) if inverse else ()), *((numbers,) if counts else ()))


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:  # fmt: skip
    """The p-norm of all elements, or over some dimensions.

    Args:
        input (Tensor): floating point or complex
        p (float or str, default "fro"): order of the norm; "fro" is the 2-norm, "nuc" the sum of singular values
        dim (int or Sequence[int], optional): what to reduce; by default everything
        keepdim (bool, default False): keep the reduced dimensions with length 1
        out (Tensor, optional): receives the result
        dtype (torch.dtype, optional): convert to this first

    Returns:
        the norms

    Raises:
        RuntimeError: `p` is another string, or the dtype is whole numbers

    Example:
        >>> torch.norm(torch.tensor([3., 4.]))
        tensor(5.)
        >>> torch.norm(torch.tensor([[3., 4.], [1., 0.]]), p=1, dim=1)
        tensor([7., 1.])
    """
    if _overridden((input,)):
        return _hand_over(norm, (input,), input, p=p, dim=dim, keepdim=keepdim, out=out, dtype=dtype)
    options = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    if p == "nuc":
        dims = tuple(range(input.dim())) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        return torch.linalg.matrix_norm(input, "nuc", dims, keepdim, **options)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"norm(): p must be a number, 'fro' or 'nuc', got '{p}'")
    order = 2.0 if p in ("fro", None) else p
    dims = [dim] if isinstance(dim, int) else dim
    return torch.linalg.vector_norm(input, order, dims, keepdim, **options)


def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """The spectra of overlapping frames of a signal: the short-time Fourier transform.

    Args:
        input (Tensor): the signal, of shape (L) or (B, L)
        n_fft (int): the length of a frame's transform, in samples
        hop_length (int, optional): the distance between the starts of frames, in samples; by default a quarter of `n_fft`
        win_length (int, optional): the length of the window, by default `n_fft`
        window (Tensor, optional): the window, of `win_length` samples; by default ones
        center (bool, default True): pad the signal so that frame t is centered at sample t * hop_length
        pad_mode (str, default "reflect"): how to pad, as in `torch.nn.functional.pad`
        normalized (bool, default False): divide by the square root of `n_fft`
        onesided (bool, optional): only the n_fft // 2 + 1 frequencies from 0 upwards; the default for real signals
        return_complex (bool, optional): complex numbers, or pairs of real ones in a last dimension
        align_to_window (bool, optional): without `center`: frames as long as the window, not as the transform

    Returns:
        a tensor of shape (B, frequencies, frames), without B for one signal

    Raises:
        RuntimeError: for a signal shorter than a frame, or without `return_complex` for a real one

    Example:
        >>> torch.stft(torch.ones(8), 4, center=False, return_complex=True).shape
        torch.Size([3, 5])
    """
    if _overridden((input,)):
        return _hand_over(
            stft,
            (input,),
            input,
            n_fft,
            hop_length=hop_length,
            win_length=win_length,
            window=window,
            center=center,
            pad_mode=pad_mode,
            normalized=normalized,
            onesided=onesided,
            return_complex=return_complex,
            align_to_window=align_to_window,
        )
    return _VF.stft(
        input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex,
        align_to_window=align_to_window,
    )  # fmt: skip


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """LU factors of matrices in one tensor, with pivots; `torch.linalg.lu_factor` is newer.

    Args:
        A (Tensor): (..., m, n)
        pivot (bool, default True): exchange rows; on the CPU it must be True
        get_infos (bool, default False): also the number of the first pivot that is zero, for each matrix; 0 if there is none
        out (tuple of Tensor, optional): receives the results

    Returns:
        the factors (..., m, n), pivots (..., min(m, n)) as int32, counted from one, and what else was asked for

    Example:
        >>> torch.lu(torch.tensor([[1., 2.], [2., 0.]]))
        (tensor([[2.0000, 0.0000],
                [0.5000, 2.0000]]), tensor([2, 2], dtype=torch.int32))
    """
    if _overridden((A,)):
        return _hand_over(lu, (A,), A, pivot=pivot, get_infos=get_infos, out=out)
    found = _VF._lu_with_info(A, pivot=pivot, check_errors=False)
    if not get_infos:
        found = found[0], found[1]
    if out is None:
        return found
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    for target, value in zip(out, found):
        target.resize_as_(value).copy_(value)
    return out


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Flat indices as a tuple of indices into a shape.

    Args:
        indices (Tensor): whole numbers
        shape (int or Sequence[int]): the shape that they count through, the last dimension fastest

    Returns:
        an index tensor for each dimension

    Raises:
        ValueError: `indices` are not whole numbers, or a length is negative

    Example:
        >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
        (tensor([0, 1]), tensor([1, 2]))
    """
    if not isinstance(indices, _Tensor) or indices.is_floating_point() or indices.is_complex() or indices.dtype == torch.bool:
        raise ValueError(
            "expected 'indices' to be an integer Tensor, but got "
            f"{indices.dtype if isinstance(indices, _Tensor) else type(indices)}"
        )
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(length < 0 for length in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    parts, rest = [], indices
    for length in reversed(shape):
        parts.append(rest % length)
        rest = torch.div(rest, length, rounding_mode="floor")
    return tuple(reversed(parts))


_lazy.names_what_is_absent(__name__)
