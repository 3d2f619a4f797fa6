// torch.Size: a tuple of ints that knows its product.

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

namespace torch {

static PyObject* fill(THPObjectPtr tuple, at::IntArrayRef values) {
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                     check(PyLong_FromLongLong(values[i])));
  }
  return tuple.release();
}

PyObject* wrap_size(at::IntArrayRef sizes) {
  return fill(own(THPSizeType.tp_alloc(&THPSizeType, static_cast<Py_ssize_t>(sizes.size()))),
              sizes);
}
PyObject* wrap_int_tuple(at::IntArrayRef values) {
  return fill(own(PyTuple_New(static_cast<Py_ssize_t>(values.size()))), values);
}

static PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    THPObjectPtr self = own(PyTuple_Type.tp_new(type, args, kwargs));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
      PyObject* item = PyTuple_GET_ITEM(self.get(), i);
      if (PyLong_Check(item) || is_symbolic_number(item)) continue;
      PyObject* index = PyNumber_Index(item);
      if (!index) {
        PyErr_Format(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')",
                     i, Py_TYPE(item)->tp_name);
        throw python_error();
      }
      PyTuple_SET_ITEM(self.get(), i, index);
      THPObjectPtr replaced(item);
    }
    return self;
  });
}

static PyObject* size_repr(PyObject* self) {
  THPObjectPtr list(PySequence_List(self));
  THPObjectPtr text(list ? PyObject_Repr(list.get()) : nullptr);
  return text ? PyUnicode_FromFormat("torch.Size(%U)", text.get()) : nullptr;
}

// The product of sizes of which some record.
static PyObject* symbolic_numel(PyObject* self) {
  THPObjectPtr product(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i)
    product.reset(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
  return product.release();
}

static PyObject* size_numel(PyObject* self, PyObject*) {
  int64_t n = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    if (is_symbolic_number(PyTuple_GET_ITEM(self, i))) return symbolic_numel(self);
    int64_t d = PyLong_AsLongLong(PyTuple_GET_ITEM(self, i));
    if (d == -1 && PyErr_Occurred()) return nullptr;
    if (__builtin_mul_overflow(n, d, &n)) {
      PyErr_SetString(PyExc_OverflowError, "torch.Size.numel(): the product does not fit 64 bits");
      return nullptr;
    }
  }
  return PyLong_FromLongLong(n);
}

static PyObject* size_reduce(PyObject* self, PyObject*) {
  THPObjectPtr list(PySequence_List(self));
  THPObjectPtr plain(list ? PyList_AsTuple(list.get()) : nullptr);
  return plain ? Py_BuildValue("(O(O))", as_object(THPSizeType), plain.get()) : nullptr;
}

// What tuples give back stays a Size: slices, sums, products.
static PyObject* as_size(PyObject* tuple) {
  if (!tuple || Py_TYPE(tuple) == &THPSizeType || !PyTuple_Check(tuple)) return tuple;
  THPObjectPtr plain(tuple);
  Py_ssize_t n = PyTuple_GET_SIZE(tuple);
  PyObject* r = THPSizeType.tp_alloc(&THPSizeType, n);
  for (Py_ssize_t i = 0; r && i < n; ++i)
    PyTuple_SET_ITEM(r, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  return r;
}
static PyObject* size_concat(PyObject* a, PyObject* b) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
static PyObject* size_repeat(PyObject* a, Py_ssize_t n) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(a, n));
}
static PyObject* size_subscript(PyObject* a, PyObject* i) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(a, i));
}
static PyObject* size_radd(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return size_concat(a, b);
}

static PySequenceMethods size_sequence;
static PyMappingMethods size_mapping;
static PyNumberMethods size_number;
static PyMethodDef size_methods[] = {{"numel", size_numel, METH_NOARGS, docs::Size_numel},
                                     {"__reduce__", size_reduce, METH_NOARGS, nullptr},
                                     {nullptr, nullptr, 0, nullptr}};

PyTypeObject THPSizeType = [] {
  PyTypeObject t = type_object("torch.Size", 0, docs::Size);
  t.tp_new = size_new;
  t.tp_repr = size_repr;
  t.tp_methods = size_methods;
  return t;
}();

bool init_size(PyObject* module) {
  THPSizeType.tp_base = &PyTuple_Type;
  size_sequence = *PyTuple_Type.tp_as_sequence;
  size_sequence.sq_concat = size_concat;
  size_sequence.sq_repeat = size_repeat;
  size_mapping = *PyTuple_Type.tp_as_mapping;
  size_mapping.mp_subscript = size_subscript;
  size_number.nb_add = size_radd;
  THPSizeType.tp_as_sequence = &size_sequence;
  THPSizeType.tp_as_mapping = &size_mapping;
  THPSizeType.tp_as_number = &size_number;
  return add_type(module, THPSizeType);
}

}  // namespace torch
