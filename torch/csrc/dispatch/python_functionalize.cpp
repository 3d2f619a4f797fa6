// Functional tensors from Python: what torch/_functionalize.py and torch.func.functionalize call.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <ATen/functionalization/FunctionalTensorWrapper.h>
#include <ATen/functionalization/FunctionalizeKernel.h>

namespace torch {
namespace {

const at::Tensor& tensor_of(PyObject* o, const char* function) {
  TORCH_CHECK_TYPE(THPVariable_Check(o), function, "(): expected a Tensor, got ",
                   Py_TYPE(o)->tp_name);
  return THPVariable_Unpack(o);
}

PyObject* unsafe_set(PyObject*, PyObject* args) {
  PyObject *to, *from;
  if (!PyArg_ParseTuple(args, "OO", &to, &from)) return nullptr;
  return guarded([&]() -> PyObject* {
    constexpr const char* kName = "_functionalize_unsafe_set";
    tensor_of(to, kName).unsafeGetTensorImpl()->set_storage(tensor_of(from, kName).storage());
    Py_RETURN_NONE;
  });
}

namespace functional = at::functionalization;

PyObject* to_functional(PyObject*, PyObject* o) {
  return guarded([&] {
    functional::install_functionalize_kernel();
    return THPVariable_Wrap(functional::to_functional(tensor_of(o, "_to_functional_tensor")));
  });
}
PyObject* from_functional(PyObject*, PyObject* o) {
  return guarded([&] {
    return THPVariable_Wrap(functional::from_functional(tensor_of(o, "_from_functional_tensor")));
  });
}
PyObject* is_functional(PyObject*, PyObject* o) {
  return guarded([&] {
    const at::Tensor& t = tensor_of(o, "_is_functional_tensor");
    return PyBool_FromLong(functional::maybe_functional(t) != nullptr);
  });
}

functional::FunctionalTensorWrapper& wrapper_of(PyObject* o, const char* function) {
  auto* impl = functional::maybe_functional(tensor_of(o, function));
  TORCH_CHECK(impl, function, "(): expected a functional tensor");
  return *impl;
}

PyObject* replace(PyObject*, PyObject* args) {
  PyObject *self, *other;
  if (!PyArg_ParseTuple(args, "OO", &self, &other)) return nullptr;
  return guarded([&]() -> PyObject* {
    constexpr const char* kName = "_functionalize_replace";
    auto& impl = wrapper_of(self, kName);
    const at::Tensor value = functional::from_functional(tensor_of(other, kName));
    TORCH_CHECK(value.sizes() == impl.sizes() && value.scalar_type() == impl.dtype(), kName,
                "(): the value has shape ", value.sizes(), " and type ",
                at::dtypeName(value.scalar_type()), ", the tensor ", impl.sizes(), " and ",
                at::dtypeName(impl.dtype()));
    impl.replace(value);
    Py_RETURN_NONE;
  });
}
PyObject* was_changed(PyObject*, PyObject* o) {
  return guarded([&] {
    return PyBool_FromLong(wrapper_of(o, "_functionalize_has_data_mutation").was_changed());
  });
}

// _set_functionalization(on, reapply_views)
PyObject* set_functionalization(PyObject*, PyObject* args) {
  int on, reapply_views;
  if (!PyArg_ParseTuple(args, "pp", &on, &reapply_views)) return nullptr;
  functional::install_functionalize_kernel();
  functional::set_functionalization(on, reapply_views);
  Py_RETURN_NONE;
}
PyObject* state(PyObject*, PyObject*) {
  return Py_BuildValue("(NN)", PyBool_FromLong(functional::is_functionalizing()),
                       PyBool_FromLong(functional::reapplies_views()));
}
PyObject* is_functionalizing(PyObject*, PyObject*) {
  return PyBool_FromLong(functional::is_functionalizing());
}

PyMethodDef functions[] = {
    {"_to_functional_tensor", to_functional, METH_O, nullptr},
    {"_from_functional_tensor", from_functional, METH_O, nullptr},
    {"_is_functional_tensor", is_functional, METH_O, nullptr},
    {"_replace_functional_tensor", replace, METH_VARARGS, nullptr},
    {"_functional_tensor_was_changed", was_changed, METH_O, nullptr},
    {"_set_functionalization", set_functionalization, METH_VARARGS, nullptr},
    {"_functionalization_state", state, METH_NOARGS, nullptr},
    {"_is_functionalizing", is_functionalizing, METH_NOARGS, nullptr},
    {"_functionalize_unsafe_set", unsafe_set, METH_VARARGS,
     "Gives a tensor the storage of another, without a look at its elements."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_functionalize(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
