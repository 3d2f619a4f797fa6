# The CUDA backend: its compiler, runtime and architectures, or the emulated device in their place.
#
# USE_CUDA=ON builds for GPUs, USE_CUDA=emulated the kernels as C++ for the CPU; "ON,emulated" builds both, from the same sources.
# USE_CUDA=nvcc builds for GPUs too, but outside of the package and without optimization: a check for machines without a GPU, which
# takes half the time. tools/measure_build.py times USE_CUDA=ON.
# add_cuda_subdirectory(FOLDER) adds a folder once for each of them, with CUDA_IS_EMULATED and CUDA_SUFFIX set: what ends the
# names of targets and libraries. Targets of the backend link cuda_runtime${CUDA_SUFFIX}.

set(CUDA_DEVICES "")
set(CUDA_IS_CHECK OFF)
string(REPLACE "," ";" cuda_requested "${USE_CUDA}")
foreach(device IN LISTS cuda_requested)
  if(device STREQUAL "emulated")
    list(APPEND CUDA_DEVICES emulated)
  elseif(device STREQUAL "nvcc")
    list(APPEND CUDA_DEVICES gpu)
    set(CUDA_IS_CHECK ON)
  elseif(device)
    list(APPEND CUDA_DEVICES gpu)
  endif()
endforeach()

# Libraries of an earlier build: Python would load them.
function(remove_cuda_libraries suffix)
  file(GLOB stale "${TORCH_OUTPUT_DIR}/lib/lib*_cuda${suffix}.so" "${TORCH_OUTPUT_DIR}/_C/_cuda${suffix}.*so"
    "${TORCH_OUTPUT_DIR}/_C/_distributed_nccl${suffix}.*so")
  if(stale)
    file(REMOVE ${stale})
  endif()
endfunction()

if("emulated" IN_LIST CUDA_DEVICES)
  if(POLICY CMP0167)
    cmake_policy(SET CMP0167 NEW)
  endif()
  find_package(Boost QUIET CONFIG COMPONENTS context)
  if(NOT Boost_FOUND)
    missing("Boost.Context" "apt-get install libboost-context-dev")
    return()
  endif()
  add_library(cuda_runtime_emulated INTERFACE)
  target_include_directories(cuda_runtime_emulated SYSTEM INTERFACE "${CMAKE_SOURCE_DIR}/c10/cuda/emulated/include")
  if(SANITIZE_EMULATED AND NOT DEBUG_ASAN)
    # The check of classes is off: libtorch_cpu does not describe its classes to it. AddressSanitizer finds what null and pointer-overflow
    # find, when the address is used, and the compiler warns where return and the attributes would stop. Its checks are calls, and
    # it does not follow scopes: with all of that inline, kernels took more than twice as long to compile.
    set(sanitize -fsanitize=address,undefined)
    target_compile_options(cuda_runtime_emulated INTERFACE ${sanitize}
      -fno-sanitize=vptr,null,pointer-overflow,return,unreachable,nonnull-attribute,returns-nonnull-attribute
      -fno-sanitize-recover=undefined -fno-sanitize-address-use-after-scope
      "SHELL:--param asan-instrumentation-with-call-threshold=0" -fno-omit-frame-pointer -O1)
    target_link_options(cuda_runtime_emulated INTERFACE ${sanitize})
    report("Using the emulated CUDA device with sanitizers: LD_PRELOAD their runtimes")
  else()
    report("Using the emulated CUDA device: a test tool")
  endif()
else()
  remove_cuda_libraries(_emulated)
endif()

if("gpu" IN_LIST CUDA_DEVICES)
  include(CudaToolkit)
endif()
if(NOT "gpu" IN_LIST CUDA_DEVICES OR CUDA_IS_CHECK)
  remove_cuda_libraries("")
endif()

# What torch.__config__ and torch.version tell of it. The emulated device is seen when they are asked.
set(TORCH_BUILD_CUDA "off")
set(TORCH_CUDA_VERSION "")
if("gpu" IN_LIST CUDA_DEVICES AND NOT CUDA_IS_CHECK)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" TORCH_CUDA_VERSION "${CMAKE_CUDA_COMPILER_VERSION}")
  string(REPLACE ";" " " names "${cuda_list}")
  set(TORCH_BUILD_CUDA "${CMAKE_CUDA_COMPILER_VERSION} for ${names}")
endif()
set(TORCH_CUDA_VERSION "${TORCH_CUDA_VERSION}" CACHE INTERNAL "The CUDA that this build is for; setup.py reads it")

if(NOT CUDA_DEVICES)
  report("Not using CUDA")
endif()
if("gpu" IN_LIST CUDA_DEVICES AND USE_CUDNN)
  report("Using cuDNN, which the first convolution opens")
else()
  report("Not using cuDNN")
endif()

function(add_cuda_subdirectory folder)
  set(cxx_flags "${CMAKE_CXX_FLAGS_RELEASE}")
  foreach(device IN LISTS CUDA_DEVICES)
    set(CMAKE_CXX_FLAGS_RELEASE "${cxx_flags}")
    set(CUDA_IS_EMULATED OFF)
    set(CUDA_SUFFIX "")
    set(CUDA_OUTPUT_DIR "${TORCH_OUTPUT_DIR}")
    if(device STREQUAL "emulated")
      set(CUDA_IS_EMULATED ON)
      set(CUDA_SUFFIX "_emulated")
    elseif(CUDA_IS_CHECK)
      set(CUDA_OUTPUT_DIR "${CMAKE_BINARY_DIR}/gpu/torch")
      # Nothing runs this code, so errors are all that compilers are asked for.
      set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
      set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG --Ofast-compile=max")
    endif()
    set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CUDA_OUTPUT_DIR}/lib")
    add_subdirectory("${folder}" "${CMAKE_CURRENT_BINARY_DIR}/cuda/${device}")
  endforeach()
endfunction()

# For .cu files: the emulated device has them compiled as C++.
function(cuda_sources)
  if(CUDA_IS_EMULATED)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++;-Wno-unknown-pragmas")
  endif()
endfunction()
