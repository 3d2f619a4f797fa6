"""Questions about the compiler that extensions are built with."""

from __future__ import annotations

import functools
import re
import subprocess
import warnings

from torch.torch_version import TorchVersion


@functools.lru_cache(None)
def _version_text(compiler: str) -> str:
    """What `compiler -v` prints; empty if it is no program, or fails."""
    try:
        done = subprocess.run([compiler, "-v"], capture_output=True, text=True, timeout=60)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr if done.returncode == 0 else ""


def check_compiler_is_gcc(compiler: str) -> bool:
    """Whether a compiler is GCC, whatever its name.

    Args:
        compiler (str): the program

    Returns:
        whether it is; False if it cannot be run

    Example:
        >>> from torch.utils.cpp_extension import check_compiler_is_gcc
        >>> check_compiler_is_gcc("no such program")
        False
    """
    return re.search(r"^gcc version ", _version_text(compiler), re.M) is not None


def check_compiler_ok_for_platform(compiler: str) -> bool:
    """Whether a compiler is of the kind that torch was built with: GCC.

    Args:
        compiler (str): the program

    Returns:
        whether it is

    Example:
        >>> from torch.utils.cpp_extension import check_compiler_ok_for_platform
        >>> check_compiler_ok_for_platform("no such program")
        False
    """
    return check_compiler_is_gcc(compiler)


def get_compiler_abi_compatibility_and_version(compiler: str) -> tuple[bool, TorchVersion]:
    """Whether extensions built with a compiler fit torch, and its version. It warns about one that may not.

    Args:
        compiler (str): the program

    Returns:
        whether it is GCC 9 or later, and its version; "0.0.0" for another compiler

    Example:
        >>> import warnings
        >>> from torch.utils.cpp_extension import get_compiler_abi_compatibility_and_version
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     get_compiler_abi_compatibility_and_version("no such program")
        (False, '0.0.0')
    """
    found = re.search(r"^gcc version (\d+(?:\.\d+)*)", _version_text(compiler), re.M)
    if found is None:
        warnings.warn(f"extensions built with {compiler} may not fit torch, which was built with GCC", stacklevel=2)
        return False, TorchVersion("0.0.0")
    version = TorchVersion(found[1])
    fits = version >= "9.0.0"
    if not fits:
        warnings.warn(f"extensions built with GCC {version} may not fit torch: 9 or later is needed", stacklevel=2)
    return fits, version


def remove_extension_h_precompiler_headers() -> None:
    """Delete precompiled headers of extensions; builds make none.

    Example:
        >>> from torch.utils.cpp_extension import remove_extension_h_precompiler_headers
        >>> remove_extension_h_precompiler_headers()
    """


for _function in (check_compiler_is_gcc, check_compiler_ok_for_platform, get_compiler_abi_compatibility_and_version,
                  remove_extension_h_precompiler_headers):  # fmt: skip
    _function.__module__ = "torch.utils.cpp_extension"
