# Compiler and linker flags.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "torch needs g++ 11 or newer; ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_VERSION}. Debian: apt-get install g++")
endif()
report("Detected C++ compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} at ${CMAKE_CXX_COMPILER}")

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  execute_process(COMMAND "${MOLD_PROGRAM}" --version OUTPUT_VARIABLE mold_text ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9.]+" mold_version "${mold_text}")
  add_link_options(-fuse-ld=mold)
  report("Detected mold ${mold_version} at ${MOLD_PROGRAM}")
else()
  report("Not using mold (linking would be quicker with it; Debian: apt-get install mold)")
endif()

# Line tables go into the libraries; types, arguments and locals into .dwo files beside the objects, which gdb finds by
# the path that the libraries record. A wheel has no objects: its libraries carry -g1 (line tables and function names).
set(debug_info "-g1")
set(index_names "")
if(NOT TORCH_WHEEL AND NOT DEBUG_ASAN AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without location views `next` steps from line to line of a function, not into what was inlined, and objects are smaller.
  # Columns of lines are a third of the line tables, and neither gdb nor perf shows them.
  # Variables are followed through registers only: following each assignment through every pass of the optimizer takes a sixth
  # of the compile time.
  set(debug_info "-g -gsplit-dwarf -gz -gno-variable-location-views -gno-inline-points -gno-column-info -fno-var-tracking-assignments")
  if(MOLD_PROGRAM)
    # An index of names in the libraries: without it gdb reads every .dwo file before the program starts.
    set(index_names " -ggnu-pubnames")
    add_link_options(-Wl,--gdb-index)
  endif()
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 ${debug_info}${index_names} -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g${index_names} -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g${index_names}")
foreach(type RELEASE RELWITHDEBINFO DEBUG)
  set(CMAKE_C_FLAGS_${type} "${CMAKE_CXX_FLAGS_${type}}")
endforeach()

add_compile_options(
  -Wall -Wextra -Wno-maybe-uninitialized  # GCC 12 finds it in std::optional and in its own intrinsics
  -fno-math-errno -fno-trapping-math
  -fno-semantic-interposition -fno-plt
  "$<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>"
  # Error messages name files as they stand in the repository.
  "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=" "-fmacro-prefix-map=${CMAKE_BINARY_DIR}/=build/")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The ABI of aggregates changed in GCC 4.6; a note about it on every file helps nobody.
  add_compile_options(-Wno-psabi)
endif()
# Lambdas name their types, `[&]<typename T>(TypeTag<T>)`, which C++17 compilers take as an extension.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-c++20-extensions>")
add_link_options(-Wl,-Bsymbolic-functions -Wl,--no-undefined-version -Wl,--as-needed)
# Labels of constants name nothing that a debugger would ask for.
add_link_options(-Wl,--discard-locals)

if(TORCH_EXTRA_FLAGS)
  separate_arguments(extra UNIX_COMMAND "${TORCH_EXTRA_FLAGS}")
  add_compile_options(${extra})
  report("Using CFLAGS ${TORCH_EXTRA_FLAGS}")
endif()

if(DEBUG_ASAN)
  add_compile_options(-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  report("Building with AddressSanitizer and UndefinedBehaviorSanitizer")
else()
  # Line tables are the larger part of the libraries: keep them, compressed.
  add_link_options(-Wl,--compress-debug-sections=zlib)
endif()

find_program(CCACHE_PROGRAM ccache)
if(TORCH_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${TORCH_COMPILER_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TORCH_COMPILER_LAUNCHER})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${TORCH_COMPILER_LAUNCHER})
  report("Compiling by way of ${TORCH_COMPILER_LAUNCHER}")
elseif(CCACHE_PROGRAM)
  execute_process(COMMAND "${CCACHE_PROGRAM}" --version OUTPUT_VARIABLE ccache_text ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9.]+" ccache_version "${ccache_text}")
  # What precompiled headers need: see "Precompiled headers" in ccache's manual.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
  report("Detected ccache ${ccache_version} at ${CCACHE_PROGRAM}")
else()
  report("Not using ccache (a repeated clean build would be quicker with it; Debian: apt-get install ccache)")
endif()

# Generated code is thousands of short functions of one shape, which pass a call on. The passes that -O2 adds to these find nothing
# in them and take a third of their compile time.
set(GENERATED_CODE_FLAGS "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DEBUG_ASAN)
  set(GENERATED_CODE_FLAGS -O1 -foptimize-sibling-calls -finline-functions -finline-small-functions -fpartial-inlining
    -falign-functions=16)
endif()
# The same for code that checks shapes and calls operators.
set(CALLING_CODE_FLAGS ${GENERATED_CODE_FLAGS})
# Lines and names of functions are enough in tables and in the calls of one template that bindings are.
set(GENERATED_BINDING_FLAGS ${GENERATED_CODE_FLAGS})
if(debug_info MATCHES "split-dwarf")
  list(APPEND GENERATED_BINDING_FLAGS $<$<CONFIG:Release>:-g1>)
endif()

# USE_CUSTOM_DEBINFO: single files without optimization and with everything gdb can use.
function(apply_custom_debug_info)
  install_gdb_script()
  foreach(file IN LISTS USE_CUSTOM_DEBINFO)
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "USE_CUSTOM_DEBINFO names ${file}, which is not a file of this repository")
    endif()
    set_source_files_properties("${path}" DIRECTORY c10 aten torch
      PROPERTIES COMPILE_OPTIONS "-O0;-g;-UNDEBUG" SKIP_PRECOMPILE_HEADERS ON)
    report("Building ${file} with -O0 -g")
  endforeach()
endfunction()

# gdb runs NAME-gdb.py beside a library that it loads.
function(install_gdb_script)
  set(script "${TORCH_OUTPUT_DIR}/lib/libc10.so-gdb.py")
  set(source "${CMAKE_SOURCE_DIR}/torch/utils/gdb/autoload.py")
  add_custom_command(
    OUTPUT "${script}" DEPENDS "${source}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${source}" "${script}" COMMENT "gdb script" VERBATIM)
  add_custom_target(gdb_script ALL DEPENDS "${script}")
endfunction()
