#pragma once
// C++ call stacks: captured as bare addresses (microseconds), turned into text only when asked.

#include <c10/macros/Macros.h>

#include <string>
#include <vector>

namespace c10 {

// The return addresses of the calls under way, the innermost first.
C10_API std::vector<void*> capture_frames();

// One line a frame: function, file:line where line tables are there, else library and offset.
// The frames that raise an error are left out, and a run of the interpreter's own is folded into
// one line.
C10_API std::string symbolize_frames(const std::vector<void*>& frames);

// The caller's stack as text.
C10_API std::string get_backtrace();

// Where the code at an address was written. Line 0 and an empty file where no line table tells.
struct CodePlace {
  std::string function, file;
  int line = 0;
};
C10_API CodePlace place_of(const void* function);

// "_ZN3c103strEv" -> "c10::str()"; what is no mangled name comes back as it is.
C10_API std::string demangle(const char* name);

}  // namespace c10
