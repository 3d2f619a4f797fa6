# native/*/cpu/*_kernel.cpp is compiled once for each capability; the widest that the machine has is chosen at load.

set(CPU_CAPABILITY_NAMES DEFAULT AVX2 AVX512)
set(CPU_CAPABILITY_FLAGS_DEFAULT -O3)
set(CPU_CAPABILITY_FLAGS_AVX2 -O3 -mavx2 -mfma -mf16c)
set(CPU_CAPABILITY_FLAGS_AVX512
  -O3 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c -mprefer-vector-width=512)

# The widest capability of the machine that builds.
function(detect_native_capability out)
  set(${out} DEFAULT PARENT_SCOPE)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    if(flags MATCHES " avx2 " AND flags MATCHES " fma " AND flags MATCHES " f16c ")
      set(${out} AVX2 PARENT_SCOPE)
      if(flags MATCHES " avx512f " AND flags MATCHES " avx512bw " AND flags MATCHES " avx512vl "
         AND flags MATCHES " avx512dq ")
        set(${out} AVX512 PARENT_SCOPE)
      endif()
    endif()
  endif()
endfunction()

if(BUILD_CPU_CAPABILITY STREQUAL "native")
  detect_native_capability(CPU_CAPABILITIES)
elseif(BUILD_CPU_CAPABILITY STREQUAL "all")
  set(CPU_CAPABILITIES ${CPU_CAPABILITY_NAMES})
else()
  set(CPU_CAPABILITIES ${BUILD_CPU_CAPABILITY})
endif()
foreach(name IN LISTS CPU_CAPABILITIES)
  if(NOT name IN_LIST CPU_CAPABILITY_NAMES)
    message(FATAL_ERROR
      "BUILD_CPU_CAPABILITY=${BUILD_CPU_CAPABILITY} is not native, all, or a list out of DEFAULT;AVX2;AVX512")
  endif()
endforeach()
list(JOIN CPU_CAPABILITIES " " capability_text)
report("Building CPU kernels for ${capability_text} (BUILD_CPU_CAPABILITY=${BUILD_CPU_CAPABILITY})")

# One object library for each capability; out gets their objects, the baseline's first: the linker keeps
# the first copy of an inline function, which must be one that every machine can run.
function(add_capability_objects out sources)
  set(objects "")
  foreach(name IN LISTS CPU_CAPABILITY_NAMES)
    if(name IN_LIST CPU_CAPABILITIES)
      set(target torch_cpu_kernels_${name})
      add_library(${target} OBJECT ${sources})
      target_compile_options(${target} PRIVATE ${CPU_CAPABILITY_FLAGS_${name}})
      target_compile_definitions(${target} PRIVATE CPU_CAPABILITY=${name} CPU_CAPABILITY_${name})
      target_link_libraries(${target} PRIVATE torch_cpu_interface)
      precompile(${target} ${KERNEL_HEADERS})
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
