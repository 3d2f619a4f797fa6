# libbacktrace, which gcc brings in its own folders: Libbacktrace::Libbacktrace.

execute_process(
  COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libbacktrace.a
  OUTPUT_VARIABLE Libbacktrace_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(
  COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=include/backtrace.h
  OUTPUT_VARIABLE backtrace_header OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
# What the compiler does not have it prints back as it was asked.
if(NOT IS_ABSOLUTE "${Libbacktrace_LIBRARY}" OR NOT EXISTS "${backtrace_header}")
  set(Libbacktrace_LIBRARY "")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libbacktrace REQUIRED_VARS Libbacktrace_LIBRARY)

if(Libbacktrace_FOUND AND NOT TARGET Libbacktrace::Libbacktrace)
  add_library(Libbacktrace::Libbacktrace STATIC IMPORTED)
  set_target_properties(Libbacktrace::Libbacktrace PROPERTIES IMPORTED_LOCATION "${Libbacktrace_LIBRARY}")
endif()
