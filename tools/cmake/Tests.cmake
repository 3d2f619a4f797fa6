# C++ tests (GoogleTest) and benchmarks (Google Benchmark): programs in build/bin, which ctest runs too.
#
# Tests are compiled without optimization, with one precompiled header for each label: compiling is what they cost,
# and a debugger shows all of their lines. Benchmarks are compiled as the libraries are.

# add_tests(LABEL PREFIX FOLDER LIBRARIES...): a program PREFIX + NAME for each NAME.cpp below the folder. What
# stands in FOLDER/support is linked into each of them; support/precompiled.h is included by each of them. Those
# in FOLDER/cpu need a capability: see add_capability_tests.
function(add_tests label prefix folder)
  if(NOT BUILD_TEST)
    return()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB support CONFIGURE_DEPENDS "${folder}/support/*.cpp")
  list(FILTER files EXCLUDE REGEX "/(support|cpu)/")
  set(shared ${label}_test_support)
  add_library(${shared} STATIC ${support})
  target_link_libraries(${shared} PUBLIC ${ARGN} GTest::gtest)
  test_compile_options(${shared})
  target_precompile_headers(${shared} PRIVATE "${folder}/support/precompiled.h")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    add_test_program(${prefix}${name} ${label} "${file}" ${shared})
    # Tensor's methods (Note [Tensor methods]) have to be there from the first include on.
    file(STRINGS "${file}" methods REGEX "^#include <(ATen/ATen|torch/torch)\\.h>" LIMIT_COUNT 1)
    if(NOT methods)
      target_precompile_headers(${prefix}${name} REUSE_FROM ${shared})
    endif()
  endforeach()
endfunction()

# add_test_program(NAME LABEL FILES LIBRARIES...): one program of several files.
function(add_test_program name label files)
  if(NOT BUILD_TEST)
    return()
  endif()
  add_executable(${name} ${files})
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest GTest::gtest_main)
  test_compile_options(${name})
  add_test(NAME ${name} COMMAND ${name})
  test_run_properties(${name} ${label})
endfunction()

# add_capability_tests(FILE LIBRARIES...): NAME_AVX2 and so on, with the flags that kernels of a capability have.
function(add_capability_tests file)
  if(NOT BUILD_TEST)
    return()
  endif()
  get_filename_component(stem "${file}" NAME_WE)
  foreach(capability IN LISTS CPU_CAPABILITIES)
    set(name ${stem}_${capability})
    add_executable(${name} "${file}")
    # The same instructions; optimizing GoogleTest's templates as kernels are would only take time.
    target_compile_options(${name} PRIVATE ${CPU_CAPABILITY_FLAGS_${capability}} -O1)
    target_compile_definitions(${name} PRIVATE CPU_CAPABILITY=${capability} CPU_CAPABILITY_${capability})
    target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    test_run_properties(${name} aten)
    needs_generated_code(${name})
  endforeach()
endfunction()

# add_benchmarks(FOLDER LIBRARIES...): a program for each file. ctest runs each for a moment, so that none rots.
function(add_benchmarks folder)
  if(NOT BUILD_TEST)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS "${folder}/*.cpp")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    add_executable(${name} "${file}")
    target_link_libraries(${name} PRIVATE ${ARGN} benchmark::benchmark benchmark::benchmark_main)
    needs_generated_code(${name})
    add_test(NAME ${name} COMMAND ${name} --benchmark_min_time=0.001)
    test_run_properties(${name} benchmark)
  endforeach()
endfunction()

# The same for all that share a precompiled header: the compiler refuses it where flags differ.
function(test_compile_options target)
  target_compile_options(${target} PRIVATE -O0)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  needs_generated_code(${target})
endfunction()

function(test_run_properties name label)
  # These programs preload no sanitizers, which the emulated device may need.
  set(environment "TORCH_CUDA_EMULATED=0")
  if(DEBUG_ASAN)
    # Sizes that no machine has must come back as our error, not end the process.
    list(APPEND environment "ASAN_OPTIONS=allocator_may_return_null=1")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS ${label} ENVIRONMENT "${environment}")
endfunction()
