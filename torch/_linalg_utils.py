"""Functions that PyTorch removed in favour of `torch.linalg`. They say what to use instead."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["eig", "lstsq", "matrix_rank", "solve", "symeig"]


def _removed(name: str, instead: str) -> NoReturn:
    raise RuntimeError(f"torch.{name} was removed in version 1.9 of PyTorch: use {instead}")


def matrix_rank(*_: Any, **__: Any) -> NoReturn:
    """Removed: use `torch.linalg.matrix_rank`.

    Example:
        >>> torch.linalg.matrix_rank(torch.ones(2, 2))
        tensor(1)
    """
    _removed("matrix_rank", "torch.linalg.matrix_rank(A, tol, hermitian)")


def solve(*_: Any, **__: Any) -> NoReturn:
    """Removed: use `torch.linalg.solve`, whose arguments come in the other order.

    Example:
        >>> torch.linalg.solve(torch.tensor([[2.]]), torch.tensor([[4.]]))
        tensor([[2.]])
    """
    _removed("solve", "torch.linalg.solve(A, B), whose arguments come in the other order")


def lstsq(*_: Any, **__: Any) -> NoReturn:
    """Removed: use `torch.linalg.lstsq`, whose arguments come in the other order.

    Example:
        >>> torch.linalg.lstsq(torch.tensor([[2.]]), torch.tensor([[4.]])).solution
        tensor([[2.]])
    """
    _removed("lstsq", "torch.linalg.lstsq(A, B), whose arguments come in the other order")


def eig(*_: Any, **__: Any) -> NoReturn:
    """Removed: use `torch.linalg.eig` or `torch.linalg.eigvals`, whose results are complex.

    Example:
        >>> torch.linalg.eigvals(torch.tensor([[2.]]))
        tensor([2.+0.j])
    """
    _removed("eig", "torch.linalg.eig(A) or torch.linalg.eigvals(A), whose results are complex")


def symeig(*_: Any, **__: Any) -> NoReturn:
    """Removed: use `torch.linalg.eigh` or `torch.linalg.eigvalsh`, which read the lower triangle by default.

    Example:
        >>> torch.linalg.eigvalsh(torch.tensor([[2.]]))
        tensor([2.])
    """
    _removed("symeig", "torch.linalg.eigh(A, UPLO) or torch.linalg.eigvalsh(A, UPLO), which read the lower triangle by default")
