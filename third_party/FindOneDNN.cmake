# oneDNN: OneDNN::OneDNN. PyPI's onednn-cpu-gomp and onednn-devel-cpu-gomp put it into the lib and include
# folders of an environment; their own lists of files say where that is.

execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
"import importlib.metadata as m
def folder(package, ending):
    return next((str(f.locate().resolve().parent) for f in m.files(package) if str(f).endswith(ending)), '')
print(folder('onednn-cpu-gomp', 'libdnnl.so.3'))
print(folder('onednn-devel-cpu-gomp', 'oneapi/dnnl/dnnl.hpp'))"
  OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REPLACE "\n" ";" folders "${folders}")
set(lib_hint "")
set(include_hint "")
list(LENGTH folders count)
if(count EQUAL 2)
  list(GET folders 0 lib_hint)
  list(GET folders 1 include_hint)
  set(include_hint "${include_hint}/../..")
endif()
# The build links a versioned name, so that the loader's name and the linker's are one file.
find_library(OneDNN_LIBRARY NAMES libdnnl.so.3 dnnl HINTS "${lib_hint}")
find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp HINTS "${include_hint}")

set(version_header "${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h")
if(OneDNN_INCLUDE_DIR AND EXISTS "${version_header}")
  file(READ "${version_header}" text)
  set(OneDNN_VERSION "")
  foreach(part MAJOR MINOR PATCH)
    string(REGEX MATCH "DNNL_VERSION_${part} +([0-9]+)" ignored "${text}")
    list(APPEND OneDNN_VERSION "${CMAKE_MATCH_1}")
  endforeach()
  list(JOIN OneDNN_VERSION "." OneDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  OneDNN REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN SHARED IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES
    IMPORTED_LOCATION "${OneDNN_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${OneDNN_INCLUDE_DIR}")
endif()
mark_as_advanced(OneDNN_LIBRARY OneDNN_INCLUDE_DIR)
