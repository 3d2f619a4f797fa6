"""Extreme eigenvalues of large symmetric matrices (Knyazev, 2001; the basis is that of Duersch et al., 2018)."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor

__all__ = ["lobpcg"]


def lobpcg(
    A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: int | None = None,
    iK: Tensor | None = None, niter: int | None = None, tol: float | None = None, largest: bool | None = None,
    method: str | None = None, tracker: Callable[[Any], None] | None = None, ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The largest or smallest eigenvalues of A x = lambda B x, with their vectors.

    Args:
        A (Tensor): symmetric, (..., m, m)
        k (int, optional): the number of values; by default as many as X has columns, or 1. m must be at least 3 k
        B (Tensor, optional): symmetric and positive-definite, (..., m, m); by default the identity
        X (Tensor, optional): the first guess of vectors, (..., m, n); by default random
        n (int, optional): the number of random vectors; by default k
        iK (Tensor, optional): a preconditioner, (..., m, m); the closer to the inverse of A the better
        niter (int, optional): the largest number of iterations; by default 1000; -1 for no limit
        tol (float, optional): the relative size of residuals; by default the root of the type's precision
        largest (bool, optional): the largest values, which is the default, or the smallest
        method (str, optional): "ortho", the default, or "basic"; both names select the same stable iteration here
        tracker (callable, optional): called before the first and after every iteration, with the state
        ortho_iparams, ortho_fparams, ortho_bparams (dict, optional): accepted, and not used

    Returns:
        values (..., k), the largest or smallest one first, and vectors (..., m, k)

    Raises:
        ValueError: the matrix is too small for k, or the method is unknown

    Example:
        >>> A = torch.diag(torch.arange(1.0, 10.0))
        >>> values, vectors = torch.lobpcg(A, k=1, largest=True)
        >>> values.round(decimals=2)
        tensor([9.])
    """
    tensors = tuple(t for t in (A, B, X, iK) if t is not None)
    if torch._C._has_torch_function(tensors):
        from torch.overrides import handle_torch_function

        return handle_torch_function(
            lobpcg, tensors, A, k=k, B=B, X=X, n=n, iK=iK, niter=niter, tol=tol, largest=largest, method=method, tracker=tracker,
            ortho_iparams=ortho_iparams, ortho_fparams=ortho_fparams, ortho_bparams=ortho_bparams,
        )  # fmt: skip
    if method not in (None, "ortho", "basic"):
        raise ValueError(f"lobpcg: method must be 'ortho' or 'basic', got {method!r}")
    if A.dim() < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError(f"lobpcg: A must be square, got the shape {tuple(A.shape)}")
    if not A.is_floating_point():
        raise ValueError(f"lobpcg: A must be real floating point, got {A.dtype}")
    size = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if size < 3 * n:
        raise ValueError(f"lobpcg: A is {size} by {size}, but {n} vectors need at least {3 * n} rows")
    if not 0 < k <= n:
        raise ValueError(f"lobpcg: k must be within 1 and {n}, the number of vectors, got {k}")
    options = {
        "k": k, "niter": 1000 if niter is None else niter, "largest": largest is not False, "tracker": tracker,
        "tol": torch.finfo(A.dtype).eps ** 0.5 if tol is None else tol,
    }  # fmt: skip
    guess = torch.randn(*A.shape[:-1], n, dtype=A.dtype, device=A.device) if X is None else X
    with torch.no_grad():
        symmetric = (A + A.mT) / 2
        batch = A.shape[:-2]

        def flat(t: Tensor) -> Tensor:
            return t.expand(*batch, *t.shape[-2:]).reshape(-1, *t.shape[-2:])

        every = [flat(t) if t is not None else [None] * batch.numel() for t in (symmetric, B, guess, iK)]
        states = [_Iteration(a, b, x, preconditioner, **options) for a, b, x, preconditioner in zip(*every)]
        values = torch.stack([s.run() for s in states]).reshape(*batch, k)
        vectors = torch.stack([s.X[:, :k] for s in states]).reshape(*batch, size, k)
    if torch.is_grad_enabled() and any(t.requires_grad for t in (A, B) if t is not None):
        return _differentiable(A, B, values, vectors)
    return values, vectors


class _Iteration:
    """The state of one matrix. A tracker may read and change it; setting `force_stop` ends it."""

    def __init__(
        self,
        A: Tensor,
        B: Tensor | None,
        X: Tensor,
        iK: Tensor | None,
        k: int,
        niter: int,
        tol: float,
        largest: bool,
        tracker: Any,
    ):
        self.A, self.B, self.iK, self.k = A, B, iK, k
        self.niter, self.tol, self.largest, self.tracker = niter, tol, largest, tracker
        self.X, self.E, self.P = X, X[0], X[:, :0]
        self.iteration, self.force_stop, self.converged = 0, False, 0
        self.norm = torch.linalg.matrix_norm(A).item()
        self.tvars: dict[str, Any] = {}

    def times_B(self, x: Tensor) -> Tensor:
        return x if self.B is None else self.B @ x

    def orthonormal(self, basis: Tensor) -> Tensor:
        """Columns with the same span, orthonormal in the scalar product of B; what is dependent is left out."""
        for _ in range(2):  # once more removes what rounding left
            length = torch.linalg.vector_norm(basis, dim=0)
            basis = basis[:, length > 0] / length[length > 0]
            values, vectors = torch.linalg.eigh(basis.mT @ self.times_B(basis))
            kept = values > values[-1] * basis.shape[0] * torch.finfo(basis.dtype).eps
            basis = basis @ (vectors[:, kept] / values[kept].sqrt())
        return basis

    def project(self, basis: Tensor, count: int) -> Tensor:
        """Sets the best vectors in a subspace (Rayleigh-Ritz); their coordinates."""
        values, vectors = torch.linalg.eigh(basis.mT @ (self.A @ basis))
        if self.largest:
            values, vectors = values.flip(0), vectors.flip(1)
        self.E, self.X = values[:count], basis @ vectors[:, :count]
        return vectors[:, :count]

    def residuals(self) -> Tensor:
        R = self.A @ self.X - self.times_B(self.X) * self.E
        scale = self.norm + self.E.abs() * (1 if self.B is None else torch.linalg.matrix_norm(self.B))
        size = torch.linalg.vector_norm(R, dim=0) / (torch.linalg.vector_norm(self.X, dim=0) * scale)
        self.converged = int((size < self.tol).cumprod(0).sum())
        self.tvars["rerr"] = size
        return R

    def track(self) -> None:
        if self.tracker is not None:
            self.tracker(self)

    def run(self) -> Tensor:
        count = self.X.shape[1]
        self.project(self.orthonormal(self.X), count)
        R = self.residuals()
        self.track()
        while self.converged < self.k and self.iteration != self.niter and not self.force_stop:
            W = R if self.iK is None else self.iK @ R
            last = self.X
            basis = self.orthonormal(torch.cat([last, W, self.P], 1))
            self.project(basis, count)
            # The new direction is the step without its part along the last vectors.
            self.P = self.X - last @ (last.mT @ self.times_B(self.X))
            R = self.residuals()
            self.iteration += 1
            self.track()
        return self.E[: self.k]


def _differentiable(A: Tensor, B: Tensor | None, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """The same numbers as functions of A and B: one step of Newton's method from them, which does not change them."""
    A = (A + A.mT) / 2
    B = torch.eye(A.shape[-1], dtype=A.dtype, device=A.device) if B is None else (B + B.mT) / 2
    change = (vectors * (A @ vectors)).sum(-2) - values * (vectors * (B @ vectors)).sum(-2)
    eigenvalues = values + change - change.detach()
    columns = []
    for i in range(values.shape[-1]):
        x, e = vectors[..., i : i + 1], eigenvalues[..., i : i + 1].unsqueeze(-1)
        # Bordered equations: a change of x is B-orthogonal to x, up to the change of its length.
        Bx = (B @ x).detach()
        fixed = torch.cat([A - e * B, -Bx], -1).detach()
        border = torch.cat([Bx.mT, torch.zeros_like(Bx[..., :1, :])], -1)
        matrix = torch.cat([fixed, border], -2)
        residual = (A - e * B) @ x
        length = ((x.mT @ B @ x) - 1) / 2
        right = torch.cat([residual - residual.detach(), length - length.detach()], -2)
        columns.append(x - torch.linalg.solve(matrix, right)[..., :-1, :])
    return eigenvalues, torch.cat(columns, -1)
