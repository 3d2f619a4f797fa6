// Python numbers to C++ and back.

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_types.h>

#include <ATen/ops/item.h>

namespace torch {

PyTypeObject* symbolic_types[3];  // null until torch._symbolic is imported

PyObject* set_symbolic_types(PyObject*, PyObject* types) {
  for (Py_ssize_t i = 0; i < 3 && i < PyTuple_GET_SIZE(types); ++i) {
    PyObject* type = PyTuple_GET_ITEM(types, i);
    if (!PyType_Check(type)) {
      PyErr_Format(PyExc_TypeError, "_set_symbolic_types(): expected a type, got %s",
                   Py_TYPE(type)->tp_name);
      return nullptr;
    }
    symbolic_types[i] = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));  // kept forever
  }
  Py_RETURN_NONE;
}

static THPObjectPtr traced_value(PyObject* o) {
  return own(PyObject_CallMethod(o, "_traced_value", nullptr));
}

// NumPy's scalars are recognized by their protocols, so that NumPy need not be loaded.
static bool is_numpy_scalar(PyObject* o) {
  return std::string_view(Py_TYPE(o)->tp_name).substr(0, 6) == "numpy." && PyNumber_Check(o) &&
         !PySequence_Check(o);
}

bool is_number(PyObject* o) {
  return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) ||
         (THPVariable_Check(o) && THPVariable_Unpack(o).defined() &&
          THPVariable_Unpack(o).dim() == 0) ||
         is_numpy_scalar(o) || is_symbolic_number(o);
}

int64_t to_int64(PyObject* o) {
  if (PyLong_CheckExact(o)) {
    int overflow;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (C10_UNLIKELY(overflow))
      TORCH_CHECK_VALUE(false, "Overflow when unpacking long: an int does not fit 64 bits");
    return v;
  }
  if (THPVariable_Check(o)) return at::item(THPVariable_Unpack(o)).to<int64_t>();
  THPObjectPtr index = is_symbolic_number(o) ? traced_value(o) : own(PyNumber_Index(o));
  int overflow;
  int64_t v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  TORCH_CHECK_VALUE(!overflow, "Overflow when unpacking long: an int does not fit 64 bits");
  return v;
}

double to_double(PyObject* o) {
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o);
  if (THPVariable_Check(o)) return at::item(THPVariable_Unpack(o)).to<double>();
  if (is_symbolic_number(o)) return to_double(traced_value(o).get());
  double v = PyFloat_AsDouble(o);
  if (v == -1.0 && PyErr_Occurred()) throw python_error();
  return v;
}

at::Scalar to_scalar(PyObject* o) {
  if (PyFloat_Check(o)) return at::Scalar(PyFloat_AS_DOUBLE(o));
  if (PyBool_Check(o)) return at::Scalar(o == Py_True);
  if (PyLong_Check(o)) {
    int overflow;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (C10_LIKELY(!overflow)) return at::Scalar(v);
    uint64_t u = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
      PyErr_Clear();
      TORCH_CHECK(false, "Overflow when unpacking long: an int does not fit 64 bits");
    }
    return at::Scalar(u);
  }
  if (PyComplex_Check(o)) {
    Py_complex z = PyComplex_AsCComplex(o);
    return at::Scalar(c10::complex<double>(z.real, z.imag));
  }
  if (THPVariable_Check(o)) return at::item(THPVariable_Unpack(o));
  if (is_symbolic_number(o)) return to_scalar(traced_value(o).get());
  std::string_view name = Py_TYPE(o)->tp_name;
  if (name == "numpy.bool_" || name == "numpy.bool") return at::Scalar(PyObject_IsTrue(o) > 0);
  if (PyIndex_Check(o)) {
    return to_scalar(own(PyNumber_Index(o)).get());
  }
  if (name.substr(0, 13) == "numpy.complex") {
    Py_complex z = PyComplex_AsCComplex(o);
    if (PyErr_Occurred()) throw python_error();
    return at::Scalar(c10::complex<double>(z.real, z.imag));
  }
  return at::Scalar(to_double(o));
}

PyObject* wrap_scalar(const at::Scalar& s) {
  if (s.isFloatingPoint()) return PyFloat_FromDouble(s.cast<double>());
  if (s.isBoolean()) return PyBool_FromLong(s.cast<bool>());
  if (s.isComplex()) {
    auto z = s.toComplexDouble();
    return PyComplex_FromDoubles(z.real(), z.imag());
  }
  if (s.type() == at::kUInt64) return PyLong_FromUnsignedLongLong(s.cast<uint64_t>());
  return PyLong_FromLongLong(s.cast<int64_t>());
}

}  // namespace torch
