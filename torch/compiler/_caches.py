"""What a compiler keeps for the next run: nothing, since there is no compiler."""

from __future__ import annotations

from typing import Any


def save_cache_artifacts() -> tuple[bytes, Any] | None:
    """What was compiled, to be kept in a file.

    Returns:
        None: nothing was compiled

    Example:
        >>> torch.compiler.save_cache_artifacts() is None
        True
    """
    return None


def load_cache_artifacts(serialized_artifacts: bytes) -> Any:
    """Take over what another run compiled. Code that PyTorch compiled cannot be used here, so nothing is taken.

    Args:
        serialized_artifacts (bytes): of PyTorch's `save_cache_artifacts`

    Returns:
        None

    Raises:
        TypeError: it is not bytes

    Example:
        >>> torch.compiler.load_cache_artifacts(b"") is None
        True
    """
    if not isinstance(serialized_artifacts, (bytes, bytearray, memoryview)):
        raise TypeError(f"load_cache_artifacts: expected bytes, got {type(serialized_artifacts).__name__}")
    return None


def load_compiled_function(
    file: Any, *, f_globals: dict[str, object] | None = None, external_data: dict[str, Any] | None = None
) -> Any:  # fmt: skip
    """Read a compiled function from a file, which this version cannot do.

    Args:
        file (file): the file
        f_globals (dict, optional): global names of the function
        external_data (dict, optional): what the file leaves out

    Raises:
        NotImplementedError: always

    Example:
        >>> import io
        >>> torch.compiler.load_compiled_function(io.BytesIO())
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("torch.compiler.load_compiled_function: this version cannot run functions that PyTorch compiled")
