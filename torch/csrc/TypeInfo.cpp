// torch.finfo and torch.iinfo.

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

#include <ATen/native/common/TypeDispatch.h>

#include <cmath>
#include <limits>

namespace torch {
namespace {

struct THPInfo {
  PyObject_HEAD at::ScalarType dtype;
  double eps, max, min, tiny, resolution;
  int64_t imin;
  uint64_t imax;
  int bits;
};
PyTypeObject FinfoType, IinfoType;

THPInfo* info(PyObject* o) { return reinterpret_cast<THPInfo*>(o); }

PyObject* finfo_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"type", nullptr};
    PyObject* dtype = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:finfo", const_cast<char**>(names), &dtype))
      return nullptr;
    at::ScalarType t = dtype ? to_dtype(dtype) : at::get_default_dtype();
    TORCH_CHECK_TYPE(
        at::isFloatingType(t) || at::isComplexType(t),
        "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.",
        at::dtypeName(t), "'");
    auto* o = reinterpret_cast<THPInfo*>(check(type->tp_alloc(type, 0)));
    o->dtype = t;
    using Floats = at::JoinT<at::FloatingAndReduced, at::Float8Types>;
    at::dispatch_types<Floats>(at::toRealValueType(t), "finfo", [&]<typename T>(at::TypeTag<T>) {
      using L = std::numeric_limits<T>;
      o->eps = static_cast<double>(L::epsilon());
      o->max = static_cast<double>(L::max());
      o->min = static_cast<double>(L::lowest());
      o->tiny = static_cast<double>(L::min());
      o->resolution = std::pow(10.0, -std::floor(-std::log10(static_cast<double>(L::epsilon()))));
      o->bits = static_cast<int>(8 * sizeof(T));
    });
    return reinterpret_cast<PyObject*>(o);
  });
}
PyObject* iinfo_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"type", nullptr};
    PyObject* dtype;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:iinfo", const_cast<char**>(names), &dtype))
      return nullptr;
    at::ScalarType t = to_dtype(dtype);
    TORCH_CHECK_TYPE(
        at::isIntegralType(t),
        "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.",
        at::dtypeName(t), "'");
    auto* o = reinterpret_cast<THPInfo*>(check(type->tp_alloc(type, 0)));
    o->dtype = t;
    at::dispatch_types<at::IntegralTypes, at::UnsignedTypes>(t, "iinfo",
                                                             [&]<typename T>(at::TypeTag<T>) {
      o->imin = static_cast<int64_t>(std::numeric_limits<T>::min());
      o->imax = static_cast<uint64_t>(std::numeric_limits<T>::max());
      o->bits = static_cast<int>(8 * sizeof(T));
    });
    return reinterpret_cast<PyObject*>(o);
  });
}

template <double THPInfo::* Member>
PyObject* get_double(PyObject* o, void*) {
  return PyFloat_FromDouble(info(o)->*Member);
}
PyObject* get_bits(PyObject* o, void*) { return PyLong_FromLong(info(o)->bits); }
PyObject* get_dtype(PyObject* o, void*) {
  return PyUnicode_FromString(at::dtypeName(at::toRealValueType(info(o)->dtype)));
}
PyObject* get_imin(PyObject* o, void*) { return PyLong_FromLongLong(info(o)->imin); }
PyObject* get_imax(PyObject* o, void*) { return PyLong_FromUnsignedLongLong(info(o)->imax); }

PyObject* finfo_repr(PyObject* o) {
  char text[200];
  THPInfo* i = info(o);
  snprintf(text, sizeof text,
           "finfo(resolution=%g, min=%g, max=%g, eps=%g, smallest_normal=%g, tiny=%g, dtype=%s)",
           i->resolution, i->min, i->max, i->eps, i->tiny, i->tiny,
           at::dtypeName(at::toRealValueType(i->dtype)));
  return PyUnicode_FromString(text);
}
PyObject* iinfo_repr(PyObject* o) {
  return PyUnicode_FromFormat(
      "iinfo(min=%lld, max=%llu, dtype=%s)", static_cast<long long>(info(o)->imin),
      static_cast<unsigned long long>(info(o)->imax), at::dtypeName(info(o)->dtype));
}
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((info(a)->dtype == info(b)->dtype) == (op == Py_EQ));
}
Py_hash_t hash(PyObject* o) { return static_cast<Py_hash_t>(info(o)->dtype); }

PyGetSetDef finfo_properties[] = {
    {"eps", get_double<&THPInfo::eps>, nullptr, docs::finfo_eps, nullptr},
    {"max", get_double<&THPInfo::max>, nullptr, docs::finfo_max, nullptr},
    {"min", get_double<&THPInfo::min>, nullptr, docs::finfo_min, nullptr},
    {"tiny", get_double<&THPInfo::tiny>, nullptr, docs::finfo_tiny, nullptr},
    {"smallest_normal", get_double<&THPInfo::tiny>, nullptr, docs::finfo_smallest_normal, nullptr},
    {"resolution", get_double<&THPInfo::resolution>, nullptr, docs::finfo_resolution, nullptr},
    {"bits", get_bits, nullptr, docs::finfo_bits, nullptr},
    {"dtype", get_dtype, nullptr, docs::finfo_dtype, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyGetSetDef iinfo_properties[] = {{"min", get_imin, nullptr, docs::iinfo_min, nullptr},
                                  {"max", get_imax, nullptr, docs::iinfo_max, nullptr},
                                  {"bits", get_bits, nullptr, docs::iinfo_bits, nullptr},
                                  {"dtype", get_dtype, nullptr, docs::iinfo_dtype, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};

bool add_info_type(PyObject* module, PyTypeObject& t, const char* name, newfunc make, reprfunc repr,
                   PyGetSetDef* properties, const char* doc) {
  t = type_object<THPInfo>(name, doc);
  t.tp_new = make;
  t.tp_repr = repr;
  t.tp_richcompare = compare;
  t.tp_hash = hash;
  t.tp_getset = properties;
  return add_type(module, t);
}

}  // namespace

bool init_type_info(PyObject* module) {
  return add_info_type(module, FinfoType, "torch.finfo", finfo_new, finfo_repr, finfo_properties,
                       docs::finfo) &&
         add_info_type(module, IinfoType, "torch.iinfo", iinfo_new, iinfo_repr, iinfo_properties,
                       docs::iinfo);
}

}  // namespace torch
