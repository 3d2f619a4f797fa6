"""Tensors, automatic differentiation and neural networks.

Only the extension and the methods of Tensor are loaded here. Every other part of the package is imported when its
name is first used: `_lazy` has the table of names.
"""

import os as _os
import sys as _sys

from torch import _C
from torch._C import Event, Generator, Size, Stream, Tensor, default_generator, device, dtype  # noqa: F401
from torch._lazy import ATTRIBUTES as _ATTRIBUTES
from torch._lazy import SUBMODULES as _SUBMODULES
from torch._lazy import AbsentModules as _AbsentModules
from torch._lazy import lazy as _lazy_names
from torch._lazy import name_of_c as _name_of_c
from torch._lazy import without_operators as _without_operators
from torch.torch_version import __version__

_VF = _C._VariableFunctions
torch = _sys.modules[__name__]


def _publish():
    """Make the public names of the extension, and all of its operators, names of this package."""
    space = globals()
    for name in dir(_C):
        if name[0] != "_":
            space.setdefault(name, getattr(_C, name))
    for name in dir(_VF):
        if not name.startswith("__"):
            space[name] = getattr(_VF, name)
    for name in _without_operators(_C):
        _ATTRIBUTES.pop(name, None)
    for name in _ATTRIBUTES:  # a Python function wraps the operator
        space.pop(name, None)


_publish()

from torch import _tensor as _tensor  # noqa: E402  (gives Tensor its Python methods)
from torch._globals import *  # noqa: E402,F401,F403
from torch._globals import (  # noqa: E402,F401  # noqa: E402,F401
    _assert,
    _check,
    _check_index,
    _check_is_size,
    _check_not_implemented,
    _check_type,
    _check_value,
    _check_with,
)
from torch.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402,F401

__getattr__, __dir__ = _lazy_names(__name__, _SUBMODULES, _ATTRIBUTES)
_sys.meta_path.append(_AbsentModules)
_C.__getattr__ = _name_of_c
_C.__path__ = [_os.path.dirname(__file__) + "/_C"]  # extensions that are loaded when they are needed


if not _os.environ.keys().isdisjoint(("TORCH_LOGS", "TORCH_TRACE", "TORCH_DTRACE")):
    from torch._logging import _internal as _logging_internal  # noqa: F401  (importing it reads these variables)
