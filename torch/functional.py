"""Functions of the top-level namespace that are written in Python over operators."""

import torch
from torch import _C, _lazy
from torch._operators import VF as _VF

_overridden = _C._has_torch_function
_Tensor = torch.Tensor


def _hand_over(function, relevant, *args, **kwargs):
    from torch.overrides import handle_torch_function

    return handle_torch_function(function, relevant, *args, **kwargs)


def _unpack(tensors):
    """Tensors given one by one, or as one list."""
    return tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


def split(tensor, split_size_or_sections, dim=0):
    """Views of equal size along `dim` (the last may be shorter), or of the sizes in a list."""
    if _overridden((tensor,)):
        return _hand_over(split, (tensor,), tensor, split_size_or_sections, dim=dim)
    return tensor.split(split_size_or_sections, dim)


def broadcast_tensors(*tensors):
    """The tensors expanded to their common shape."""
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(broadcast_tensors, tensors, *tensors)
    return _VF.broadcast_tensors(tensors)


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    result = []
    for shape in shapes:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        result = [1] * (len(shape) - len(result)) + result
        for k in range(-1, -1 - len(shape), -1):
            if shape[k] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({shape[k]}): "
                                   f"({shape[k]})")
            if shape[k] == 1 or shape[k] == result[k]:
                continue
            if result[k] != 1:
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape, mismatch "
                                   "at dimension "
                                   f"{k}: {result[k]} against {shape[k]}")
            result[k] = shape[k]
    return torch.Size(result)


def einsum(*args):
    """Sum of products by Einstein's convention: `einsum("ij,jk->ik", a, b)`, or operands followed by index
    lists."""
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least "
                         "one operand and "
                         "its subscripts list")
    if isinstance(args[0], _Tensor):
        equation, operands = _equation(args)
    else:
        equation, operands = args[0], _unpack(args[1:])
    if _overridden(operands):
        return _hand_over(einsum, operands, equation, *operands)
    return _VF.einsum(equation, operands)


def _letter(index):
    if index is Ellipsis:
        return "..."
    if 0 <= index < 26:
        return chr(ord("A") + index)
    if 26 <= index < 52:
        return chr(ord("a") + index - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _equation(args):
    """An equation out of operands that alternate with lists of numbers."""
    inputs = ",".join("".join(map(_letter, indices)) for indices in args[1::2])
    if len(args) % 2:
        inputs = ",".join("".join(map(_letter, indices)) for indices in args[1:-1:2])
        return inputs + "->" + "".join(map(_letter, args[-1])), args[:-1:2]
    return inputs, args[::2]


def meshgrid(*tensors, indexing=None):
    """Grids of coordinates from 1-D tensors. indexing: "ij", matrix order, or "xy", the first two
    exchanged."""
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(meshgrid, tensors, *tensors, indexing=indexing)
    return _VF.meshgrid(tensors) if indexing is None else _VF.meshgrid(tensors, indexing=indexing)


def tensordot(a, b, dims=2, out=None):
    """Sum of products over `dims`: a number of last dimensions of `a` and first of `b`, or two lists."""
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


def cartesian_prod(*tensors):
    """All combinations of elements of 1-D tensors, one a row."""
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(cartesian_prod, tensors, *tensors)
    return _VF.cartesian_prod(tensors)


def block_diag(*tensors):
    """The tensors as blocks on the diagonal of a matrix."""
    tensors = _unpack(tensors)
    if _overridden(tensors):
        return _hand_over(block_diag, tensors, *tensors)
    return _VF.block_diag(tensors)


_CDIST_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """p-norm distances between the rows of x1 (..., P, M) and of x2 (..., R, M): (..., P, R).

    compute_mode: whether Euclidean distances come from a matrix product, which is quicker and less accurate; by default
    where P or R is above 25. All other distances go through a tensor of (..., P, R, M)."""
    if _overridden((x1, x2)):
        return _hand_over(cdist, (x1, x2), x1, x2, p=p, compute_mode=compute_mode)
    if compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode, expected one of {', '.join(_CDIST_MODES)}")
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {x.dtype}")
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.dim()}D")
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"cdist: expected X1 and X2 of one dtype, got {x1.dtype} and {x2.dtype}")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise RuntimeError(f"cdist only supports non-negative p values, got {p}")
    by_product = compute_mode == _CDIST_MODES[1] or compute_mode == _CDIST_MODES[0] and max(x1.shape[-2], x2.shape[-2]) > 25
    if p == 2 and by_product and x1.shape[-1]:
        # |x1|^2 - 2 x1 x2 + |x2|^2 in one product.
        squares1, squares2 = x1.square().sum(-1, keepdim=True), x2.square().sum(-1, keepdim=True)
        left = torch.cat((-2 * x1, squares1, torch.ones_like(squares1)), -1)
        right = torch.cat((x2, torch.ones_like(squares2), squares2), -1)
        squares = left @ right.transpose(-2, -1)
        positive = squares > 0
        return torch.where(positive, squares, 1).sqrt() * positive  # the root has no gradient at 0
    return torch.linalg.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _at_least(dims):
    operator = getattr(_VF, f"atleast_{dims}d")

    def atleast(*tensors):
        tensors = _unpack(tensors)
        if _overridden(tensors):
            return _hand_over(atleast, tensors, *tensors)
        return operator(tensors[0]) if len(tensors) == 1 else operator(tensors)

    atleast.__name__ = atleast.__qualname__ = f"atleast_{dims}d"
    atleast.__doc__ = f"The tensors with dimensions of length 1 added until there are {dims}."
    return atleast


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


def chain_matmul(*matrices, out=None):
    """The product of matrices, in the cheapest order."""
    matrices = _unpack(matrices)
    if _overridden(matrices):
        return _hand_over(chain_matmul, matrices, *matrices)
    return _VF.chain_matmul(matrices) if out is None else _VF.chain_matmul(matrices, out=out)


def nonzero(input, *, out=None, as_tuple=False):
    """Places of the elements that are not zero: one row for each, or, `as_tuple`, one index tensor for each
    dimension."""
    if _overridden((input,)):
        return _hand_over(nonzero, (input,), input, out=out, as_tuple=as_tuple)
    if as_tuple:
        return tuple(_VF.nonzero_numpy(input))
    return _VF.nonzero(input) if out is None else _VF.nonzero(input, out=out)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Distinct elements, or slices along `dim`; with their places in the input and their counts if asked
    for."""
    if _overridden((input,)):
        return _hand_over(unique, (input,), input, sorted=sorted, return_inverse=return_inverse,
                          return_counts=return_counts, dim=dim)
    if dim is None:
        found = torch._unique2(input, sorted=sorted, return_inverse=return_inverse,
                               return_counts=return_counts)
    else:
        found = _VF.unique_dim(input, dim, sorted=sorted, return_inverse=return_inverse,
                               return_counts=return_counts)
    return _chosen(found, return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The input without repetitions of the element, or slice, before."""
    if _overridden((input,)):
        return _hand_over(unique_consecutive, (input,), input, return_inverse=return_inverse,
                          return_counts=return_counts, dim=dim)
    found = _VF.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    return _chosen(found, return_inverse, return_counts)


def _chosen(found, inverse, counts):
    values, places, numbers = found
    if not inverse and not counts:
        return values
    return (values, *((places,) if inverse else ()), *((numbers,) if counts else ()))


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """p-norm over `dim`, or of all elements; "fro" is the 2-norm, "nuc" the sum of singular values."""
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


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
         normalized=False,
         onesided=None, return_complex=None, align_to_window=None):
    """Short-time Fourier transform of (L) or (B, L)."""
    if _overridden((input,)):
        return _hand_over(stft, (input,), input, n_fft, hop_length=hop_length, win_length=win_length,
                          window=window,
                          center=center, pad_mode=pad_mode, normalized=normalized, onesided=onesided,
                          return_complex=return_complex, align_to_window=align_to_window)
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        edge = n_fft // 2
        flat = input.view((1,) * (3 - input.dim()) + tuple(input.shape))
        padded = _C._nn.pad(flat, [edge, edge], pad_mode)
        input = padded.view(padded.shape[-input.dim():])
    return _VF.stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex,
                    align_to_window=align_to_window)


def lu(A, pivot=True, get_infos=False, out=None):
    """LU factors and pivots of the matrices in A."""
    factors, pivots, info = torch.linalg.lu_factor_ex(A, pivot=pivot, check_errors=not get_infos)
    found = (factors, pivots, info) if get_infos else (factors, pivots)
    if out is None:
        return found
    for target, value in zip(out, found):
        target.resize_as_(value).copy_(value)
    return out


def unravel_index(indices, shape):
    """Flat indices as a tuple of indices into `shape`."""
    if (
        not isinstance(indices, _Tensor)
        or indices.is_floating_point()
        or indices.is_complex()
        or indices.dtype == torch.bool
    ):
        raise ValueError("expected 'indices' to be an integer Tensor, but got "
                         f"{indices.dtype if isinstance(indices, _Tensor) else type(indices)}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(length < 0 for length in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    parts, rest = [], indices
    for length in reversed(shape):
        parts.append(rest % length)
        rest = torch.div(rest, length, rounding_mode="floor")
    return tuple(reversed(parts))


_lazy.names_what_is_absent(__name__)
