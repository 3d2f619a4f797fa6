// torch.layout and torch.memory_format.

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

namespace torch {

static PyObject* g_layouts[8];
static PyObject* g_formats[4];

static PyObject* layout_repr(PyObject* o) {
  return PyUnicode_FromFormat("torch.%s", at::toString(reinterpret_cast<THPLayout*>(o)->value));
}
static PyObject* layout_reduce(PyObject* o, PyObject*) {
  return PyUnicode_FromString(at::toString(reinterpret_cast<THPLayout*>(o)->value));
}
static PyObject* format_repr(PyObject* o) {
  return PyUnicode_FromFormat("torch.%s",
                              at::toString(reinterpret_cast<THPMemoryFormat*>(o)->value));
}
static PyObject* format_reduce(PyObject* o, PyObject*) {
  return PyUnicode_FromString(at::toString(reinterpret_cast<THPMemoryFormat*>(o)->value));
}
static PyMethodDef layout_methods[] = {{"__reduce__", layout_reduce, METH_NOARGS, nullptr},
                                       {nullptr, nullptr, 0, nullptr}};
static PyMethodDef format_methods[] = {{"__reduce__", format_reduce, METH_NOARGS, nullptr},
                                       {nullptr, nullptr, 0, nullptr}};

static PyTypeObject make_type(const char* name, size_t size, reprfunc repr, PyMethodDef* methods,
                              const char* doc) {
  PyTypeObject t = type_object(name, size, doc);
  t.tp_repr = repr;
  t.tp_methods = methods;
  return t;
}
PyTypeObject THPLayoutType =
    make_type("torch.layout", sizeof(THPLayout), layout_repr, layout_methods, docs::layout);
PyTypeObject THPMemoryFormatType = make_type("torch.memory_format", sizeof(THPMemoryFormat),
                                             format_repr, format_methods, docs::memory_format);

PyObject* wrap_layout(at::Layout l) {
  PyObject* o = g_layouts[static_cast<int>(l)];
  Py_INCREF(o);
  return o;
}
PyObject* wrap_memory_format(at::MemoryFormat f) {
  PyObject* o = g_formats[static_cast<int>(f)];
  Py_INCREF(o);
  return o;
}

template <typename Object, typename Value>
static bool add_values(PyObject* module, PyTypeObject* type, PyObject** values, int n) {
  if (!add_type(module, *type)) return false;
  for (int i = 0; i < n; ++i) {
    Object* o = PyObject_New(Object, type);
    if (!o) return false;
    o->value = static_cast<Value>(i);
    values[i] = reinterpret_cast<PyObject*>(o);
    if (PyModule_AddObjectRef(module, at::toString(o->value), values[i]) < 0) return false;
  }
  return true;
}

bool init_layout(PyObject* module) {
  return add_values<THPLayout, at::Layout>(module, &THPLayoutType, g_layouts, 8) &&
         add_values<THPMemoryFormat, at::MemoryFormat>(module, &THPMemoryFormatType, g_formats, 4);
}

}  // namespace torch
