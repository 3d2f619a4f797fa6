// What ran: the dispatch trace, switched and taken from Python.

#include <torch/csrc/Module.h>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <torch/csrc/python_containers.h>

namespace torch {
namespace {

PyObject* details(PyObject*, PyObject* o) {
  long flags = PyLong_AsLong(o);
  if (flags == -1 && PyErr_Occurred()) return nullptr;
  uint32_t before = at::dispatch_trace_details();
  at::set_dispatch_trace_details(static_cast<uint32_t>(flags));
  return PyLong_FromUnsignedLong(before);
}
PyObject* print(PyObject*, PyObject* o) {
  int on = PyObject_IsTrue(o);
  if (on < 0) return nullptr;
  at::set_dispatch_trace_print(on);
  Py_RETURN_NONE;
}
PyObject* enabled(PyObject*, PyObject*) { return PyBool_FromLong(at::dispatch_trace_enabled()); }
PyObject* start(PyObject*, PyObject*) {
  at::start_trace_records();
  Py_RETURN_NONE;
}
PyObject* take(PyObject*, PyObject*) {
  return guarded([] {
    std::vector<at::TraceRecord> records = at::take_trace_records();
    return make_list(records.size(), [&](size_t k) {
      const at::TraceRecord& r = records[k];
      return Py_BuildValue("sssissisd", r.kind.c_str(), r.name.c_str(), r.key.c_str(), r.depth,
                           r.kernel.c_str(), r.file.c_str(), r.line, r.arguments.c_str(),
                           r.microseconds);
    });
  });
}

PyMethodDef functions[] = {
    {"_dispatch_trace_details", details, METH_O,
     "Sets what a line of the trace tells (1 kernel, 2 arguments, 4 time); gives what was set."},
    {"_dispatch_trace_print", print, METH_O, "Whether the trace writes to standard error."},
    {"_dispatch_trace_enabled", enabled, METH_NOARGS, nullptr},
    {"_dispatch_trace_start", start, METH_NOARGS, "Begins to keep records of the trace."},
    {"_dispatch_trace_take", take, METH_NOARGS, "Ends that; gives the records."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_trace(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
