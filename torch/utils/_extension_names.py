"""Names of torch.utils.cpp_extension that set-up scripts of other packages ask for: facts about the platform and the toolkit."""

from __future__ import annotations

import os

from torch.utils import _cuda_extension

IS_LINUX, IS_MACOS, IS_WINDOWS = True, False, False
CLIB_PREFIX, CLIB_EXT, LIB_EXT, EXEC_EXT, SHARED_FLAG = "lib", ".so", ".so", "", "-shared"

# There is no build for AMD's or Intel's GPUs.
IS_HIP_EXTENSION = False
HIP_HOME = ROCM_HOME = ROCM_VERSION = SYCL_HOME = None

CUDNN_HOME = os.environ.get("CUDNN_HOME") or os.environ.get("CUDNN_PATH")

# Without arithmetic of CUDA's own on half types, as extensions expect: that of c10 is meant.
COMMON_NVCC_FLAGS = [
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
    "--expt-relaxed-constexpr",
]


def _find_cuda_home() -> str | None:
    """Where the CUDA toolkit is."""
    return _cuda_extension.root()


def _join_cuda_home(*paths: str) -> str:
    """A path in the CUDA toolkit.

    Raises:
        OSError: there is no toolkit
    """
    home = _find_cuda_home()
    if home is None:
        raise OSError("there is no CUDA toolkit; pip install -r requirements-nvcc.txt, or set CUDA_HOME to an installed one")
    return os.path.join(home, *paths)


def _is_cuda_file(path: str) -> bool:
    """Whether a source is for NVIDIA's compiler."""
    return os.path.splitext(path)[1] in (".cu", ".cuh")


def _get_cuda_arch_flags(cflags: list[str] | None = None) -> list[str]:
    """The flags that say for which GPUs to compile; none if `cflags` say so."""
    return [] if _cuda_extension.names_gpus(cflags or []) else _cuda_extension.architectures()
