# pybind11's headers, all that the bindings need of it: Pybind11Headers::Pybind11Headers.

execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c "import pybind11 as p; print(p.get_include(), p.__version__, sep=';')"
  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(hint "")
if(answer)
  list(GET answer 0 hint)
  list(GET answer 1 Pybind11Headers_VERSION)
endif()
find_path(Pybind11Headers_INCLUDE_DIR pybind11/pybind11.h HINTS "${hint}" NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Pybind11Headers REQUIRED_VARS Pybind11Headers_INCLUDE_DIR VERSION_VAR Pybind11Headers_VERSION)

if(Pybind11Headers_FOUND AND NOT TARGET Pybind11Headers::Pybind11Headers)
  add_library(Pybind11Headers::Pybind11Headers INTERFACE IMPORTED)
  set_target_properties(Pybind11Headers::Pybind11Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Pybind11Headers_INCLUDE_DIR}")
endif()
mark_as_advanced(Pybind11Headers_INCLUDE_DIR)
