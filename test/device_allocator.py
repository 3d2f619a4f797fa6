"""A shared library with an allocator of device memory, as programs bring one: it counts what it gave."""

import ctypes
import os
import site
import subprocess
from pathlib import Path

from gpus import IS_EMULATED
from surroundings import ROOT

SOURCE = """
#include <sys/types.h>
#include <dlfcn.h>
// Memory of the device, as cudaMalloc gives it: of the emulated one too.
static void* call(const char* name) { return dlsym(RTLD_DEFAULT, name); }
static long total = 0, count = 0;
extern "C" void* my_alloc(ssize_t size, int device, void* stream) {
  void* found = nullptr;
  if (reinterpret_cast<int (*)(void**, size_t)>(call("cudaMalloc"))(&found, size)) return nullptr;
  total += size, ++count;
  return found;
}
extern "C" void my_free(void* address, ssize_t size, int device, void* stream) {
  reinterpret_cast<int (*)(void*)>(call("cudaFree"))(address);
  total -= size;
}
extern "C" long my_total() { return total; }
extern "C" long my_count() { return count; }
"""


def runtime():
    """The library that has cudaMalloc. That of a build for GPUs is linked into torch, so that its names are not seen."""
    if IS_EMULATED:
        return ROOT / "torch" / "lib" / "libc10_cuda_emulated.so"
    homes = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    homes += [Path(folder) / "nvidia" / "cu13" for folder in site.getsitepackages()]
    homes.append(Path("/usr/local/cuda"))
    return next(file for home in homes for folder in ("lib", "lib64") for file in (home / folder).glob("libcudart.so*"))


def build(folder):
    """The library, which is loaded with RTLD_GLOBAL behind the runtime that it calls: `load` does so."""
    source, library = folder / "mine.cpp", folder / "libmine.so"
    source.write_text(SOURCE)
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def load(library):
    """Its functions in this process."""
    ctypes.CDLL(str(runtime()), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(library))
