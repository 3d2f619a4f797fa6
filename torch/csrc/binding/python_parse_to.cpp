// Parses the arguments of Tensor.to and Module.to.

#include <torch/csrc/binding/python_parse_to.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_types.h>

#include <cstring>

namespace torch {

static bool truth(PyObject* o) {
  int b = PyObject_IsTrue(o);
  if (b < 0) throw python_error();
  return b;
}

ParsedTo parse_to(PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  ParsedTo to;
  Py_ssize_t flags = 0;  // bools seen by position: non_blocking, then copy
  auto set_tensor = [&](PyObject* o) {
    to.dtype = THPVariable_Unpack(o).scalar_type();
    to.device = THPVariable_Unpack(o).device();
  };
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* o = args[i];
    if (o == Py_None) continue;
    if (PyBool_Check(o)) {
      (flags++ == 0 ? to.non_blocking : to.copy) = o == Py_True;
    } else if (is_dtype_like(o)) {
      to.dtype = to_dtype(o);
    } else if (THPVariable_Check(o)) {
      set_tensor(o);
    } else {
      TORCH_CHECK_TYPE((THPDevice_Check(o) || PyUnicode_Check(o) || PyLong_Check(o)) && i == 0,
                       "to() received an invalid combination of arguments: expected a dtype, a "
                       "device or a tensor, got ",
                       Py_TYPE(o)->tp_name, " at position ", i + 1);
      to.device = to_device(o);
    }
  }
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < nkw; ++k) {
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, k));
    PyObject* o = args[n + k];
    if (!name) throw python_error();
    auto is = [&](const char* s) { return std::strcmp(name, s) == 0; };
    if (is("dtype")) {
      if (o != Py_None) to.dtype = to_dtype(o);
    } else if (is("device")) {
      if (o != Py_None) to.device = to_device(o);
    } else if (is("other")) {
      TORCH_CHECK_TYPE(THPVariable_Check(o), "to(): argument 'other' must be Tensor, not ",
                       Py_TYPE(o)->tp_name);
      set_tensor(o);
    } else if (is("non_blocking")) {
      to.non_blocking = truth(o);
    } else if (is("copy")) {
      to.copy = truth(o);
    } else if (is("memory_format")) {
      TORCH_CHECK_TYPE(o == Py_None || THPMemoryFormat_Check(o),
                       "to(): argument 'memory_format' must be torch.memory_format, not ",
                       Py_TYPE(o)->tp_name);
      if (o != Py_None) to.memory_format = reinterpret_cast<THPMemoryFormat*>(o)->value;
    } else {
      TORCH_CHECK_TYPE(false, "to() got an unexpected keyword argument '", name, "'");
    }
  }
  return to;
}

}  // namespace torch
