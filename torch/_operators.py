"""The operators as attributes, for the Python that is written over them."""

from torch import _C


class Operators:
    """Looks an operator up once, in the first of the namespaces that has it.

    One that this build lacks becomes a function that says so when it is called; what does not use it works."""

    def __init__(self, *spaces):
        self._spaces = spaces

    def __getattr__(self, name):
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


def _missing(name):
    def missing(*args, **kwargs):
        from torch._absent import text

        raise NotImplementedError(text(f"torch.ops.aten.{name}"))

    missing.__name__ = missing.__qualname__ = name
    return missing


VF = Operators(_C._VariableFunctions, _C._nn)
NN = Operators(_C._nn, _C._VariableFunctions)
