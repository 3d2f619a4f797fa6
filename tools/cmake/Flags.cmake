# Compiler and linker flags.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "torch needs g++ 11 or newer; ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_VERSION}. Debian: apt-get install g++")
endif()
report("Detected C++ compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} at ${CMAKE_CXX_COMPILER}")

# -g1: line tables and function names, enough for gdb's `break at::native::add` and `bt`.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
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
add_link_options(-Wl,-Bsymbolic-functions -Wl,--no-undefined-version -Wl,--as-needed)

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
  report("Compiling by way of ${TORCH_COMPILER_LAUNCHER}")
elseif(CCACHE_PROGRAM)
  execute_process(COMMAND "${CCACHE_PROGRAM}" --version OUTPUT_VARIABLE ccache_text ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9.]+" ccache_version "${ccache_text}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  report("Detected ccache ${ccache_version} at ${CCACHE_PROGRAM}")
else()
  report("Not using ccache (a repeated clean build would be quicker with it; Debian: apt-get install ccache)")
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  execute_process(COMMAND "${MOLD_PROGRAM}" --version OUTPUT_VARIABLE mold_text ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9.]+" mold_version "${mold_text}")
  add_link_options(-fuse-ld=mold)
  report("Detected mold ${mold_version} at ${MOLD_PROGRAM}")
else()
  report("Not using mold (linking would be quicker with it; Debian: apt-get install mold)")
endif()

# USE_CUSTOM_DEBINFO: single files without optimization and with everything gdb can use.
function(apply_custom_debug_info)
  foreach(file IN LISTS USE_CUSTOM_DEBINFO)
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "USE_CUSTOM_DEBINFO names ${file}, which is not a file of this repository")
    endif()
    set_source_files_properties("${path}" DIRECTORY c10 aten torch PROPERTIES COMPILE_OPTIONS "-O0;-g;-UNDEBUG")
    report("Building ${file} with -O0 -g")
  endforeach()
endfunction()
