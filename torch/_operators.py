"""The operators as attributes, for Python code that wraps them."""

from __future__ import annotations

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class Operators:
    """Looks an operator up once, in the first of the namespaces that has it.

    One that this build lacks becomes a function that says so when it is called; what does not use it works."""

    def __init__(self, *spaces: Any) -> None:
        self._spaces = spaces

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for space in self._spaces:
            operator = getattr(space, name, None)
            if operator is not None:
                break
        else:
            operator = _missing(name)
        setattr(self, name, operator)
        return operator


def _missing(name: str) -> Any:
    def missing(*args: Any, **kwargs: Any) -> Any:
        from torch._absent import text

        raise NotImplementedError(text(f"torch.ops.aten.{name}"))

    missing.__name__ = missing.__qualname__ = name
    missing.__doc__ = f"The operator `{name}`, which this version lacks: every call raises NotImplementedError."
    return missing


VF = Operators(_C._VariableFunctions, _C._nn)
NN = Operators(_C._nn, _C._VariableFunctions)
