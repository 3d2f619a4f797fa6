# Open MPI: OpenMPI::OpenMPI. It comes from Debian's libopenmpi-dev. CMake's own FindMPI compiles several programs to find less.

find_path(OpenMPI_INCLUDE_DIR mpi.h PATH_SUFFIXES openmpi/include "../lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include")
find_library(OpenMPI_LIBRARY mpi PATH_SUFFIXES openmpi/lib)
if(OpenMPI_INCLUDE_DIR)
  # Found relative to a program's folder the first time, and by itself afterwards: one spelling, or the files compile twice.
  get_filename_component(OpenMPI_INCLUDE_DIR "${OpenMPI_INCLUDE_DIR}" REALPATH)
  file(STRINGS "${OpenMPI_INCLUDE_DIR}/mpi.h" lines REGEX "define OMPI_(MAJOR|MINOR|RELEASE)_VERSION ")
  string(REGEX REPLACE "[^0-9;]" "" OpenMPI_VERSION "${lines}")
  string(REPLACE ";" "." OpenMPI_VERSION "${OpenMPI_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
# Other implementations of MPI have no OMPI_MAJOR_VERSION.
find_package_handle_standard_args(OpenMPI REQUIRED_VARS OpenMPI_LIBRARY OpenMPI_INCLUDE_DIR OpenMPI_VERSION
  VERSION_VAR OpenMPI_VERSION)

if(OpenMPI_FOUND AND NOT TARGET OpenMPI::OpenMPI)
  add_library(OpenMPI::OpenMPI SHARED IMPORTED)
  set_target_properties(OpenMPI::OpenMPI PROPERTIES IMPORTED_LOCATION "${OpenMPI_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${OpenMPI_INCLUDE_DIR}" INTERFACE_INCLUDE_DIRECTORIES "${OpenMPI_INCLUDE_DIR}")
endif()
mark_as_advanced(OpenMPI_INCLUDE_DIR OpenMPI_LIBRARY)
