#pragma once
// C++ call stacks: captured as bare addresses (microseconds), converted to text on demand.

#include <c10/macros/Macros.h>

#include <string>
#include <vector>

namespace c10 {

// The return addresses of the active calls, the innermost first.
C10_API std::vector<void*> capture_frames();

// One line per frame: function, and file:line if line tables exist, else library and offset. Leaves
// out the frames that raise an error, and folds consecutive frames of the interpreter into one
// line.
C10_API std::string symbolize_frames(const std::vector<void*>& frames);

// The caller's stack as text.
C10_API std::string get_backtrace();

// The source location of the code at an address. Line 0 and an empty file if no line table has it.
struct CodePlace {
  std::string function, file;
  int line = 0;
};
C10_API CodePlace place_of(const void* function);

// "_ZN3c103strEv" -> "c10::str()"; a name that is not mangled is returned as is.
C10_API std::string demangle(const char* name);

}  // namespace c10
