"""Quasirandom numbers: Sobol sequences, which fill the unit cube more evenly than random numbers do."""

from __future__ import annotations

import torch
from torch import _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SobolEngine"]


class SobolEngine:
    """Points of a Sobol sequence in the unit cube, in the order of Antonov and Saleev, and scrambled if requested.

    Sources: Art B. Owen, "Scrambling Sobol and Niederreiter-Xing points", 1998; S. Joe and F. Y. Kuo, "Constructing Sobol
    sequences with better two-dimensional projections", 2008, whose direction numbers are used.

    Args:
        dimension (int): of the cube, from 1 to 21201
        scramble (bool, default False): whether a random linear scrambling and a random shift are applied, after which every
            point is uniformly distributed
        seed (int, optional): of the scrambling; without it, the default generator is used

    Raises:
        ValueError: the dimension is out of range

    Example:
        >>> engine = torch.quasirandom.SobolEngine(dimension=2)
        >>> engine.draw(4)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500],
                [0.2500, 0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not isinstance(dimension, int):
            raise TypeError(f"SobolEngine: dimension must be an int, got {type(dimension).__name__}")
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"SobolEngine: dimension must be between 1 and {self.MAXDIM}, got {dimension}")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        # The state stays on the CPU, whatever the default device is.
        self.sobolstate = torch.zeros(dimension, self.MAXBIT, device="cpu", dtype=torch.long)
        torch._sobol_engine_initialize_state_(self.sobolstate, dimension)
        self.shift = torch.zeros(dimension, device="cpu", dtype=torch.long)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def _scramble(self) -> None:
        """Replace shift and direction numbers by random ones."""
        generator = None if self.seed is None else torch.Generator().manual_seed(self.seed)
        bits = torch.randint(2, (self.dimension, self.MAXBIT), device="cpu", generator=generator)
        self.shift = bits @ 2 ** torch.arange(self.MAXBIT, device="cpu")
        matrices = torch.randint(2, (self.dimension, self.MAXBIT, self.MAXBIT), device="cpu", generator=generator).tril()
        torch._sobol_engine_scramble_(self.sobolstate, matrices, self.dimension)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: torch.dtype | None = None) -> Tensor:
        """The next points of the sequence.

        Args:
            n (int, default 1): how many
            out (Tensor, optional): where they are written
            dtype (dtype, optional): of the result; the default dtype if not given

        Returns:
            a tensor of shape (n, dimension)

        Raises:
            RuntimeError: n is negative
        """
        if n < 0:
            raise RuntimeError(f"SobolEngine.draw: n must not be negative, got {n}")
        dtype = torch.get_default_dtype() if dtype is None else dtype
        parts = []
        rest, done = n, self.num_generated - 1
        if n and self.num_generated == 0:
            parts.append(self._first_point.to(dtype))
            rest, done = n - 1, 0
        if rest or not parts:
            drawn, self.quasi = torch._sobol_engine_draw(self.quasi, rest, self.sobolstate, self.dimension, max(done, 0), dtype)
            parts.append(drawn)
        self.num_generated += n
        result = torch.cat(parts)
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: torch.dtype | None = None) -> Tensor:
        """The next 2**m points. The number of all points drawn must then be a power of 2, which keeps them balanced.

        Args:
            m (int): logarithm of how many
            out (Tensor, optional): where they are written
            dtype (dtype, optional): of the result; the default dtype if not given

        Returns:
            a tensor of shape (2**m, dimension)

        Raises:
            ValueError: m is negative, or the total would be no power of 2
        """
        if m < 0:
            raise ValueError(f"SobolEngine.draw_base2: m must not be negative, got {m}")
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(f"SobolEngine.draw_base2: after {self.num_generated} points, 2**{m} more make {total}, which is no "
                             "power of 2, so that the points would not be balanced; draw() takes any number")  # fmt: skip
        return self.draw(2**m, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Go back to the first point.

        Returns:
            this engine
        """
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave points out.

        Args:
            n (int): how many

        Returns:
            this engine

        Raises:
            ValueError: n is negative
        """
        if n < 0:
            raise ValueError(f"SobolEngine.fast_forward: n must not be negative, got {n}")
        if n:
            steps, done = (n, self.num_generated - 1) if self.num_generated else (n - 1, 0)
            torch._sobol_engine_ff_(self.quasi, steps, self.sobolstate, self.dimension, done)
            self.num_generated += n
        return self

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"SobolEngine({', '.join(parts)})"


_lazy.names_what_is_absent(__name__)
