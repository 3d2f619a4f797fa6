# SLEEF, vectorized elementary functions: SLEEF::SLEEF.

find_path(SLEEF_INCLUDE_DIR sleef.h)
find_library(SLEEF_LIBRARY sleef)

if(SLEEF_INCLUDE_DIR)
  file(STRINGS "${SLEEF_INCLUDE_DIR}/sleef.h" sleef_lines REGEX "#define SLEEF_VERSION_(MAJOR|MINOR|PATCHLEVEL)")
  set(SLEEF_VERSION "")
  foreach(part MAJOR MINOR PATCHLEVEL)
    string(REGEX MATCH "SLEEF_VERSION_${part} ([0-9]+)" ignored "${sleef_lines}")
    list(APPEND SLEEF_VERSION "${CMAKE_MATCH_1}")
  endforeach()
  list(JOIN SLEEF_VERSION "." SLEEF_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SLEEF REQUIRED_VARS SLEEF_LIBRARY SLEEF_INCLUDE_DIR VERSION_VAR SLEEF_VERSION)

if(SLEEF_FOUND AND NOT TARGET SLEEF::SLEEF)
  add_library(SLEEF::SLEEF SHARED IMPORTED)
  set_target_properties(SLEEF::SLEEF PROPERTIES
    IMPORTED_LOCATION "${SLEEF_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SLEEF_INCLUDE_DIR}")
endif()
mark_as_advanced(SLEEF_INCLUDE_DIR SLEEF_LIBRARY)
