// torch._C: makes the extension module out of its parts.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_engine.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_torch_function.h>
#include <torch/csrc/utils/python_types.h>
#include <torch/csrc/utils/tensor_new.h>

namespace torch {

// A module inside of torch._C. It can be imported by its name, which is how pickle finds functions.
static bool add_part(PyObject* module, const char* full_name, const char* name, PyObject* part) {
  return PyDict_SetItemString(PyImport_GetModuleDict(), full_name, part) == 0 &&
         PyModule_AddObject(module, name, part) == 0;
}

static bool add_operators(PyObject* module, const char* full_name, const char* name,
                          PyMethodDef* functions) {
  PyObject* part = PyModule_New(full_name);
  return part && PyModule_AddFunctions(part, functions) == 0 &&
         add_part(module, full_name, name, part);
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

static bool init_parts(PyObject* module) {
  PyObject* functions = PyModule_New("torch._C._VariableFunctions");
  PyObject* nn = PyModule_New("torch._C._nn");
  if (!functions || !nn) return false;
  return init_exceptions(module) && init_dtype(module) && init_device(module) &&
         init_layout(module) && init_size(module) && init_generator(module) &&
         init_storage(module) && init_type_info(module) && init_torch_function(module) &&
         init_variable(module) && init_cpp_function(module) && init_python_function(module) &&
         init_engine(module) && PyModule_AddFunctions(functions, generated_functions) == 0 &&
         PyModule_AddFunctions(nn, generated_nn_functions) == 0 &&
         init_tensor_new(module, functions) && init_torch_functions(module, functions, nn) &&
         init_dlpack(module) && init_dispatch(module) && init_dispatch_table(module) &&
         init_dispatch_mode(module) && init_trace(module) && init_logging(module) &&
         init_profiler(module) && init_module_base(module) && init_config(module) &&
         bind_to_class(module, functions) && PyModule_AddFunctions(module, module_functions) == 0 &&
         PyModule_AddObject(module, "_VariableFunctions", functions) == 0 &&
         add_part(module, "torch._C._nn", "_nn", nn) &&
         add_operators(module, "torch._C._linalg", "_linalg", generated_linalg_functions) &&
         add_operators(module, "torch._C._special", "_special", generated_special_functions);
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
