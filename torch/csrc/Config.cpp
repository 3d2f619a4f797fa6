// What this binary was built with: torch.__config__.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>

#include <ATen/Config.h>

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

static PyMethodDef functions[] = {{"_show_config", show_config, METH_NOARGS, nullptr},
                                  {"_parallel_info", parallel_info, METH_NOARGS, nullptr},
                                  {"_cxx_flags", cxx_flags, METH_NOARGS, nullptr},
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
