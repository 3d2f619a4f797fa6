# find_package(Torch): libtorch for C++ programs.
#
#   find_package(Torch REQUIRED)
#   target_link_libraries(program PRIVATE torch)
#
#   cmake -DCMAKE_PREFIX_PATH="$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')" ..
#
# Targets: torch (link this), torch_cpu, c10. Variables: TORCH_LIBRARIES, TORCH_INCLUDE_DIRS, TORCH_INSTALL_PREFIX, TORCH_CXX_FLAGS.

get_filename_component(TORCH_INSTALL_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# An installed package has its headers in include/; an editable one shares those of the source tree.
if(EXISTS "${TORCH_INSTALL_PREFIX}/include/torch/torch.h")
  set(TORCH_INCLUDE_DIRS "${TORCH_INSTALL_PREFIX}/include")
else()
  get_filename_component(_torch_root "${TORCH_INSTALL_PREFIX}/.." ABSOLUTE)
  set(TORCH_INCLUDE_DIRS "${_torch_root}" "${_torch_root}/aten/src" "${_torch_root}/build/generated")
  unset(_torch_root)
endif()
set(TORCH_CXX_FLAGS "")
set(TORCH_LIBRARIES torch)

foreach(_torch_name c10 torch_cpu)
  set(_torch_library "${TORCH_INSTALL_PREFIX}/lib/lib${_torch_name}.so")
  if(NOT EXISTS "${_torch_library}")
    set(Torch_FOUND FALSE)
    set(Torch_NOT_FOUND_MESSAGE "there is no ${_torch_library}; build torch first")
    return()
  endif()
  if(NOT TARGET ${_torch_name})
    add_library(${_torch_name} SHARED IMPORTED)
    set_target_properties(${_torch_name} PROPERTIES IMPORTED_LOCATION "${_torch_library}" IMPORTED_NO_SONAME FALSE)
    target_include_directories(${_torch_name} SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
    target_compile_features(${_torch_name} INTERFACE cxx_std_17)
    # Tensors have their operators as methods: x.sum(). The library's own files do without.
    target_compile_definitions(${_torch_name} INTERFACE TORCH_TENSOR_METHODS)
  endif()
endforeach()
if(NOT TARGET torch)
  add_library(torch INTERFACE IMPORTED)
  set_target_properties(torch PROPERTIES INTERFACE_LINK_LIBRARIES "torch_cpu;c10")
endif()
unset(_torch_name)
unset(_torch_library)
set(Torch_FOUND TRUE)
set(TORCH_FOUND TRUE)
