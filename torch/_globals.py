"""Small functions and constants of the top-level namespace."""

from __future__ import annotations

from torch import _C
from torch._C import Tensor, dtype

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

inf, nan, e, pi = float("inf"), float("nan"), 2.718281828459045, 3.141592653589793
newaxis = None
has_lapack = _C.has_lapack
legacy_contiguous_format = _C.contiguous_format


def is_tensor(obj: Any, /) -> bool:
    """True for a Tensor, subclasses included.

    Args:
        obj (Any): anything

    Returns:
        whether it is one

    Example:
        >>> torch.is_tensor(torch.ones(2)), torch.is_tensor([1.0])
        (True, False)
    """
    return isinstance(obj, Tensor)


def is_storage(obj: Any, /) -> bool:
    """True for a typed or untyped storage.

    Args:
        obj (Any): anything

    Returns:
        whether it is one

    Example:
        >>> torch.is_storage(torch.ones(2).untyped_storage())
        True
    """
    if isinstance(obj, _C.UntypedStorage):
        return True
    import torch.storage

    return isinstance(obj, torch.storage.TypedStorage)


def typename(obj: Any, /) -> str:
    """Name of the type of an object, with its module.

    Args:
        obj (Any): an object, a class or a function; a tensor has the name of its legacy type

    Returns:
        the name; built-in types have no module before it

    Example:
        >>> torch.typename(torch.ones(2)), torch.typename(3), torch.typename(torch.nn.Linear)
        ('torch.FloatTensor', 'int', 'torch.nn.modules.linear.Linear')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else None
    module = getattr(obj, "__module__", "") or ""
    name = getattr(obj, "__qualname__", "") or ""
    if kind is None and not name:
        module, name = type(obj).__module__, type(obj).__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


def set_default_dtype(d: dtype, /) -> None:
    """Set the dtype of new floating point tensors.

    Args:
        d (torch.dtype): floating point

    Raises:
        TypeError: `d` is no dtype, or not a floating point one

    Example:
        >>> torch.set_default_dtype(torch.float64)
        >>> torch.tensor(1.5).dtype
        torch.float64
        >>> torch.set_default_dtype(torch.float32)
    """
    if not isinstance(d, dtype):
        raise TypeError(f"set_default_dtype(): d must be a torch.dtype, got {type(d).__name__}")
    _C._set_default_dtype(d)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Refuse operators whose result may vary from run to run.

    Args:
        mode (bool): whether to refuse them
        warn_only (bool, default False): warn, and run them

    Example:
        >>> torch.use_deterministic_algorithms(True)
        >>> torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)
    """
    _C._set_deterministic_algorithms(mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether operators with results that vary are refused, or warned about.

    Returns:
        what `use_deterministic_algorithms` was given

    Example:
        >>> torch.are_deterministic_algorithms_enabled()
        False
    """
    return _C._get_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether such operators only lead to a warning.

    Returns:
        the `warn_only` that `use_deterministic_algorithms` was given

    Example:
        >>> torch.is_deterministic_algorithms_warn_only_enabled()
        False
    """
    return _C._get_deterministic_algorithms_warn_only()


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set what happens at operators whose result may vary from run to run.

    Args:
        debug_mode (int or str): 0 or "default", nothing; 1 or "warn"; 2 or "error"

    Raises:
        TypeError: it is neither a number nor a string
        RuntimeError: it is another number or string

    Example:
        >>> torch.set_deterministic_debug_mode("warn")
        >>> torch.get_deterministic_debug_mode()
        1
        >>> torch.set_deterministic_debug_mode("default")
    """
    known = {"default": 0, "warn": 1, "error": 2}
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    level = known.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if level not in (0, 1, 2):
        raise RuntimeError(f"debug_mode must be 0, 1, 2 or one of {', '.join(known)}, but got {debug_mode}")
    _C._set_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode() -> int:
    """What happens at operators whose result may vary from run to run.

    Returns:
        0 for nothing, 1 for a warning, 2 for an error

    Example:
        >>> torch.get_deterministic_debug_mode()
        0
    """
    if not are_deterministic_algorithms_enabled():
        return 0
    return 1 if is_deterministic_algorithms_warn_only_enabled() else 2


def get_float32_matmul_precision() -> str:
    """How exact float32 matrix products are.

    Returns:
        "highest", "high" or "medium"

    Example:
        >>> torch.get_float32_matmul_precision()
        'highest'
    """
    from torch.backends import _precision

    return _precision.get_float32_matmul_precision()


def set_float32_matmul_precision(precision: str) -> None:
    """Set how many bits a float32 matrix product may drop inside.

    Args:
        precision (str): "highest" drops none, "high" and "medium" may

    Raises:
        RuntimeError: it is another word

    Example:
        >>> torch.set_float32_matmul_precision("high")
        >>> torch.set_float32_matmul_precision("highest")
    """
    from torch.backends import _precision

    _precision.set_float32_matmul_precision(precision)


def set_warn_always(b: bool, /) -> None:
    """Set whether warnings that come once in a process come every time.

    Args:
        b (bool): every time

    Raises:
        TypeError: it is no bool

    Example:
        >>> torch.set_warn_always(True)
        >>> torch.is_warn_always_enabled()
        True
        >>> torch.set_warn_always(False)
    """
    _C._set_warnAlways(b)


def is_warn_always_enabled() -> bool:
    """Whether warnings that come once in a process come every time.

    Returns:
        what `set_warn_always` was given

    Example:
        >>> torch.is_warn_always_enabled()
        False
    """
    return _C._get_warnAlways()


def compiled_with_cxx11_abi() -> bool:
    """Whether C++ strings and lists have the layout of C++11.

    Returns:
        always True

    Example:
        >>> torch.compiled_with_cxx11_abi()
        True
    """
    return True


def get_file_path(*parts: str) -> str:
    """A path inside of the installed package.

    Args:
        *parts (str): names of folders and of the file

    Returns:
        the path; there need not be anything

    Example:
        >>> torch.get_file_path("version.py").endswith("version.py")
        True
    """
    import os

    return os.path.join(os.path.dirname(__file__), *parts)


def _assert(condition: Any, message: str) -> None:
    """`assert` as a function, which graphs can record."""
    if type(condition) is not Tensor and _C._has_torch_function_unary(condition):
        from torch.overrides import handle_torch_function

        return handle_torch_function(_assert, (condition,), condition, message)
    assert condition, message


def _check_with(error_type: type[Exception], cond: bool, message: Any) -> None:
    if type(cond).__name__ == "SymBool":
        from torch.fx.experimental.symbolic_shapes import _asserted

        cond = _asserted(cond)
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


def _check(cond: bool, message: Any = None) -> None:
    _check_with(RuntimeError, cond, message)


def _check_is_size(i: int, message: Any = None, *, max: int | None = None) -> None:
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_index(cond: bool, message: Any = None) -> None:
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Any = None) -> None:
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Any = None) -> None:
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Any = None) -> None:
    _check_with(NotImplementedError, cond, message)


__all__ = [name for name in dir() if name[0] != "_" and name not in ("Tensor", "dtype", "annotations", "TYPE_CHECKING")]
