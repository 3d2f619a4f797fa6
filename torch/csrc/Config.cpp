// What this binary was built with: torch.__config__.

#include <torch/csrc/Module.h>

#include <algorithm>
#include <string>
#include <vector>

#include <ATen/Config.h>
#include <c10/util/Backtrace.h>
#include <torch/csrc/Exceptions.h>

namespace torch {

static PyObject* show_config(PyObject*, PyObject*) {
  return guarded([] { return PyUnicode_FromString(at::show_config().c_str()); });
}
static PyObject* parallel_info(PyObject*, PyObject*) {
  return guarded([] { return PyUnicode_FromString(at::get_parallel_info().c_str()); });
}
static PyObject* cxx_flags(PyObject*, PyObject*) {
  return guarded([] { return PyUnicode_FromString(at::get_cxx_flags().c_str()); });
}
static PyObject* cpu_capability(PyObject*, PyObject*) {
  return guarded([] { return PyUnicode_FromString(at::get_cpu_capability().c_str()); });
}

// (how many of the innermost frames to leave out, how many lines at most) -> the stack of the call.
static PyObject* cpp_backtrace(PyObject*, PyObject* args) {
  Py_ssize_t skip = 0, max = 0;
  if (!PyArg_ParseTuple(args, "nn", &skip, &max)) return nullptr;
  return guarded([&] {
    std::vector<void*> frames = c10::capture_frames();
    const auto size = static_cast<Py_ssize_t>(frames.size());
    frames.erase(frames.begin(), frames.begin() + std::clamp<Py_ssize_t>(skip, 0, size));
    std::string text = c10::symbolize_frames(frames);
    size_t end = 0;  // of the last line that is kept; the first line is a title
    for (Py_ssize_t lines = 0; end != std::string::npos && lines <= max; ++lines)
      end = text.find('\n', end + (lines > 0));
    return PyUnicode_FromString(text.substr(0, end).c_str());
  });
}

static PyMethodDef functions[] = {{"_show_config", show_config, METH_NOARGS, nullptr},
                                  {"_parallel_info", parallel_info, METH_NOARGS, nullptr},
                                  {"_cxx_flags", cxx_flags, METH_NOARGS, nullptr},
                                  {"_get_cpp_backtrace", cpp_backtrace, METH_VARARGS, nullptr},
                                  {"_get_cpu_capability", cpu_capability, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

bool init_config(PyObject* module) {
  auto add = [&](const char* name, bool value) {
    return PyModule_AddObjectRef(module, name, value ? Py_True : Py_False) == 0;
  };
  return PyModule_AddFunctions(module, functions) == 0 && add("_has_mkldnn", at::has_mkldnn()) &&
         add("has_lapack", at::has_blas()) && add("has_openmp", at::has_openmp());
}

}  // namespace torch
