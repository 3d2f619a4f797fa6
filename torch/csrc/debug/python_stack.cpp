// The Python stack of the calling thread, written without taking the GIL, allocating or counting
// references: for the report of a fatal signal, and for gdb's torch-bt, where other threads stand
// still.

#include <torch/csrc/object_ptr.h>

#include <frameobject.h>
// Frames of the interpreter's loop itself, where this file knows what they look like.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030E0000
#define TORCH_KNOWS_INTERPRETER_FRAMES
#define Py_BUILD_CORE
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#endif

#include <unistd.h>
#include <cstdlib>
#include <cstring>

#include <ATen/core/CrashReport.h>
#include <c10/util/Environment.h>

namespace torch {
namespace {

constexpr int kMaxFrames = 100;

// A text of limited length that needs no memory from elsewhere.
struct Text {
  char* at;
  char* end;

  void add(char c) {
    if (at + 1 < end) *at++ = c;
    *at = 0;
  }
  void add(const char* s) {
    while (*s) add(*s++);
  }
  void add(long v) {
    char digits[24];
    char* first = digits + sizeof digits - 1;
    *first = 0;
    unsigned long u = v < 0 ? 0ul : static_cast<unsigned long>(v);
    do *--first = static_cast<char>('0' + u % 10);
    while (u /= 10);
    add(first);
  }
  void add(PyObject* s) {
    if (!s || !PyUnicode_Check(s) || !PyUnicode_IS_READY(s)) return add("?");
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(s); ++i) {
      Py_UCS4 c = PyUnicode_READ_CHAR(s, i);
      add(c >= ' ' && c < 127 ? static_cast<char>(c) : '?');
    }
  }
};

// Calls take(code, line, entry) for each frame, the innermost first. `entry`: the frame is the
// outermost of those that one call of the interpreter's loop runs.
template <typename F>
void each_frame(const F& take) {
  PyThreadState* thread = PyGILState_GetThisThreadState();
  if (!thread) return;
  int left = kMaxFrames;
#if defined(TORCH_KNOWS_INTERPRETER_FRAMES)
#if PY_VERSION_HEX < 0x030D0000
  _PyInterpreterFrame* f = thread->cframe->current_frame;
#else
  _PyInterpreterFrame* f = thread->current_frame;
#endif
  for (; f && left--; f = f->previous) {
#if PY_VERSION_HEX < 0x030C0000
    bool entry = f->is_entry;
#else
    // A frame that is not Python's marks where a loop begins.
    if (f->owner == FRAME_OWNED_BY_CSTACK) continue;
    bool entry = !f->previous || f->previous->owner == FRAME_OWNED_BY_CSTACK;
#endif
#if PY_VERSION_HEX < 0x030D0000
    PyCodeObject* code = f->f_code;
#else
    auto* code = reinterpret_cast<PyCodeObject*>(f->f_executable);
    if (!PyCode_Check(code)) continue;
#endif
    take(code,
         PyCode_Addr2Line(code,
                          _PyInterpreterFrame_LASTI(f) * static_cast<int>(sizeof(_Py_CODEUNIT))),
         entry);
  }
#else
  // By way of frame objects, which may have to be made first.
  constexpr bool one_loop_a_frame = PY_VERSION_HEX < 0x030B0000;
  THPPointer<PyFrameObject> f(PyThreadState_GetFrame(thread));
  while (f && left--) {
    THPPointer<PyCodeObject> code(PyFrame_GetCode(f.get()));
    THPPointer<PyFrameObject> outer(PyFrame_GetBack(f.get()));
    take(code.get(), PyFrame_GetLineNumber(f.get()), one_loop_a_frame || !outer);
    f = std::move(outer);
  }
#endif
}

void write_python_stack(int fd) {
  if (!Py_IsInitialized() || !PyGILState_GetThisThreadState()) return;
  char line[1024];
  auto flush = [&](const Text& text) {
    ssize_t ignored = ::write(fd, line, static_cast<size_t>(text.at - line));
    (void)ignored;
  };
  Text head{line, line + sizeof line};
  head.add("Python stack, innermost call first:\n");
  flush(head);
  each_frame([&](PyCodeObject* code, int number, bool) {
    Text text{line, line + sizeof line};
    text.add("  File \"");
    text.add(code->co_filename);
    text.add("\", line ");
    text.add(static_cast<long>(number));
    text.add(", in ");
    text.add(code->co_name);
    text.add('\n');
    flush(text);
  });
}

// TORCH_CRASH_REPORT: 0 for no report, "arguments" for one with the arguments of operators.
const bool g_installed = [] {
  if (!c10::env_flag("TORCH_CRASH_REPORT", true, {"arguments"})) return false;
  at::install_crash_report(write_python_stack, reinterpret_cast<const void*>(&Py_IsInitialized));
  const char* setting = std::getenv("TORCH_CRASH_REPORT");
  if ((setting && std::strcmp(setting, "arguments") == 0) ||
      c10::env_flag("TORCH_SHOW_CPP_STACKTRACES"))
    at::observe_for_crash_report(true);
  return true;
}();

}  // namespace
}  // namespace torch

// For a debugger: one line a frame, the innermost first, of entry (1 or 0), line, function and file
// with tabs between.
extern "C" __attribute__((visibility("default"))) const char* torch_python_stack() {
  static char buffer[64 << 10];
  torch::Text text{buffer, buffer + sizeof buffer};
  *buffer = 0;
  torch::each_frame([&](PyCodeObject* code, int line, bool entry) {
    text.add(entry ? "1\t" : "0\t");
    text.add(static_cast<long>(line));
    text.add('\t');
    text.add(code->co_name);
    text.add('\t');
    text.add(code->co_filename);
    text.add('\n');
  });
  return buffer;
}
