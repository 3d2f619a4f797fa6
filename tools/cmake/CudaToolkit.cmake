# nvcc and the runtime: of CUDA_HOME, if that is set, else of the nvidia-* packages of the interpreter that builds.

set(CUDA_HOME "" CACHE PATH "An installed CUDA toolkit; empty: the nvidia-* packages of Python")
set(TORCH_CUDA_ARCH_LIST "" CACHE STRING "GPUs to build for, such as 8.0;9.0+PTX; empty: the GPU that is there, else 9.0+PTX")

if(CUDA_HOME)
  set(CUDA_ROOT "${CUDA_HOME}")
else()
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
      "import importlib.util as u; s = u.find_spec('nvidia') and u.find_spec('nvidia.cu13'); print(s and next(iter(s.submodule_search_locations)) or '')"
    OUTPUT_VARIABLE CUDA_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT EXISTS "${CUDA_ROOT}/bin/nvcc")
  missing("nvcc" "pip install -r requirements-nvcc.txt, or set CUDA_HOME to an installed toolkit")
  return()
endif()

# 9.0 means machine code for it; 9.0+PTX also what newer GPUs can be given.
set(cuda_names_Volta 7.0)
set(cuda_names_Turing 7.5)
set(cuda_names_Ampere 8.0 8.6)
set(cuda_names_Ada 8.9)
set(cuda_names_Hopper 9.0)
set(cuda_names_Blackwell 10.0 12.0)
set(cuda_list "${TORCH_CUDA_ARCH_LIST}")
if(NOT cuda_list)
  execute_process(
    COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE cuda_list OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE cuda_failed)
  if(cuda_failed OR NOT cuda_list)
    set(cuda_list "9.0+PTX")
  endif()
endif()
string(REGEX REPLACE "[ ,\n]+" ";" cuda_list "${cuda_list}")
list(REMOVE_DUPLICATES cuda_list)
set(cuda_architectures "")
foreach(name IN LISTS cuda_list)
  string(REPLACE "+PTX" "" base "${name}")
  set(versions "${base}")
  if(DEFINED cuda_names_${base})
    set(versions ${cuda_names_${base}})
  endif()
  foreach(version IN LISTS versions)
    if(NOT version MATCHES "^([0-9]+)\\.([0-9])([af]?)$")
      message(FATAL_ERROR "TORCH_CUDA_ARCH_LIST: ${name} is not a GPU architecture; expected a version such as 9.0 or 9.0+PTX, "
        "or Volta, Turing, Ampere, Ada, Hopper or Blackwell")
    endif()
    set(number "${CMAKE_MATCH_1}${CMAKE_MATCH_2}${CMAKE_MATCH_3}")
    list(APPEND cuda_architectures "${number}-real")
    if(name MATCHES "\\+PTX$")
      list(APPEND cuda_architectures "${number}-virtual")
    endif()
  endforeach()
endforeach()
set(CMAKE_CUDA_ARCHITECTURES ${cuda_architectures})

# Lines of kernels and of the functions that start them, for traces, cuda-gdb and compute-sanitizer.
foreach(type RELEASE RELWITHDEBINFO)
  set(CMAKE_CUDA_FLAGS_${type} "-O2 -DNDEBUG -Xcompiler=-g1 -lineinfo")
endforeach()
if(CUDAHOSTCXX)
  set(CMAKE_CUDA_HOST_COMPILER "${CUDAHOSTCXX}")
  report("Using CUDAHOSTCXX ${CUDAHOSTCXX} for host code of CUDA sources")
endif()
set(CMAKE_CUDA_COMPILER "${CUDA_ROOT}/bin/nvcc")
enable_language(CUDA)
# The sources are C++17, like the CPU's, and use lambdas with template parameters, a part of C++20 that the compilers take with a warning,
# which is off. -std=c++20 would make small files compile for a quarter longer.
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
# CUDA 13's headers deprecate names that its own headers use; --expt-relaxed-constexpr lets kernels call what std declares constexpr.
# CCCL's numbers of 16 and fewer bits are those of cuda_fp16.h and four more headers, half a megabyte: kernels have c10's.
string(APPEND CMAKE_CUDA_FLAGS " -DCCCL_DISABLE_FP16_SUPPORT --expt-relaxed-constexpr -Xcompiler=-Wno-unknown-pragmas -Xfatbin -compress-all -diag-suppress 20012,3288 -Xcompiler=-Wno-c++20-extensions")
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)

# The runtime is linked as a static library: it opens the driver on first use, so that the libraries load without one.
find_library(CUDA_RUNTIME_LIBRARY cudart_static PATHS "${CUDA_ROOT}/lib" "${CUDA_ROOT}/lib64" NO_DEFAULT_PATH)
if(NOT CUDA_RUNTIME_LIBRARY)
  missing("libcudart_static" "pip install -r requirements-nvcc.txt, or set CUDA_HOME to an installed toolkit")
  return()
endif()
add_library(cuda_runtime INTERFACE)
target_include_directories(cuda_runtime SYSTEM INTERFACE "${CUDA_ROOT}/include" "${CUDA_ROOT}/include/cccl")
target_link_libraries(cuda_runtime INTERFACE "${CUDA_RUNTIME_LIBRARY}" ${CMAKE_DL_LIBS} rt)
report("Using CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${cuda_list}")

# Headers of cuDNN and of NVIDIA's cudnn-frontend, which attention is compiled with. The other parts of cuDNN are declared in our own.
set(CUDNN_ATTENTION OFF)
if(USE_CUDNN)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('purelib'))"
    OUTPUT_VARIABLE site_packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(CUDNN_INCLUDE_DIR cudnn.h
    HINTS "${site_packages}/nvidia/cudnn/include" "${site_packages}/nvidia/cudnn_jit/include" "${CUDA_ROOT}/include")
  find_path(CUDNN_FRONTEND_INCLUDE_DIR cudnn_frontend.h HINTS "${site_packages}/include" "${CUDA_ROOT}/include")
  if(CUDNN_INCLUDE_DIR AND CUDNN_FRONTEND_INCLUDE_DIR)
    set(CUDNN_ATTENTION ON)
    report("Using cuDNN's attention, with ${CUDNN_FRONTEND_INCLUDE_DIR}/cudnn_frontend.h")
  else()
    report("Not using cuDNN's attention: cudnn.h or cudnn_frontend.h is missing; pip install -r requirements-cuda.txt has both")
  endif()
endif()
