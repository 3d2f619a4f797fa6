"""Where an operator is defined, on one page: its Python entry, schema, yaml entry, kernels, derivative, tests, breakpoints.

    python -m torch.utils.explain conv2d [--json] [--graph FILE.svg]
    torch.utils.explain("conv2d")                 the same, as an object that prints as the page
    torch.utils.explain(F.conv2d, x, w)           with arguments: the path that this very call takes

It answers for operators of the registry ("aten::add.Tensor", "add"), functions of torch and torch.nn.functional, methods of
Tensor ("__getitem__" too), classes of torch.nn and torch.optim, autograd nodes ("AddBackward0"), and C++ functions and stubs
("at::native::add", "add_stub").
"""

import sys
import types

from torch.utils.explain.facts import Explanation, collect
from torch.utils.explain.find import UnknownName, find

__all__ = ["Explanation", "UnknownName", "explain"]


def explain(target, *args, **kwargs):
    """An Explanation of `target`: a name, or a function, method, class or module instance of torch.

    With arguments the target is called, and `path` holds the dispatches of that call.
    Raises UnknownName (a LookupError), which suggests names, for what is no operator."""
    found = find(target)
    return collect(found, args, kwargs, called=bool(args or kwargs))


class _Callable(types.ModuleType):
    def __call__(self, target, *args, **kwargs):
        return explain(target, *args, **kwargs)


sys.modules[__name__].__class__ = _Callable
