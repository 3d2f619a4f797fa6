"""Translates the environment's build options to CMake definitions."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from .env import ROOT, fail, flag, truth
from .version import BASE

# Boolean variables that are passed to CMake unchanged, with their defaults.
FORWARDED = {"BUILD_TEST": True, "USE_MKLDNN": True, "USE_BLAS": True, "USE_NUMPY": True, "USE_OPENMP": True,
             "USE_DISTRIBUTED": True, "USE_GLOO": True, "USE_MPI": True, "USE_NCCL": True, "USE_CUDNN": True,
             "USE_PRECOMPILED_HEADERS": True, "SANITIZE_EMULATED": False}  # fmt: skip

# Builds of the CUDA backend besides that for GPUs: as C++ for the CPU, for tests; for GPUs, but outside of the package.
KINDS_OF_CUDA = ("emulated", "nvcc")

# Variables for features that this version does not have. A value of no is accepted.
CANNOT_HONOUR = {
    "USE_ROCM": "it builds for the CPU only",
    "USE_XPU": "it builds for the CPU only",
    "USE_MPS": "it builds for Linux only",
    "USE_MKL": "its BLAS is OpenBLAS",
    "USE_CUSPARSELT": "it has no products of 2:4 sparse matrices",
    "USE_TSAN": "it knows DEBUG_ASAN only",
    "USE_COLORIZE_OUTPUT": "the compiler's own -fdiagnostics-color in CFLAGS does that",
}


@dataclass
class Build:
    """One configured tree: its location, the destination of its libraries, and CMake's definitions."""

    build_dir: Path
    output_dir: Path
    definitions: dict[str, str]
    in_tree: bool  # fills torch/ of the source tree


def build_type() -> str:
    debug, with_info = flag("DEBUG"), flag("REL_WITH_DEB_INFO")
    if debug and with_info:
        fail("DEBUG=1 and REL_WITH_DEB_INFO=1 ask for two kinds of build at once")
    return "Debug" if debug else "RelWithDebInfo" if with_info else "Release"


def refuse_what_cannot_be() -> None:
    for name, reason in CANNOT_HONOUR.items():
        if flag(name):
            fail(f"{name}=1 cannot be honoured by this version of torch: {reason}. Unset it, or set it to 0.")


def cuda() -> str:
    """CMake's value for USE_CUDA: ON, OFF, or words of KINDS_OF_CUDA, joined by commas."""
    parts = [part.strip() for part in os.environ.get("USE_CUDA", "").split(",")]
    chosen = [part if part in KINDS_OF_CUDA else "ON" for part in parts if part in KINDS_OF_CUDA or truth("USE_CUDA", part)]
    return ",".join(dict.fromkeys(chosen)) or "OFF"


def plan(for_development: bool) -> Build:
    """Development builds live in build/ and fill torch/ of the source tree; others live in build/wheel/."""
    refuse_what_cannot_be()
    asan = flag("DEBUG_ASAN")
    if asan:
        build_dir = ROOT / "build" / "asan"
    else:
        build_dir = ROOT / "build" if for_development else ROOT / "build" / "wheel"
    # Instrumented libraries must not be placed where an ordinary Python would load them.
    in_tree = for_development and not asan
    output_dir = ROOT / "torch" if in_tree else build_dir / "package" / "torch"

    definitions = {
        "CMAKE_BUILD_TYPE": build_type(),
        "Python3_EXECUTABLE": sys.executable,
        "TORCH_OUTPUT_DIR": str(output_dir),
        # Without the commit: including it would rebuild the files that contain it after every commit.
        "TORCH_VERSION": BASE,
        "TORCH_WHEEL": "OFF" if for_development else "ON",
        "BUILD_CPU_CAPABILITY": os.environ.get("BUILD_CPU_CAPABILITY", "native" if for_development else "all"),
        "USE_CUSTOM_DEBINFO": os.environ.get("USE_CUSTOM_DEBINFO", ""),
        "DEBUG_ASAN": "ON" if asan else "OFF",
        "TORCH_EXTRA_FLAGS": os.environ.get("CFLAGS", ""),
    }
    defaults = dict(FORWARDED, BUILD_TEST=for_development)
    for name, default in defaults.items():
        definitions[name] = "ON" if flag(name, default) else "OFF"
    definitions["USE_CUDA"] = cuda()
    definitions["CUDA_HOME"] = os.environ.get("CUDA_HOME", "")
    definitions["CUDAHOSTCXX"] = os.environ.get("CUDAHOSTCXX", "")
    definitions["TORCH_CUDA_ARCH_LIST"] = os.environ.get("TORCH_CUDA_ARCH_LIST", "").replace(";", ",")
    prefixes = [path for path in os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep) if path]
    definitions["CMAKE_PREFIX_PATH"] = ";".join(prefixes)
    return Build(build_dir, output_dir, definitions, in_tree)
