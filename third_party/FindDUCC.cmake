# DUCC, Fourier transforms of any length: DUCC::DUCC. Headers only. They are in the include folder of the Python
# environment, where tools/setup_helpers/ducc.py puts them; if they are missing, it is run.

set(DUCC_FETCH "${CMAKE_SOURCE_DIR}/tools/setup_helpers/ducc.py")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.prefix + '/include')"
  OUTPUT_VARIABLE ducc_folder OUTPUT_STRIP_TRAILING_WHITESPACE)
find_path(DUCC_INCLUDE_DIR ducc0/VERSION HINTS "${ducc_folder}")
if(NOT DUCC_INCLUDE_DIR)
  message(STATUS "Fetching the headers of DUCC into ${ducc_folder}")
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${DUCC_FETCH}" "${ducc_folder}")
  find_path(DUCC_INCLUDE_DIR ducc0/VERSION HINTS "${ducc_folder}")
endif()
if(DUCC_INCLUDE_DIR)
  file(STRINGS "${DUCC_INCLUDE_DIR}/ducc0/VERSION" DUCC_VERSION LIMIT_COUNT 1)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DUCC REQUIRED_VARS DUCC_INCLUDE_DIR VERSION_VAR DUCC_VERSION)

if(DUCC_FOUND AND NOT TARGET DUCC::DUCC)
  add_library(DUCC::DUCC INTERFACE IMPORTED)
  set_target_properties(DUCC::DUCC PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DUCC_INCLUDE_DIR}")
endif()
mark_as_advanced(DUCC_INCLUDE_DIR)
