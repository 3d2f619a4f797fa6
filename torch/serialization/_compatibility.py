"""Small functions of `torch.serialization` that programs written for PyTorch call."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FileLike = MAP_LOCATION = object  # names of annotations


class SourceChangeWarning(Warning):
    """Kept for programs that filter it.

    Example:
        >>> issubclass(torch.serialization.SourceChangeWarning, Warning)
        True
    """


def normalize_storage_type(storage_type: type) -> type:
    """The storage class of `torch` with the name of a class.

    Args:
        storage_type (type): such as `torch.FloatStorage`

    Returns:
        the class

    Example:
        >>> torch.serialization.normalize_storage_type(torch.FloatStorage)
        <class 'torch.FloatStorage'>
    """
    return getattr(torch, storage_type.__name__)


def check_module_version_greater_or_equal(module: Any, req_version_tuple: Sequence[int], error_if_malformed: bool = True) -> bool:
    """Whether a module is of at least some version.

    Args:
        module (module): with a `__version__`
        req_version_tuple (Sequence[int]): the version
        error_if_malformed (bool, default True): accepted for compatibility

    Returns:
        whether `__version__` is not below it

    Example:
        >>> torch.serialization.check_module_version_greater_or_equal(torch, (1, 0))
        True
    """
    from torch.torch_version import _parts

    return _parts(module.__version__)[0] >= _parts(req_version_tuple)[0]
