# OpenBLAS with LAPACK: OpenBLAS::OpenBLAS. PyPI's scipy-openblas32 is a Python package that knows where
# its library and headers are; its symbols carry the prefix scipy_.

execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
    "import importlib.metadata as m, scipy_openblas32 as o; print(o.get_lib_dir(), o.get_include_dir(), m.version('scipy-openblas32'), sep=';')"
  OUTPUT_VARIABLE openblas_answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(openblas_answer)
  list(GET openblas_answer 0 openblas_lib)
  list(GET openblas_answer 1 openblas_include)
  list(GET openblas_answer 2 OpenBLAS_VERSION)
endif()
find_library(OpenBLAS_LIBRARY NAMES scipy_openblas HINTS "${openblas_lib}" NO_DEFAULT_PATH)
find_path(OpenBLAS_INCLUDE_DIR cblas.h HINTS "${openblas_include}" NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  OpenBLAS REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR VERSION_VAR OpenBLAS_VERSION)

if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS SHARED IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION "${OpenBLAS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIR}")
endif()
mark_as_advanced(OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)
