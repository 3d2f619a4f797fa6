// torch._C._profiler_*: starts and stops the collector, gives its ranges to Python.

#include <torch/csrc/Module.h>

#include <ATen/core/profiler/Collector.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/profiler/python_rows.h>
#include <torch/csrc/profiler/python_tracer.h>

#include <map>

namespace torch {
namespace {

std::map<uint64_t, uint32_t>& active_options() {
  static auto* const options = new std::map<uint64_t, uint32_t>;
  return *options;
}

PyObject* start(PyObject*, PyObject* args) {
  int shapes, memory, stacks, modules, flops, cpp_stacks, device_work, marks;
  if (!PyArg_ParseTuple(args, "pppppppp", &shapes, &memory, &stacks, &modules, &flops, &cpp_stacks,
                        &device_work, &marks))
    return nullptr;
  return guarded([&]() -> PyObject* {
    using namespace at::profiler;
    uint32_t options = 0;
    for (auto [on, option] :
         {std::pair(shapes, kShapes), std::pair(memory, kMemory), std::pair(stacks, kStacks),
          std::pair(modules, kModules), std::pair(flops, kFlops), std::pair(cpp_stacks, kCppStacks),
          std::pair(device_work, kDeviceWork), std::pair(marks, kMarks)}) {
      if (on) options |= option;
    }
    if (stacks) torch::profiler::check_for_other_tracers();
    uint64_t number = at::profiler::start(options);
    active_options()[number] = options;
    at::profiler::announce_thread();
    return PyLong_FromUnsignedLongLong(number);
  });
}

PyObject* stop(PyObject*, PyObject* argument) {
  uint64_t number = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred()) return nullptr;
  return guarded([&]() -> PyObject* {
    at::profiler::Profile profile = at::profiler::stop(number);
    profiler::stop_tracing();
    uint32_t options = active_options()[number];
    active_options().erase(number);
    PyObject* rows = profiler::rows_of(profile, options);
    if (active_options().empty()) profiler::forget_names();
    return rows;
  });
}

PyObject* pause(PyObject*, PyObject*) {
  at::profiler::pause();
  Py_RETURN_NONE;
}
PyObject* resume(PyObject*, PyObject*) {
  at::profiler::resume();
  Py_RETURN_NONE;
}

PyObject* begin(PyObject*, PyObject* name) {
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "record_function(): name must be a str, got %s",
                        Py_TYPE(name)->tp_name);
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  return guarded([&] {
    return PyLong_FromLongLong(at::profiler::begin_range(text, at::profiler::RangeKind::user));
  });
}
PyObject* end(PyObject*, PyObject* handle) {
  long long h = PyLong_AsLongLong(handle);
  if (h == -1 && PyErr_Occurred()) return nullptr;
  return guarded([&]() -> PyObject* {
    at::profiler::end_range(h);
    Py_RETURN_NONE;
  });
}
PyObject* enabled(PyObject*, PyObject*) { return PyBool_FromLong(at::profiler::enabled()); }

PyMethodDef functions[] = {
    {"_profiler_start", start, METH_VARARGS,
     "Begins to collect: shapes, memory, stacks, modules, flops, C++ stacks; tells a device's "
     "library, or NVTX, of ranges. Gives a number."},
    {"_profiler_stop", stop, METH_O, "Ends what has that number; gives what was collected."},
    {"_profiler_pause", pause, METH_NOARGS, nullptr},
    {"_profiler_resume", resume, METH_NOARGS, nullptr},
    {"_profiler_begin_range", begin, METH_O, "A named range of this thread; gives its handle."},
    {"_profiler_end_range", end, METH_O, nullptr},
    {"_profiler_enabled", enabled, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// torch._C._profiler: names of torch.profiler, loaded when first asked for.
PyObject* get_name(PyObject*, PyObject* name) {
  THPObjectPtr source(PyImport_ImportModule("torch.profiler._c_names"));
  if (!source) return nullptr;
  PyObject* found = PyObject_GetAttr(source.get(), name);
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_AttributeError, "module 'torch._C._profiler' has no attribute %R", name);
  }
  return found;
}
PyMethodDef part_functions[] = {{"__getattr__", get_name, METH_O, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_profiler(PyObject* module) {
  profiler::init_tracer();
  PyObject* part = PyImport_AddModule("torch._C._profiler");  // borrowed
  return part && PyModule_AddFunctions(part, part_functions) == 0 &&
         PyModule_AddObjectRef(module, "_profiler", part) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
