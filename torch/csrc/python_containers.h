#pragma once
// Makes and fills tuples and lists. All functions throw python_error when the C API has set an
// error, and free what they have made so far.

#include <torch/csrc/Exceptions.h>

namespace torch {

// A tuple of n items: item(i) gives a new reference for each.
template <typename F>
THPObjectPtr make_tuple(size_t n, F&& item) {
  THPObjectPtr tuple = own(PyTuple_New(static_cast<Py_ssize_t>(n)));
  for (size_t i = 0; i < n; ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), check(item(i)));
  return tuple;
}

// A list of n items, likewise.
template <typename F>
THPObjectPtr make_list(size_t n, F&& item) {
  THPObjectPtr list = own(PyList_New(static_cast<Py_ssize_t>(n)));
  for (size_t i = 0; i < n; ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), check(item(i)));
  return list;
}

// Appends a new reference, null where making it failed.
inline void append(const THPObjectPtr& list, PyObject* item) {
  THPObjectPtr owned = own(item);
  if (PyList_Append(list.get(), owned.get()) < 0) throw python_error();
}

}  // namespace torch
