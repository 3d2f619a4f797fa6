# NumPy's C headers: NumPyHeaders::NumPyHeaders.

execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c "import numpy as p; print(p.get_include(), p.__version__, sep=';')"
  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(hint "")
if(answer)
  list(GET answer 0 hint)
  list(GET answer 1 NumPyHeaders_VERSION)
endif()
find_path(NumPyHeaders_INCLUDE_DIR numpy/arrayobject.h HINTS "${hint}" NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NumPyHeaders REQUIRED_VARS NumPyHeaders_INCLUDE_DIR VERSION_VAR NumPyHeaders_VERSION)

if(NumPyHeaders_FOUND AND NOT TARGET NumPyHeaders::NumPyHeaders)
  add_library(NumPyHeaders::NumPyHeaders INTERFACE IMPORTED)
  set_target_properties(NumPyHeaders::NumPyHeaders PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${NumPyHeaders_INCLUDE_DIR}")
endif()
mark_as_advanced(NumPyHeaders_INCLUDE_DIR)
