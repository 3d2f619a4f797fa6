// torch._C._profiler: starts and stops the collector, gives its ranges to Python.

#include <torch/csrc/Module.h>

#include <ATen/core/profiler/Collector.h>
#include <torch/csrc/Exceptions.h>

#include <frameobject.h>

namespace torch {
namespace {

// "file(line): function" for each Python frame of this thread, the innermost first.
std::string stack_of_this_thread() {
  PyGILState_STATE gil = PyGILState_Ensure();
  std::string text;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  for (int depth = 0; frame && depth < 64; ++depth) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    const char* name = PyUnicode_AsUTF8(code->co_name);
    if (file && name) {
      if (!text.empty()) text += "\n";
      text += std::string(file) + "(" + std::to_string(PyFrame_GetLineNumber(frame)) + "): " + name;
    } else {
      PyErr_Clear();
    }
    Py_DECREF(code);
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  PyGILState_Release(gil);
  return text;
}

PyObject* start(PyObject*, PyObject* args) {
  int shapes, memory, stacks;
  if (!PyArg_ParseTuple(args, "ppp", &shapes, &memory, &stacks)) return nullptr;
  return guarded([&]() -> PyObject* {
    at::profiler::python_stack = stack_of_this_thread;
    at::profiler::start({shapes != 0, memory != 0, stacks != 0});
    Py_RETURN_NONE;
  });
}

// (start, end, wall start, [(thread id, [(name, overload, kind, parent, start, end, memory, inputs,
// stack)])])
PyObject* stop(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    at::profiler::Profile p = at::profiler::stop();
    PyObject* threads = check(PyList_New(0));
    auto text = [](const std::string& s) {
      return check(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
    };
    std::vector<PyObject*> names;
    for (const std::string& n : p.names) names.push_back(text(n));
    for (const at::profiler::Thread& thread : p.threads) {
      PyObject* rows = check(PyList_New(static_cast<Py_ssize_t>(thread.ranges.size())));
      for (size_t k = 0; k < thread.ranges.size(); ++k) {
        const at::profiler::Range& r = thread.ranges[k];
        PyObject* name = r.op ? check(PyUnicode_FromString(r.op->name)) : Py_NewRef(names[r.name]);
        PyObject* inputs = r.inputs >= 0 ? text(thread.inputs[r.inputs]) : Py_NewRef(Py_None);
        PyObject* stack = r.stack >= 0 ? Py_NewRef(names[r.stack]) : Py_NewRef(Py_None);
        PyList_SET_ITEM(
            rows, static_cast<Py_ssize_t>(k),
            check(Py_BuildValue("(NsiiLLLNN)", name, r.op ? r.op->overload : "",
                                static_cast<int>(r.kind), r.parent, static_cast<long long>(r.start),
                                static_cast<long long>(r.end ? r.end : p.end),
                                static_cast<long long>(r.end ? r.memory : 0), inputs, stack)));
      }
      PyObject* row =
          check(Py_BuildValue("(KN)", static_cast<unsigned long long>(thread.id), rows));
      PyList_Append(threads, row);
      Py_DECREF(row);
    }
    for (PyObject* n : names) Py_DECREF(n);
    return Py_BuildValue("(LLLN)", static_cast<long long>(p.start), static_cast<long long>(p.end),
                         static_cast<long long>(p.wall_start), threads);
  });
}

PyObject* begin(PyObject*, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  return guarded([&] {
    return PyLong_FromLong(at::profiler::begin_range(text, at::profiler::RangeKind::user));
  });
}
PyObject* end(PyObject*, PyObject* handle) {
  long h = PyLong_AsLong(handle);
  if (h == -1 && PyErr_Occurred()) return nullptr;
  return guarded([&]() -> PyObject* {
    at::profiler::end_range(static_cast<int32_t>(h));
    Py_RETURN_NONE;
  });
}
PyObject* enabled(PyObject*, PyObject*) { return PyBool_FromLong(at::profiler::enabled()); }

PyMethodDef functions[] = {
    {"_profiler_start", start, METH_VARARGS, "Begins to collect: shapes, memory, stacks."},
    {"_profiler_stop", stop, METH_NOARGS, "Ends that; gives what was collected."},
    {"_profiler_begin_range", begin, METH_O, "A named range of this thread; gives its handle."},
    {"_profiler_end_range", end, METH_O, nullptr},
    {"_profiler_enabled", enabled, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_profiler(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
