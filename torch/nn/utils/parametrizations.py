"""Parametrizations that are used often: weight, spectral and orthogonal normalization."""

from __future__ import annotations

from enum import Enum, auto

import torch
from torch.nn import functional as F
from torch.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from torch.nn.modules.module import Module
from torch.nn.utils import parametrize

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor


__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _tensor_of(module: Module, name: str) -> Tensor:
    tensor = getattr(module, name, None)
    if not isinstance(tensor, torch.Tensor):
        raise ValueError(f"{type(module).__name__} has no parameter or buffer with name '{name}'")
    return tensor


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _fix_signs(q: Tensor, factor: Tensor) -> Tensor:
    """Multiply the columns of `q` by the signs of the diagonal of `factor`."""
    return q * factor.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _make_orthogonal(a: Tensor) -> Tensor:
    """The orthogonal factor of a QR decomposition whose triangular factor has a positive diagonal."""
    factor, tau = torch.geqrf(a)
    return _fix_signs(torch.linalg.householder_product(factor, tau), factor)


def _is_orthogonal(q: Tensor, eps: float | None = None) -> bool:
    rows, columns = q.size(-2), q.size(-1)
    identity = torch.eye(columns, dtype=q.dtype, device=q.device)
    tolerance = 10.0 * rows * torch.finfo(q.dtype).eps if eps is None else eps
    return torch.allclose(q.mH @ q, identity, atol=tolerance)


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows where it has fewer of them."""

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("orthogonal: the map 'householder' takes real tensors only, but the weight is complex")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        is_wide = X.size(-2) < X.size(-1)
        tall = X.mT if is_wide else X
        q = self._reflections(tall) if self.orthogonal_map is _OrthMaps.householder else self._of_skew(tall)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if is_wide else q

    def _of_skew(self, tall: Tensor) -> Tensor:
        """The first columns of the exponential, or of its Cayley approximation, of a skew-Hermitian matrix."""
        rows, columns = tall.size(-2), tall.size(-1)
        lower = tall.tril()
        if rows != columns:
            padding = lower.new_zeros(rows, rows - columns).expand(*lower.shape[:-2], -1, -1)
            lower = torch.cat([lower, padding], dim=-1)
        skew = lower - lower.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            q = torch.matrix_exp(skew)
        else:
            identity = torch.eye(rows, dtype=skew.dtype, device=skew.device)
            q = torch.linalg.solve(torch.add(identity, skew, alpha=-0.5), torch.add(identity, skew, alpha=0.5))
        return q if rows == columns else q[..., :columns]

    def _reflections(self, tall: Tensor) -> Tensor:
        """The product of the Householder reflections below the diagonal; the diagonal holds signs."""
        vectors = tall.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (vectors * vectors).sum(dim=-2))
        q = torch.linalg.householder_product(vectors, tau)
        return q * tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @torch.autograd.no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(f"orthogonal: expected a tensor of shape {tuple(self.shape)}, but got {tuple(Q.shape)}")
        is_wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if is_wide else Q
        if not hasattr(self, "base"):
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(
                    f"orthogonal: with use_trivialization=False a value can be assigned for the map 'householder' only, "
                    f"not for '{self.orthogonal_map.name}'"
                )
            return self._householder_vectors(tall, is_wide)
        rows, columns = tall.size(-2), tall.size(-1)
        if rows == columns:
            base = tall.clone() if _is_orthogonal(tall) else _make_orthogonal(tall)
        else:
            # A complement of random columns makes the matrix square.
            more = torch.randn(*tall.shape[:-2], rows, rows - columns, dtype=tall.dtype, device=tall.device)
            base = _make_orthogonal(torch.cat([tall, more], dim=-1))
        self.base = base
        # Every map sends minus the identity to the identity.
        start = torch.zeros_like(Q)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start

    @staticmethod
    def _householder_vectors(tall: Tensor, is_wide: bool) -> Tensor:
        vectors, tau = torch.geqrf(tall)
        diagonal = vectors.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        # geqrf leaves out a reflection that would be the identity, but the product above cannot.
        diagonal[tau == 0.0] *= -1
        return vectors.mT if is_wide else vectors


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:  # fmt: skip
    """Keeps a matrix orthogonal, or unitary where it is complex, however its original is trained.

    A matrix that is not square has orthonormal columns, or rows where it has fewer of them. Further dimensions in front are a
    batch of matrices.

    Args:
        module (Module): the module
        name (str, default "weight"): the tensor
        orthogonal_map (str or None): 'matrix_exp' (the exponential of a skew-symmetric matrix), 'cayley' (a rational
            approximation of it) or 'householder' (a product of reflections; fastest for tall and wide matrices, not for complex
            ones); None takes 'matrix_exp' for square and complex matrices, else 'householder'
        use_trivialization (bool, default True): multiply by a matrix that is set whenever the tensor is assigned (Lezcano-Casado
            2019), so that any orthogonal matrix can be assigned, at the cost of memory

    Returns:
        the module

    Raises:
        ValueError: there is no such tensor, it has less than 2 dimensions, or the map is unknown or does not take it

    Example:
        >>> m = nn.utils.parametrizations.orthogonal(nn.Linear(20, 40))
        >>> bool(torch.dist(m.weight.T @ m.weight, torch.eye(20)) < 1e-4)
        True
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"orthogonal: expected a tensor of 2 or more dimensions, but '{name}' has {weight.ndim}")
    if orthogonal_map is None:
        is_square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(f"orthogonal: orthogonal_map is one of {', '.join(_OrthMaps.__members__)}, but got {orthogonal_map!r}")
    step = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, step, unsafe=True)


class _WeightNorm(Module):
    """A direction times a length, per slice of one dimension."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return torch.norm_except_dim(weight, 2, self.dim), weight


class _OldNames:
    """Renames `NAME_g` and `NAME_v`, as torch.nn.utils.weight_norm calls the two tensors, in a dictionary that is loaded."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{self.name}_{letter}" for letter in "gv"]
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{self.name}.original{number}"] = state_dict.pop(key)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Splits a weight into a length and a direction, which are trained apart (Salimans and Kingma 2016).

    The length is `parametrizations.NAME.original0`, the direction `original1`. State dictionaries made under
    `torch.nn.utils.weight_norm` can be loaded.

    Args:
        module (Module): the module
        name (str, default "weight"): the tensor
        dim (int or None, default 0): there is one length for each slice of this dimension; None: one for the whole tensor

    Returns:
        the module

    Raises:
        ValueError: there is no such tensor

    Example:
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(20, 40))
        >>> m.parametrizations.weight.original0.shape
        torch.Size([40, 1])
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(_OldNames(name))
    return module


class _SpectralNorm(Module):
    """A matrix over an estimate of its largest singular value."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"spectral_norm: dim is from {-ndim} to {ndim - 1} for a tensor of {ndim} dimensions, but got {dim}")
        if n_power_iterations <= 0:
            raise ValueError(f"spectral_norm: n_power_iterations must be positive, but got {n_power_iterations}")
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            rows, columns = matrix.size()
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)  # a start that is close, so that few steps each time are enough

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    @torch.autograd.no_grad()
    def _power_method(self, weight_mat: Tensor, n_power_iterations: int) -> None:
        """Improve `_u` and `_v` in place, so that modules that share them agree."""
        for _ in range(n_power_iterations):
            torch.mv(weight_mat, self._v, out=self._u)
            F.normalize(self._u, dim=0, eps=self.eps, out=self._u)
            torch.mv(weight_mat.mH, self._u, out=self._v)
            F.normalize(self._v, dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # The next forward changes the buffers in place, and a backward may come after it.
        u = self._u.clone(memory_format=torch.contiguous_format)
        v = self._v.clone(memory_format=torch.contiguous_format)
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value  # a value of norm 1 is its own inverse; any other is divided by its norm when it is read


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:  # fmt: skip
    """Divides a weight by its largest singular value (Miyato et al. 2018), estimated by power iteration while training.

    The weight is taken as a matrix with the rows of dimension `dim`. In evaluation mode the last estimate is used.

    Args:
        module (Module): the module
        name (str, default "weight"): the tensor
        n_power_iterations (int, default 1): steps of power iteration at each reading in training mode
        eps (float, default 1e-12): keeps divisors from 0
        dim (int or None): the dimension of the outputs; None: 1 for transposed convolutions, else 0

    Returns:
        the module

    Raises:
        ValueError: there is no such tensor, or `n_power_iterations` is not positive
        IndexError: `dim` is out of range

    Example:
        >>> m = nn.utils.parametrizations.spectral_norm(nn.Linear(20, 40), n_power_iterations=30)
        >>> bool((torch.linalg.matrix_norm(m.weight, 2) - 1).abs() < 1e-2)
        True
    """
    weight = _tensor_of(module, name)
    if dim is None:
        dim = int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))
    step = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, step)
