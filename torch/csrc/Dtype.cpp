// torch.dtype.

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

#include <cstring>

namespace torch {

static PyObject* g_dtypes[static_cast<int>(at::ScalarType::NumOptions)];

static at::ScalarType value_of(PyObject* o) { return reinterpret_cast<THPDtype*>(o)->value; }

static PyObject* dtype_repr(PyObject* o) {
  return PyUnicode_FromFormat("torch.%s", at::dtypeName(value_of(o)));
}
// Pickled by name, so that files do not depend on our numbers.
static PyObject* dtype_reduce(PyObject* o, PyObject*) {
  return PyUnicode_FromString(at::dtypeName(value_of(o)));
}
static PyObject* dtype_to_real(PyObject* o, PyObject*) {
  return wrap_dtype(at::toRealValueType(value_of(o)));
}
static PyObject* dtype_to_complex(PyObject* o, PyObject*) {
  return guarded([&] {
    at::ScalarType t = value_of(o);
    TORCH_CHECK(at::isFloatingType(t) || at::isComplexType(t), "dtype torch.", at::dtypeName(t),
                " has no complex type");
    return wrap_dtype(at::toComplexType(t));
  });
}
static PyObject* get_itemsize(PyObject* o, void*) {
  return PyLong_FromSize_t(at::elementSize(value_of(o)));
}
static PyObject* get_is_floating_point(PyObject* o, void*) {
  return PyBool_FromLong(at::isFloatingType(value_of(o)));
}
static PyObject* get_is_complex(PyObject* o, void*) {
  return PyBool_FromLong(at::isComplexType(value_of(o)));
}
static PyObject* get_is_signed(PyObject* o, void*) {
  return PyBool_FromLong(at::isSignedType(value_of(o)));
}

static PyMethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
    {"to_real", dtype_to_real, METH_NOARGS, docs::dtype_to_real},
    {"to_complex", dtype_to_complex, METH_NOARGS, docs::dtype_to_complex},
    {nullptr, nullptr, 0, nullptr}};
static PyGetSetDef dtype_properties[] = {
    {"itemsize", get_itemsize, nullptr, docs::dtype_itemsize, nullptr},
    {"is_floating_point", get_is_floating_point, nullptr, docs::dtype_is_floating_point, nullptr},
    {"is_complex", get_is_complex, nullptr, docs::dtype_is_complex, nullptr},
    {"is_signed", get_is_signed, nullptr, docs::dtype_is_signed, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject THPDtypeType = [] {
  PyTypeObject t = type_object<THPDtype>("torch.dtype", docs::dtype);
  t.tp_repr = dtype_repr;
  t.tp_methods = dtype_methods;
  t.tp_getset = dtype_properties;
  return t;
}();

PyObject* wrap_dtype(at::ScalarType t) {
  PyObject* o = g_dtypes[static_cast<int>(t)];
  TORCH_CHECK(o, "dtype ", at::toString(t), " has no Python object");
  Py_INCREF(o);
  return o;
}

bool is_dtype_like(PyObject* o) {
  return THPDtype_Check(o) || o == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
         o == reinterpret_cast<PyObject*>(&PyLong_Type) ||
         o == reinterpret_cast<PyObject*>(&PyBool_Type) ||
         o == reinterpret_cast<PyObject*>(&PyComplex_Type);
}

at::ScalarType to_dtype(PyObject* o) {
  if (THPDtype_Check(o)) return value_of(o);
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return at::kDouble;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return at::kLong;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return at::kBool;
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return at::kComplexDouble;
  TORCH_CHECK_TYPE(false, "expected a torch.dtype, not ", Py_TYPE(o)->tp_name);
}

bool init_dtype(PyObject* module) {
  THPObjectPtr torch(PyUnicode_InternFromString("torch"));
  if (!torch || !add_type(module, THPDtypeType) ||
      PyDict_SetItemString(THPDtypeType.tp_dict, "__module__", torch.get()) < 0)
    return false;
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    auto t = static_cast<at::ScalarType>(i);
    if (!*at::dtypeName(t)) continue;
    auto* o = PyObject_New(THPDtype, &THPDtypeType);
    if (!o) return false;
    o->value = t;
    g_dtypes[i] = reinterpret_cast<PyObject*>(o);
    if (PyModule_AddObjectRef(module, at::dtypeName(t), g_dtypes[i]) < 0) return false;
    if (*at::dtypeLegacyName(t) &&
        PyModule_AddObjectRef(module, at::dtypeLegacyName(t), g_dtypes[i]) < 0)
      return false;
  }
  return true;
}

}  // namespace torch
