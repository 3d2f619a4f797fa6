"""Builds and installs torch. CMake does the building; the parts of this file are in tools/setup_helpers.

    pip install -e . -v --no-build-isolation   build in place, for work on torch itself
    pip install .                              build a wheel and install it
    python setup.py develop | install | build | bdist_wheel | clean [--all]
    python setup.py develop --cmake            configure again before building
    python setup.py build --cmake-only         configure, and stop there

Environment variables:

    DEBUG=1                  -O0 -g                 REL_WITH_DEB_INFO=1      -O2 -g
    USE_CUSTOM_DEBINFO=a;b   these files -O0 -g     DEBUG_ASAN=1             address and UB sanitizers
    CFLAGS                   more flags             CC, CXX, LDFLAGS         as everywhere
    MAX_JOBS, CMAKE_BUILD_PARALLEL_LEVEL            compiles at once (what memory and cores allow)
    CMAKE_FRESH=1            forget CMake's cache   CMAKE_PREFIX_PATH        where packages are looked for
    BUILD_CPU_CAPABILITY     native (the default in place), all (the default of a wheel), DEFAULT;AVX2;AVX512
    BUILD_TEST, USE_MKLDNN, USE_BLAS, USE_NUMPY, USE_OPENMP   0 leaves the part out
    USE_DISTRIBUTED, USE_GLOO, USE_MPI                        the same
    USE_PRECOMPILED_HEADERS  0 parses every header in every file
    USE_CUDA                 1: for GPUs; emulated: CUDA kernels as C++ for the CPU, for tests
    USE_CUDNN, USE_NCCL      0 leaves the part out of a build for GPUs
    CUDA_HOME, CUDAHOSTCXX, TORCH_CUDA_ARCH_LIST   toolkit, host compiler, GPUs to build for
"""

import sys
from pathlib import Path

# A build front end runs this file without its folder on the path.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools.setup_helpers.prerequisites import check

check()

from setuptools import Extension, find_packages, setup

from tools.setup_helpers.commands import COMMANDS, take_switches
from tools.setup_helpers.version import version

if __name__ == "__main__":
    take_switches(sys.argv)
    setup(
        version=version(),
        packages=find_packages(include=["torch", "torch.*", "torchgen", "torchgen.*"]),
        package_data={"torch": ["py.typed", "**/*.pyi", "_operator_index.json", "share/cmake/**"], "torchgen": ["templates/**"]},
        # Named so that a wheel is one of this platform; CMake builds it.
        ext_modules=[Extension("torch._C", ["torch/csrc/stub.c"])],
        cmdclass=COMMANDS,
    )
