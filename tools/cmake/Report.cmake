# The report that a build prints: one line for every option and every library found.
# setup.py prints build/report.txt again when nothing had to be configured.

# report("Building with NumPy bindings")
function(report line)
  message(STATUS "${line}")
  set_property(GLOBAL APPEND_STRING PROPERTY TORCH_REPORT "-- ${line}\n")
endfunction()

# missing("SLEEF (sleef.h, libsleef.so)" "apt-get install libsleef-dev"): noted here, said all at once.
function(missing what how)
  set_property(GLOBAL APPEND_STRING PROPERTY TORCH_MISSING "\n  * ${what}: ${how}")
endfunction()

function(stop_if_missing)
  get_property(list GLOBAL PROPERTY TORCH_MISSING)
  if(list)
    message(FATAL_ERROR "torch cannot be built: what it needs is missing. Install it, or run tools/quickstart.sh:${list}\n")
  endif()
endfunction()

function(report_write)
  get_property(text GLOBAL PROPERTY TORCH_REPORT)
  file(WRITE "${CMAKE_BINARY_DIR}/report.txt" "${text}")
endfunction()
