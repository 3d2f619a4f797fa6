# Precompiled headers: what nearly every file of a target includes is parsed once. Parsing was a third of a clean build.
#
# A header belongs here only if an edit of it rebuilds the target anyway. Files still include what they use:
# USE_PRECOMPILED_HEADERS=0 builds without.

set(TENSOR_HEADERS <ATen/core/Tensor.h>)
set(KERNEL_HEADERS ${TENSOR_HEADERS} <ATen/native/common/DispatchStub.h>)
set(OPERATOR_HEADERS
  <ATen/core/boxing.h> <ATen/TensorOperators.h>
  <ATen/native/common/OutputChecks.h> <ATen/native/common/ResultChecks.h> <ATen/native/common/TensorIterator.h>
  <torch/csrc/autograd/FunctionsManual.h> <torch/csrc/autograd/VariableTypeUtils.h>)
set(BINDING_HEADERS <torch/csrc/python_headers.h> ${TENSOR_HEADERS})
set(OPERATOR_BINDING_HEADERS
  <torch/csrc/autograd/python_variable.h> <torch/csrc/binding/python_arg_parser.h> <torch/csrc/binding/python_thunk.h>)
set(CUDA_BINDING_HEADERS ${BINDING_HEADERS} <pybind11/pybind11.h> <pybind11/stl.h>)
set(DISTRIBUTED_HEADERS ${BINDING_HEADERS} <torch/csrc/distributed/c10d/python_c10d.h>)

function(precompile target)
  if(NOT USE_PRECOMPILED_HEADERS)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache caches files that use a precompiled header only if the preprocessor leaves a trace of it. A header that turns this
    # warning off, as c10/util/ArrayRef.h does, turns it off until it is precompiled only.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess -Wno-init-list-lifetime>)
  endif()
endfunction()

# The same for a target with the flags of another one: it uses what that one has parsed.
function(precompiled_as target other)
  if(NOT USE_PRECOMPILED_HEADERS)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${other})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess -Wno-init-list-lifetime>)
  endif()
endfunction()

