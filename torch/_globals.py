"""Small functions and constants of the top-level namespace."""

from torch import _C
from torch._C import Tensor, dtype

inf, nan, e, pi = float("inf"), float("nan"), 2.718281828459045, 3.141592653589793
newaxis = None
has_lapack = _C.has_lapack
legacy_contiguous_format = _C.contiguous_format


def is_tensor(obj, /):
    """True for a Tensor, subclasses included."""
    return isinstance(obj, Tensor)


def is_storage(obj, /):
    """True for a typed or untyped storage."""
    if isinstance(obj, _C.UntypedStorage):
        return True
    import torch.storage

    return isinstance(obj, torch.storage.TypedStorage)


def typename(obj, /):
    """Name of the type of `obj` with its module, or of a tensor's legacy type (`torch.FloatTensor`)."""
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else None
    module = getattr(obj, "__module__", "") or ""
    name = getattr(obj, "__qualname__", "") or ""
    if kind is None and not name:
        module, name = type(obj).__module__, type(obj).__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


def set_default_dtype(d, /):
    """Set the dtype of new floating point tensors: a floating point `torch.dtype`."""
    if not isinstance(d, dtype):
        raise TypeError(f"set_default_dtype(): d must be a torch.dtype, got {type(d).__name__}")
    _C._set_default_dtype(d)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Refuse (or, with `warn_only`, warn about) operators whose result may vary from run to run."""
    _C._set_deterministic_algorithms(mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled():
    return _C._get_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled():
    return _C._get_deterministic_algorithms_warn_only()


def set_deterministic_debug_mode(debug_mode):
    """0 or "default", 1 or "warn", 2 or "error"."""
    known = {"default": 0, "warn": 1, "error": 2}
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    level = known.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if level not in (0, 1, 2):
        raise RuntimeError(f"debug_mode must be 0, 1, 2 or one of {', '.join(known)}, but got {debug_mode}")
    _C._set_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode():
    if not are_deterministic_algorithms_enabled():
        return 0
    return 1 if is_deterministic_algorithms_warn_only_enabled() else 2


def get_float32_matmul_precision():
    return _C._get_float32_matmul_precision()


def set_float32_matmul_precision(precision):
    """"highest", "high" or "medium": how many bits a float32 matrix product may drop inside."""
    _C._set_float32_matmul_precision(precision)


def set_warn_always(b, /):
    _C._set_warnAlways(b)


def is_warn_always_enabled():
    return _C._get_warnAlways()


def compiled_with_cxx11_abi():
    return True


def get_file_path(*parts):
    import os

    return os.path.join(os.path.dirname(__file__), *parts)


def _assert(condition, message):
    """`assert` as a function."""
    assert condition, message


def _check_with(error_type, cond, message):
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        text = "Expected cond to be True, but got False"
    elif callable(message):
        text = str(message())
    else:
        raise TypeError("message must be a callable")
    raise error_type(text)


def _check(cond, message=None):
    _check_with(RuntimeError, cond, message)


def _check_is_size(i, message=None, *, max=None):
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_index(cond, message=None):
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None):
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None):
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None):
    _check_with(NotImplementedError, cond, message)


__all__ = [name for name in dir() if name[0] != "_" and name not in ("Tensor", "dtype")]
