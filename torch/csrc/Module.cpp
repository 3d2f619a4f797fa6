// torch._C: makes the extension module out of its parts.

#include <torch/csrc/Module.h>

#include <cstring>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_engine.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_parser.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>

namespace torch {

// The part of a dotted name after the last dot.
static const char* last_name(const char* full_name) {
  const char* dot = std::strrchr(full_name, '.');
  return dot ? dot + 1 : full_name;
}

// A module inside of torch._C, borrowed; null with an error set. It can be imported by its full
// name, which is how pickle finds functions.
static PyObject* add_submodule(PyObject* module, const char* full_name, PyMethodDef* functions) {
  PyObject* part = PyModule_New(full_name);
  bool added = part && PyModule_AddFunctions(part, functions) == 0 &&
               PyDict_SetItemString(PyImport_GetModuleDict(), full_name, part) == 0 &&
               PyModule_AddObjectRef(module, last_name(full_name), part) == 0;
  Py_XDECREF(part);
  return added ? part : nullptr;
}

bool add_functions_to(PyObject* module, const char* submodule, PyMethodDef* functions) {
  PyObject* part = PyObject_GetAttrString(module, submodule);
  bool added = part && PyModule_AddFunctions(part, functions) == 0;
  Py_XDECREF(part);
  return added;
}

// torch._C._nn, _linalg, _special, ...: the operators with a python_module.
static bool init_operator_modules(PyObject* module) {
  for (const OperatorModule* m = operator_modules; m->name; ++m) {
    if (!add_submodule(module, m->name, m->functions)) return false;
  }
  return true;
}

// Binds the functions of torch to a class, torch._C._VariableFunctionsClass, as PyTorch does: they
// pickle as attributes of it, and either library reads what the other one wrote.
static bool bind_to_class(PyObject* module, PyObject* functions) {
  PyObject* type = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){ss}",
                                         "_VariableFunctionsClass", "__module__", "torch._C");
  PyObject* torch = PyUnicode_InternFromString("torch");
  if (!type || !torch || PyModule_AddObject(module, "_VariableFunctionsClass", type) != 0)
    return false;
  PyObject* members = PyModule_GetDict(functions);
  PyObject *name, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(members, &position, &name, &value)) {
    if (!PyCFunction_Check(value)) continue;
    PyMethodDef* method = reinterpret_cast<PyCFunctionObject*>(value)->m_ml;
    PyObject* bound = PyCFunction_NewEx(method, type, torch);
    // The key is there already, so that the dictionary keeps its shape while it is walked.
    bool done = bound && PyDict_SetItem(members, name, bound) == 0 &&
                PyObject_SetAttr(type, name, bound) == 0;
    Py_XDECREF(bound);
    if (!done) return false;
  }
  Py_DECREF(torch);
  return true;
}

// The types of torch.return_types.
static PyObject* get_named_tuple_types(PyObject*, PyObject*) {
  return guarded([] { return named_tuple_types(); });
}
static PyMethodDef module_functions[] = {
    {"_named_tuple_types", get_named_tuple_types, METH_NOARGS, "The types of torch.return_types."},
    {nullptr, nullptr, 0, nullptr}};

// torch._C._VariableFunctions: what torch has as functions. It is not imported by name: pickles
// name the functions of torch.
static bool init_functions(PyObject* module) {
  PyObject* functions = PyModule_New("torch._C._VariableFunctions");
  bool added = functions && PyModule_AddFunctions(functions, generated_functions) == 0 &&
               PyModule_AddObjectRef(module, "_VariableFunctions", functions) == 0;
  Py_XDECREF(functions);
  return added;
}

static bool init_function_class(PyObject* module) {
  PyObject* functions = PyObject_GetAttrString(module, "_VariableFunctions");
  bool bound = functions && bind_to_class(module, functions) &&
               PyModule_AddFunctions(module, module_functions) == 0;
  Py_XDECREF(functions);
  return bound;
}

// The parts of torch._C, in the order in which they are set up: types before what makes objects of
// them, functions before the class that binds them.
static bool (*const kParts[])(PyObject* module) = {
    init_exceptions,       init_dtype,       init_device,
    init_layout,           init_size,        init_generator,
    init_streams,          init_storage,     init_type_info,
    init_torch_function,   init_variable,    init_cpp_function,
    init_python_function,  init_engine,      init_functions,
    init_operator_modules, init_tensor_new,  init_torch_functions,
    init_dlpack,           init_dispatch,    init_dispatch_table,
    init_dispatch_mode,    init_trace,       init_logging,
    init_profiler,         init_module_base, init_config,
    init_function_class,
};

static bool init_parts(PyObject* module) {
  for (auto* init : kParts) {
    if (!init(module)) return false;
  }
  return true;
}

}  // namespace torch

extern "C" PyObject* initModule() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "torch._C",
                                   "The C++ part of the library.",
                                   -1,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  bool done = false;
  try {
    done = torch::init_parts(module);
  } catch (...) {
    torch::translate_exception();
  }
  if (!done) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "torch._C could not be set up");
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
