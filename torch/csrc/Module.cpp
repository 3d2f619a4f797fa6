// Builds the extension module torch._C from its parts.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_engine.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_parser.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>
#include <torch/csrc/type_object.h>

namespace torch {

// Adds a module inside of torch._C; false with an error set where that failed. It can be imported
// by its full name, which is how pickle finds functions.
static bool add_submodule(PyObject* module, const char* full_name, PyMethodDef* functions) {
  THPObjectPtr part(PyModule_New(full_name));
  return part && PyModule_AddFunctions(part.get(), functions) == 0 &&
         PyDict_SetItemString(PyImport_GetModuleDict(), full_name, part.get()) == 0 &&
         PyModule_AddObjectRef(module, last_name(full_name), part.get()) == 0;
}

bool add_functions_to(PyObject* module, const char* submodule, PyMethodDef* functions) {
  THPObjectPtr part(PyObject_GetAttrString(module, submodule));
  return part && PyModule_AddFunctions(part.get(), functions) == 0;
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
  THPObjectPtr type(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){ss}",
                                          "_VariableFunctionsClass", "__module__", "torch._C"));
  THPObjectPtr torch(PyUnicode_InternFromString("torch"));
  if (!type || !torch || PyModule_AddObjectRef(module, "_VariableFunctionsClass", type.get()) != 0)
    return false;
  PyObject* members = PyModule_GetDict(functions);
  PyObject *name, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(members, &position, &name, &value)) {
    if (!PyCFunction_Check(value)) continue;
    PyMethodDef* method = reinterpret_cast<PyCFunctionObject*>(value)->m_ml;
    THPObjectPtr bound(PyCFunction_NewEx(method, type.get(), torch.get()));
    // The key is there already, so that the dictionary keeps its shape while it is walked.
    if (!bound || PyDict_SetItem(members, name, bound.get()) != 0 ||
        PyObject_SetAttr(type.get(), name, bound.get()) != 0)
      return false;
  }
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
  THPObjectPtr functions(PyModule_New("torch._C._VariableFunctions"));
  return functions && PyModule_AddFunctions(functions.get(), generated_functions) == 0 &&
         PyModule_AddObjectRef(module, "_VariableFunctions", functions.get()) == 0;
}

static bool init_function_class(PyObject* module) {
  THPObjectPtr functions(PyObject_GetAttrString(module, "_VariableFunctions"));
  return functions && bind_to_class(module, functions.get()) &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

// The parts of torch._C in the order of their initialization: types before functions that return
// their objects, functions before the class that binds them.
static bool (*const kParts[])(PyObject* module) = {
    init_exceptions,       init_dtype,         init_device,
    init_layout,           init_size,          init_generator,
    init_streams,          init_storage,       init_type_info,
    init_torch_function,   init_variable,      init_cpp_function,
    init_python_function,  init_engine,        init_functions,
    init_operator_modules, init_tensor_new,    init_torch_functions,
    init_settings,         init_dlpack,        init_dispatch,
    init_dispatch_table,   init_dispatch_mode, init_functionalize,
    init_fake_tensor,      init_autocast,      init_trace,
    init_logging,          init_profiler,      init_module_base,
    init_config,           init_functorch,     init_function_class,
    init_pytree,
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
  torch::THPObjectPtr module(PyModule_Create(&definition));
  if (!module) return nullptr;
  bool done = false;
  try {
    done = torch::init_parts(module.get());
  } catch (...) {
    torch::translate_exception();
  }
  if (done) return module.release();
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "torch._C could not be set up");
  return nullptr;
}
