// Follows Python's calls through its profile hook. While it is on, a call of a Python function
// costs a row in the buffer; names are made when the profile is read.

#include <torch/csrc/profiler/python_tracer.h>

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/object_ptr.h>

#include <frameobject.h>
#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <vector>

namespace torch::profiler {

namespace {

using namespace at::profiler;

struct Code {
  PyCodeObject* code;  // kept by Names::kept_codes
  int line;            // where it was entered
};
struct CFunction {
  const char* name;
  std::string of;  // "Tensor" for a method, empty for a function
};

// Written and read with the GIL held, all the while profiles run and until they are read.
struct Names {
  std::vector<Code> codes;
  std::vector<THPPointer<PyCodeObject>> kept_codes;  // the keys of places
  std::map<std::pair<PyCodeObject*, int>, int32_t> places;
  std::vector<CFunction> functions;
  std::map<std::pair<PyMethodDef*, PyTypeObject*>, int32_t> function_places;
  std::vector<std::string> modules;
  std::map<std::pair<PyObject*, PyTypeObject*>, int32_t> module_places;
  std::unordered_map<PyTypeObject*, int> modules_of_type;
};
Names& names() {
  static Names* const all = new Names;
  return *all;
}

// The open functions of a thread, the innermost last. handle -1: one that is not shown.
struct Open {
  PyFrameObject* frame;  // null for functions written in C
  int64_t handle;
};
thread_local std::vector<Open> t_open;

std::string utf8(PyObject* text) {
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(text, &n);
  if (!s) {
    PyErr_Clear();
    return "?";
  }
  return std::string(s, static_cast<size_t>(n));
}

// The profiler's own functions would only be in the way: a range of record_function begins inside
// of __enter__, and outlives it.
bool is_profilers_own(PyCodeObject* code) {
  std::string file = utf8(code->co_filename);
  return file.find("/torch/autograd/profiler") != std::string::npos ||
         file.find("/torch/profiler/") != std::string::npos;
}

// -1 for the profiler's own.
int32_t place_of(PyCodeObject* code, int line) {
  Names& all = names();
  auto [at, inserted] = all.places.try_emplace({code, line}, -1);
  if (inserted) {
    all.kept_codes.push_back(THPPointer<PyCodeObject>::borrow(code));
    if (!is_profilers_own(code)) {
      at->second = static_cast<int32_t>(all.codes.size());
      all.codes.push_back({code, line});
    }
  }
  return at->second;
}

int32_t place_of(PyCFunctionObject* function) {
  Names& all = names();
  PyObject* self = function->m_self;
  PyTypeObject* type = self && !PyModule_Check(self) ? Py_TYPE(self) : nullptr;
  auto [at, inserted] = all.function_places.try_emplace({function->m_ml, type}, -1);
  if (inserted && std::strncmp(function->m_ml->ml_name, "_profiler_", 10) != 0) {
    at->second = static_cast<int32_t>(all.functions.size());
    all.functions.push_back({function->m_ml->ml_name, type ? type->tp_name : ""});
  }
  return at->second;
}

PyFrameObject* innermost_shown_frame() {
  for (size_t k = t_open.size(); k-- > 0;) {
    if (t_open[k].frame && t_open[k].handle >= 0) return t_open[k].frame;
  }
  return nullptr;
}

int on_event(PyObject*, PyFrameObject* frame, int what, PyObject* argument);

// Needs no GIL: a thread's own frames stand still while it is in here.
int32_t position_of_innermost() {
  // Where another hook took this one's place, returns were missed, and the frames may be gone.
  PyThreadState* state = PyGILState_GetThisThreadState();
  if (!state || state->c_profilefunc != on_event) return -1;
  PyFrameObject* frame = innermost_shown_frame();
  return frame ? PyFrame_GetLasti(frame) : -1;
}

void enter_function(PyFrameObject* frame, int line) {
  THPPointer<PyCodeObject> code(PyFrame_GetCode(frame));
  int32_t place = place_of(code.get(), line);
  int64_t handle = place < 0 ? -1 : begin_numbered_range(place, RangeKind::python);
  t_open.push_back({frame, handle});
}

// Frames above this one were left by an exception, which the hook does not report.
void leave_function(PyFrameObject* frame) {
  auto at =
      std::find_if(t_open.rbegin(), t_open.rend(), [&](const Open& o) { return o.frame == frame; });
  if (at == t_open.rend()) return;
  while (t_open.back().frame != frame) {
    end_function_range(t_open.back().handle);
    t_open.pop_back();
  }
  end_function_range(t_open.back().handle);
  t_open.pop_back();
}

int on_event(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
  if (!enabled() || !wants(kStacks)) {
    // Paused; or the last profile that wanted this ended, perhaps in another thread.
    if (what == PyTrace_RETURN) leave_function(frame);
    if (!wants(kStacks)) {
      t_open.clear();
      PyEval_SetProfile(nullptr, nullptr);
    }
    return 0;
  }
  switch (what) {
    case PyTrace_CALL:
      enter_function(frame, PyFrame_GetLineNumber(frame));
      break;
    case PyTrace_RETURN:
      leave_function(frame);
      break;
    case PyTrace_C_CALL: {
      int64_t handle = -1;
      if (PyCFunction_Check(argument)) {
        int32_t place = place_of(reinterpret_cast<PyCFunctionObject*>(argument));
        if (place >= 0) handle = begin_numbered_range(place, RangeKind::c_function);
      }
      t_open.push_back({nullptr, handle});
      break;
    }
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
      if (!t_open.empty() && !t_open.back().frame) {
        end_function_range(t_open.back().handle);
        t_open.pop_back();
      }
      break;
  }
  return 0;
}

// The functions that are open in this thread when the tracer comes.
void enter_open_functions() {
  std::vector<THPPointer<PyFrameObject>> frames;
  auto frame = THPPointer<PyFrameObject>::borrow(PyEval_GetFrame());
  while (frame) {
    PyFrameObject* outer = PyFrame_GetBack(frame.get());
    frames.push_back(std::move(frame));
    frame.reset(outer);
  }
  // The frames run, and outlive these references.
  for (size_t k = frames.size(); k-- > 0;)
    enter_function(frames[k].get(), PyFrame_GetLineNumber(frames[k].get()));
}

bool is_traced_by_another() {
  PyThreadState* state = PyThreadState_Get();
  return state->c_profilefunc && state->c_profilefunc != on_event;
}

bool trace_new_thread() {
  // A thread without the GIL, or without Python, has no frames to follow; it may have them later.
  if (!PyGILState_Check()) return !PyGILState_GetThisThreadState();
  if (is_traced_by_another()) return true;
  t_open.clear();
  enter_open_functions();
  PyEval_SetProfile(on_event, nullptr);
  return true;
}

// "torch/nn/functional.py" for a file under a folder of sys.path.
std::string shortened(const std::string& file) {
  PyObject* path = PySys_GetObject("path");  // borrowed
  size_t longest = 0;
  for (Py_ssize_t i = 0; path && PyList_Check(path) && i < PyList_GET_SIZE(path); ++i) {
    PyObject* item = PyList_GET_ITEM(path, i);
    if (!PyUnicode_Check(item)) continue;
    std::string folder = utf8(item);
    if (!folder.empty() && folder.back() != '/') folder += '/';
    if (folder.size() > longest && file.compare(0, folder.size(), folder) == 0)
      longest = folder.size();
  }
  return file.substr(longest);
}

std::string frame_text(PyCodeObject* code, int line) {
  return c10::str(shortened(utf8(code->co_filename)), "(", line, "): ", utf8(code->co_name));
}

}  // namespace

void init_tracer() {
  on_new_thread = trace_new_thread;
  python_position = position_of_innermost;
}

void check_for_other_tracers() {
  TORCH_CHECK(!is_traced_by_another(),
              "profiler: with_stack follows Python's calls through sys.setprofile, which another "
              "profiler or coverage tool has set in this thread; stop that one, or leave out "
              "with_stack");
}

void stop_tracing() {
  if (!wants(kStacks) && PyThreadState_Get()->c_profilefunc == on_event) {
    t_open.clear();
    PyEval_SetProfile(nullptr, nullptr);
  }
}

void forget_names() { names() = Names(); }

int64_t begin_module(PyObject* module) {
  Names& all = names();
  PyTypeObject* type = Py_TYPE(module);
  auto [at, inserted] = all.module_places.try_emplace({module, type}, -1);
  if (inserted) {
    const char* dot = std::strrchr(type->tp_name, '.');
    const char* name = dot ? dot + 1 : type->tp_name;
    at->second = static_cast<int32_t>(all.modules.size());
    all.modules.push_back(c10::str("nn.Module: ", name, "_", all.modules_of_type[type]++));
  }
  return begin_numbered_range(at->second, RangeKind::module);
}

std::string name_of(const Range& range) {
  const Names& all = names();
  auto place = static_cast<size_t>(range.name);
  if (range.kind == RangeKind::module) return all.modules.at(place);
  if (range.kind == RangeKind::python) {
    const Code& c = all.codes.at(place);
    return frame_text(c.code, c.line);
  }
  const CFunction& f = all.functions.at(place);
  if (f.of.empty()) return c10::str("<built-in function ", f.name, ">");
  return c10::str("<built-in method ", f.name, " of ", f.of, " object>");
}

std::string frame_at(const Range& range, int32_t position) {
  const Code& c = names().codes.at(static_cast<size_t>(range.name));
  return frame_text(c.code, position < 0 ? c.line : PyCode_Addr2Line(c.code, position));
}

}  // namespace torch::profiler
