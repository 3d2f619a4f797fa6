# Generated code. torchgen reads the native_functions.yaml and docs.md of each family, and writes C++ and .pyi below build/generated.
#
# It rewrites only what changed, and the rule restats its outputs, so that an edit of the yaml rebuilds
# just what the edit changed. The list of outputs is a file that the rule itself keeps up to date; when
# the list changes (an operator was added), the next build configures again.

# Links a library: a missing kernel is named with its operator, by torchgen's index, and the index of names for gdb is made smaller.
set(LIBRARY_LINKER
  "${Python3_EXECUTABLE};${CMAKE_SOURCE_DIR}/tools/setup_helpers/link.py;${CMAKE_SOURCE_DIR}/torch/_operator_index.json")

set(TORCH_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
set(TORCH_GENERATED_ATEN "")
set(TORCH_GENERATED_PYTHON "")
set(TORCH_GENERATED_CUDA "")

if(EXISTS "${CMAKE_SOURCE_DIR}/torchgen/gen.py")
  set(torchgen_list "${CMAKE_BINARY_DIR}/torchgen_outputs.txt")
  set(torchgen_command
    "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/cmake/run_torchgen.py"
    --source-path "${CMAKE_SOURCE_DIR}/aten/src/ATen" --out-dir "${TORCH_GENERATED_DIR}"
    --list "${torchgen_list}")
  execute_process(
    COMMAND ${torchgen_command} --list-only WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "torchgen failed; its message stands above")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${torchgen_list}")

  set(torchgen_outputs "")
  set(torchgen_stubs "")
  file(STRINGS "${torchgen_list}" lines)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+) (.*)$" ignored "${line}")
    set(path "${CMAKE_MATCH_2}")
    list(APPEND torchgen_outputs "${path}")
    if(CMAKE_MATCH_1 STREQUAL "aten")
      list(APPEND TORCH_GENERATED_ATEN "${path}")
    elseif(CMAKE_MATCH_1 STREQUAL "python")
      list(APPEND TORCH_GENERATED_PYTHON "${path}")
    elseif(CMAKE_MATCH_1 STREQUAL "cuda")
      list(APPEND TORCH_GENERATED_CUDA "${path}")
    elseif(CMAKE_MATCH_1 STREQUAL "pyi")
      list(APPEND torchgen_stubs "${path}")
    endif()
  endforeach()

  file(GLOB_RECURSE torchgen_inputs CONFIGURE_DEPENDS
    "${CMAKE_SOURCE_DIR}/torchgen/*.py" "${CMAKE_SOURCE_DIR}/torchgen/templates/*"
    "${CMAKE_SOURCE_DIR}/aten/src/ATen/native/native_functions.yaml" "${CMAKE_SOURCE_DIR}/aten/src/ATen/native/docs.md"
    "${CMAKE_SOURCE_DIR}/aten/src/ATen/native/backward.h"
    "${CMAKE_SOURCE_DIR}/torch/csrc/docs_*.md" "${CMAKE_SOURCE_DIR}/torch/_lazy.py")
  set(torchgen_stamp "${CMAKE_BINARY_DIR}/torchgen.stamp")
  add_custom_command(
    OUTPUT "${torchgen_stamp}"
    BYPRODUCTS ${torchgen_outputs}
    COMMAND ${torchgen_command}
    COMMAND "${CMAKE_COMMAND}" -E touch "${torchgen_stamp}"
    DEPENDS ${torchgen_inputs} "${CMAKE_SOURCE_DIR}/tools/cmake/run_torchgen.py"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    COMMENT "torchgen"
    VERBATIM)

  # Type stubs and the index of operators, build/generated/torch/X, are looked for in the package itself.
  set(installed_stubs "")
  foreach(stub IN LISTS torchgen_stubs)
    file(RELATIVE_PATH name "${TORCH_GENERATED_DIR}/torch" "${stub}")
    set(target "${TORCH_OUTPUT_DIR}/${name}")
    add_custom_command(
      OUTPUT "${target}" DEPENDS "${stub}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${stub}" "${target}" COMMENT "Stub ${name}" VERBATIM)
    list(APPEND installed_stubs "${target}")
  endforeach()
  add_custom_target(torchgen ALL DEPENDS "${torchgen_stamp}" ${installed_stubs})
endif()

# The objects of a target may include generated headers: they wait for torchgen.
function(needs_generated_code)
  if(TARGET torchgen)
    foreach(target IN LISTS ARGN)
      if(TARGET ${target})
        add_dependencies(${target} torchgen)
      endif()
    endforeach()
  endif()
endfunction()
