# What can be chosen about a build. setup.py sets these from the environment variables of the same names.

option(BUILD_TEST "Build the C++ tests and benchmarks" ON)
option(USE_MKLDNN "Use oneDNN for convolutions and recurrent cells" ON)
option(USE_BLAS "Use OpenBLAS for matrix products and LAPACK" ON)
option(USE_NUMPY "Build the NumPy bindings" ON)
option(USE_OPENMP "Run kernels on several threads" ON)
option(USE_DISTRIBUTED "Build torch.distributed" ON)
option(USE_GLOO "Use Gloo for torch.distributed on the CPU; without it there are stores and backends of others" ON)
option(DEBUG_ASAN "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
set(USE_CUSTOM_DEBINFO "" CACHE STRING "Source files to build with -O0 -g, separated by ;")
set(BUILD_CPU_CAPABILITY "native" CACHE STRING
  "Instruction sets that CPU kernels are built for: native, all, or a list out of DEFAULT;AVX2;AVX512")
set(TORCH_OUTPUT_DIR "${CMAKE_SOURCE_DIR}/torch" CACHE PATH "Package folder that gets _C and lib/")
option(TORCH_WHEEL "Build for a wheel: no path of this machine in the libraries" OFF)
set(TORCH_COMPILER_LAUNCHER "" CACHE STRING "A command that runs each compile, instead of ccache")
set(TORCH_EXTRA_FLAGS "" CACHE STRING "Flags for C and C++ on top of the project's own")
set(TORCH_VERSION "2.13.0a0+unknown" CACHE STRING "What torch.__version__ says")

foreach(unsupported USE_CUDA USE_CUDNN USE_ROCM)
  if(${unsupported})
    message(FATAL_ERROR "${unsupported}=1 cannot be honoured: this version of torch builds for the CPU only")
  endif()
endforeach()
