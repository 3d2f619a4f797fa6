# Gloo, collectives over TCP: Gloo::Gloo. It comes from Debian's libgloo-dev. The library is a shared one only; it needs those of
# Redis and of InfiniBand too, which its package brings.

find_path(Gloo_INCLUDE_DIR gloo/allreduce.h)
find_library(Gloo_LIBRARY gloo)
if(Gloo_INCLUDE_DIR AND EXISTS "${Gloo_INCLUDE_DIR}/gloo/config.h")
  file(STRINGS "${Gloo_INCLUDE_DIR}/gloo/config.h" lines REGEX "define GLOO_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" Gloo_VERSION "${lines}")
  string(REPLACE ";" "." Gloo_VERSION "${Gloo_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gloo REQUIRED_VARS Gloo_LIBRARY Gloo_INCLUDE_DIR VERSION_VAR Gloo_VERSION)

if(Gloo_FOUND AND NOT TARGET Gloo::Gloo)
  add_library(Gloo::Gloo SHARED IMPORTED)
  set_target_properties(Gloo::Gloo PROPERTIES IMPORTED_LOCATION "${Gloo_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${Gloo_INCLUDE_DIR}" INTERFACE_INCLUDE_DIRECTORIES "${Gloo_INCLUDE_DIR}")
endif()
mark_as_advanced(Gloo_INCLUDE_DIR Gloo_LIBRARY)
