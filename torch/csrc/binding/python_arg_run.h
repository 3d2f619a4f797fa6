#pragma once
// f(2, 3) for f([2, 3]): the slot of the list holds the address of this run of arguments, with its
// lowest bit set, where it would hold a list. No tuple is made.

#include <Python.h>

#include <cstdint>

namespace torch {

struct ArgRun {
  PyObject* const* items = nullptr;
  Py_ssize_t count = 0;
};

inline PyObject* slot_of(const ArgRun* run) {
  return reinterpret_cast<PyObject*>(reinterpret_cast<uintptr_t>(run) | 1);
}
// Null if the slot holds an object.
inline const ArgRun* run_of(PyObject* slot) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(slot);
  return bits & 1 ? reinterpret_cast<const ArgRun*>(bits - 1) : nullptr;
}

}  // namespace torch
