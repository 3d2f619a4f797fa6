"""Compiles a kernel for the emulated device: the C++ compiler makes a shared library of it.

The library exports a structure that aten/src/ATen/cuda/emulated/nvrtc.cpp reads: the kernel's name, a function that runs one of
its threads, and the sizes of its parameters.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence

from torch.cuda._runtime import extension
from torch.utils import _cuda_extension
from torch.utils.cpp_extension import TORCH_LIB_PATH, get_cxx_compiler

_ENTRY = "torch_kernel"

# What NVIDIA's compiler knows without any header.
_BEFORE = """
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <utility>

#define assert(condition) \\
  ((condition) ? void() \\
               : ::torch_emulated_cuda::fail_assertion(#condition, __FILE__, __LINE__, __func__))

namespace torch_emulated_kernel {
template <typename T>
T* dynamic_shared() {
  return static_cast<T*>(::torch_emulated_cuda::dynamic_shared());
}
}
template <typename A, typename B>
std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <typename A, typename B>
std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}
#line 1 "{file}"
"""

_BEHIND = """
#line 1 "the launch of {file}"
namespace torch_emulated_kernel {
template <typename... P>
struct Parameters {
  static constexpr unsigned long long sizes[] = {0, sizeof(P)...};
  template <size_t... I>
  static void run(void (*kernel)(P...), void** values, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cv_t<P>*>(values[I])...);
  }
  using Indices = std::index_sequence_for<P...>;
  static constexpr unsigned long long count = sizeof...(P);
};
template <typename... P>
Parameters<P...> parameters_of(void (*)(P...));
using Own = decltype(parameters_of(&{name}));

struct Entry {
  const char* name;
  void (*run)(void** values);
  unsigned long long num_parameters;
  const unsigned long long* parameter_sizes;
};
}
extern "C" __attribute__((visibility("default"))) const torch_emulated_kernel::Entry {entry};
const torch_emulated_kernel::Entry {entry} = {
    "{name}",
    [](void** values) {
      torch_emulated_kernel::Own::run(&{name}, values, torch_emulated_kernel::Own::Indices());
    },
    torch_emulated_kernel::Own::count, torch_emulated_kernel::Own::sizes + 1};
"""


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def identity() -> str:
    """Differs between builds of the device, whose compiled kernels do not fit each other."""
    library = os.stat(os.path.join(TORCH_LIB_PATH, "libc10_cuda_emulated.so"))
    return f"emulated {library.st_mtime_ns} {library.st_size}"


def compile_kernel(source: str, name: str, options: Sequence[str]) -> tuple[str, bytes]:
    """The name of the structure in the library, and the library.

    Args:
        source (str): in CUDA
        name (str): of the kernel; may be an instance of a template
        options (Sequence[str]): of the compiler; those other than -I, -D and -U tell NVIDIA's what to do, and are left out

    Returns:
        the name and the image

    Raises:
        RuntimeError: it does not compile
    """
    options = [option for option in options if re.match(r"-[IDU]", option)]
    includes = [f"-I{folder}" for folder in _cuda_extension.include_paths()]
    sanitizer = ["-fsanitize=address", "-fno-sanitize-address-use-after-scope"] if extension().is_sanitized else []
    text = _cuda_extension.shared_as_pointers(source, "::torch_emulated_kernel::dynamic_shared")
    with tempfile.TemporaryDirectory() as folder:
        written, made = os.path.join(folder, "kernel.cpp"), os.path.join(folder, "kernel.so")
        with open(written, "w") as file:
            file.write(_filled(_BEFORE, file=f"{name}.cu") + text)
            file.write(_filled(_BEHIND, name=name, file=f"{name}.cu", entry=_ENTRY))
        # Hidden, since variables of inline functions and templates would otherwise be those of the first library that has them.
        flags = ["-std=c++17", "-O1", "-g1", "-fPIC", "-shared", "-fvisibility=hidden"]
        command = [*shlex.split(get_cxx_compiler()), *flags]
        command += [*sanitizer, *options, *includes, written, "-o", made]
        command += [f"-L{TORCH_LIB_PATH}", "-lc10_cuda_emulated", f"-Wl,-rpath-link,{TORCH_LIB_PATH}"]
        # The compiler itself needs no sanitizer.
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(f"{name}: the kernel does not compile:\n{done.stdout}{done.stderr}")
        with open(made, "rb") as file:
            return _ENTRY, file.read()
