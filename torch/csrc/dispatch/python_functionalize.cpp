// Functions of tensors that share storage without being views.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

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

PyMethodDef functions[] = {
    {"_functionalize_unsafe_set", unsafe_set, METH_VARARGS,
     "Gives a tensor the storage of another, without a look at its elements."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_functionalize(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
