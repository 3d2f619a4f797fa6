// C++ stack traces: addresses, symbols, lines.

#include <c10/util/Backtrace.h>

#include <c10/util/StringUtil.h>

#include <cstdlib>
#include <cstring>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#if defined(C10_USE_LIBBACKTRACE)
#include <backtrace.h>
#endif

namespace c10 {

namespace {

constexpr int kMaxFrames = 64;

struct Frame {
  std::string function;
  std::string file;
  int line = 0;
};

#if defined(C10_USE_LIBBACKTRACE)
void ignore_error(void* /*data*/, const char* /*message*/, int /*errnum*/) {}

// Called once for each inlined function at the address, the innermost first; all but the outermost
// are kept in `function`, since the reader looks for those.
int on_pcinfo(void* data, uintptr_t /*pc*/, const char* file, int line, const char* function) {
  auto& frame = *static_cast<Frame*>(data);
  if (file && frame.line == 0) {
    frame.file = file;
    frame.line = line;
  }
  if (function) {
    if (!frame.function.empty()) {
      frame.function += " inlined into ";
    }
    frame.function += demangle(function);
  }
  return 0;
}

void on_symbol(void* data, uintptr_t /*pc*/, const char* symbol, uintptr_t /*start*/,
               uintptr_t /*size*/) {
  if (!symbol) return;
  std::string& function = static_cast<Frame*>(data)->function;
  function = demangle(symbol);
  // "f(int) [clone .constprop.0]": the reader looks for f.
  size_t clone = function.find(" [clone ");
  if (clone != std::string::npos) function.resize(clone);
}

void look_up_line(uintptr_t pc, Frame& frame) {
  // libbacktrace never frees what it has read, by design.
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  if (!state) return;
  backtrace_pcinfo(state, pc, on_pcinfo, ignore_error, &frame);
  // If functions are described in .dwo files, the symbol table still names those that were not
  // inlined.
  if (frame.function.empty()) backtrace_syminfo(state, pc, on_symbol, ignore_error, &frame);
}
#else
void look_up_line(uintptr_t /*pc*/, Frame& /*frame*/) {}
#endif

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool is_interpreter(const char* symbol) {
  return symbol && (std::strncmp(symbol, "Py", 2) == 0 || std::strncmp(symbol, "_Py", 3) == 0 ||
                    std::strncmp(symbol, "method_vectorcall", 17) == 0 ||
                    std::strncmp(symbol, "cfunction_", 10) == 0);
}

bool is_raising(const std::string& function) {
  for (const char* name : {"c10::capture_frames", "c10::get_backtrace", "Error::Error(",
                           "c10::detail::check_failed"}) {
    if (function.find(name) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

// Line tables contain paths as passed to the compiler: absolute, or relative to the build folder.
// Readers expect paths relative to the repository.
static std::string in_repository(const std::string& file) {
  for (const char* part : {"aten/src/ATen/", "torch/csrc/", "generated/", "c10/"}) {
    size_t at = file.rfind(part);
    if (at != std::string::npos && (at == 0 || file[at - 1] == '/')) {
      return (part[0] == 'g' ? "build/" : "") + file.substr(at);
    }
  }
  return file;
}

std::vector<void*> capture_frames() {
  void* frames[kMaxFrames];
  int count = ::backtrace(frames, kMaxFrames);
  return std::vector<void*>(frames, frames + count);
}

std::string symbolize_frames(const std::vector<void*>& frames) {
  std::string out = "C++ stack, innermost call first:";
  bool folded = false;
  int number = 0;
  for (void* address : frames) {
    // The return address may already belong to the next line or function: look at the call itself.
    auto pc = reinterpret_cast<uintptr_t>(address) - 1;
    Dl_info info{};
    bool known = dladdr(reinterpret_cast<void*>(pc), &info) != 0;
    if (known && is_interpreter(info.dli_sname)) {
      if (!folded) {
        out += "\n  (frames of the Python interpreter)";
      }
      folded = true;
      continue;
    }
    folded = false;
    Frame frame;
    look_up_line(pc, frame);
    if (frame.function.empty()) {
      frame.function = known && info.dli_sname ? demangle(info.dli_sname) : "(unknown function)";
    }
    if (number == 0 && is_raising(frame.function)) {
      continue;
    }
    out += str("\n  #", number++, " ", frame.function);
    if (frame.line > 0) {
      out += str(" at ", in_repository(frame.file), ":", frame.line);
    } else if (known && info.dli_fname) {
      out += str(" in ", base_name(info.dli_fname), " + ",
                 reinterpret_cast<const void*>(pc - reinterpret_cast<uintptr_t>(info.dli_fbase)));
    }
  }
  return out;
}

CodePlace place_of(const void* function) {
  Frame frame;
  look_up_line(reinterpret_cast<uintptr_t>(function), frame);
  Dl_info info{};
  if (frame.function.empty() && dladdr(function, &info) && info.dli_sname)
    frame.function = demangle(info.dli_sname);
  return {std::move(frame.function), in_repository(frame.file), frame.line};
}

std::string get_backtrace() { return symbolize_frames(capture_frames()); }

std::string demangle(const char* name) {
  int status = 0;
  char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && readable ? readable : name;
  std::free(readable);
  return result;
}

}  // namespace c10
