// What ran and what would run: records of the dispatch trace, kernels with their places in the
// sources.

#include <torch/csrc/Module.h>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/python_dispatch.h>

namespace torch {
namespace {

PyObject* text(const std::string& s) {
  return check(PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

at::OperatorEntry& operator_named(PyObject* o) {
  const char* name = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  TORCH_CHECK_TYPE(name, "expected the name of an operator as a str, got ", Py_TYPE(o)->tp_name);
  return find_qualified(name);
}

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
  return guarded([&]() -> PyObject* {
    std::vector<at::TraceRecord> records = at::take_trace_records();
    PyObject* list = check(PyList_New(static_cast<Py_ssize_t>(records.size())));
    for (size_t k = 0; k < records.size(); ++k) {
      const at::TraceRecord& r = records[k];
      PyObject* row = Py_BuildValue("sssissisd", r.kind.c_str(), r.name.c_str(), r.key.c_str(),
                                    r.depth, r.kernel.c_str(), r.file.c_str(), r.line,
                                    r.arguments.c_str(), r.microseconds);
      if (!row) {
        Py_DECREF(list);
        return nullptr;
      }
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(k), row);
    }
    return list;
  });
}

// [(dispatch key, name of the function or stub, symbol, file, line)], the outermost function of a
// key first.
PyObject* kernels(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const at::OperatorEntry& op = operator_named(name);
    PyObject* list = check(PyList_New(0));
    auto add = [&](int column, const char* kernel, void* address) {
      const c10::CodePlace& place = at::place_of_kernel(address);
      PyObject* row = Py_BuildValue("ssssi", c10::toString(static_cast<c10::DispatchKey>(column)),
                                    kernel, place.function.c_str(), place.file.c_str(), place.line);
      bool failed = !row || PyList_Append(list, row) < 0;
      Py_XDECREF(row);
      if (failed) throw python_error();
    };
    try {
      for (int column = 0; column < c10::kNumRuntimeKeys; ++column) {
        bool known = false;
        for (const at::KernelSource* s = op.sources; s && s->name && op.table[column]; ++s) {
          if (s->column != column) continue;
          add(column, s->name, s->stub ? s->stub() : s->function);
          known = true;
        }
        if (!known && op.table[column]) add(column, "", op.table[column]);
      }
    } catch (...) {
      Py_DECREF(list);
      throw;
    }
    return list;
  });
}

// A line for each key of the run time: which kernel a call with that key reaches.
PyObject* dump_table(PyObject*, PyObject* name) {
  return guarded([&] {
    const at::OperatorEntry& op = operator_named(name);
    std::string out;
    for (int column = 0; column < c10::kNumRuntimeKeys; ++column) {
      auto key = static_cast<c10::DispatchKey>(column);
      std::string key_name = c10::toString(key);
      if (key_name.empty() || key_name == "Unknown") continue;
      out += key_name + ": ";
      if (op.table[column]) {
        at::KernelPlace kernel = at::kernel_of(op, column);
        const c10::CodePlace& place = at::place_of_kernel(kernel.address);
        out += c10::str(kernel.name ? kernel.name : place.function, " at ", place.file, ":",
                        place.line, " [kernel]\n");
      } else if (const at::Override* o = at::find_override(op, c10::DispatchKeySet(key))) {
        out += c10::str(o->debug, " [registered at run time]\n");
      } else {
        out += (op.considered_keys >> column) & 1 ? "missing\n" : "fallthrough\n";
      }
    }
    return text(out);
  });
}

PyMethodDef functions[] = {
    {"_dispatch_trace_details", details, METH_O,
     "Sets what a line of the trace tells (1 kernel, 2 arguments, 4 time); gives what was set."},
    {"_dispatch_trace_print", print, METH_O, "Whether the trace writes to standard error."},
    {"_dispatch_trace_enabled", enabled, METH_NOARGS, nullptr},
    {"_dispatch_trace_start", start, METH_NOARGS, "Begins to keep records of the trace."},
    {"_dispatch_trace_take", take, METH_NOARGS, "Ends that; gives the records."},
    {"_dispatch_kernels", kernels, METH_O,
     "The functions behind an operator's dispatch keys, with file and line."},
    {"_dispatch_dump_table", dump_table, METH_O,
     "Which kernel a call reaches, for each dispatch key."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_trace(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
