#pragma once
// THPObjectPtr: owns a reference to a Python object, and drops it at the end of the scope.
//
//   THPObjectPtr list(PyList_New(0));
//   if (!list) throw python_error();  // own(PyList_New(0)) of Exceptions.h does both
//   ...
//   return list.release();
//
// The GIL must be held wherever one is destroyed; SafePyObject (safe_object.h) takes it itself. One
// is as large as a pointer, so that Python's T_OBJECT members may be declared with it.

#include <utility>

#include <torch/csrc/python_headers.h>

namespace torch {

template <typename T>
class THPPointer {
 public:
  THPPointer() = default;
  // Takes over a reference; null is allowed.
  explicit THPPointer(T* owned) noexcept : ptr_(owned) {}
  ~THPPointer() { Py_XDECREF(reinterpret_cast<PyObject*>(ptr_)); }
  THPPointer(const THPPointer&) = delete;
  THPPointer& operator=(const THPPointer&) = delete;
  THPPointer(THPPointer&& o) noexcept : ptr_(std::exchange(o.ptr_, nullptr)) {}
  THPPointer& operator=(THPPointer&& o) noexcept {
    // The old object goes last: its destructor may run code that sees this one.
    T* before = std::exchange(ptr_, std::exchange(o.ptr_, nullptr));
    Py_XDECREF(reinterpret_cast<PyObject*>(before));
    return *this;
  }

  // Adds a reference to an object that somebody else owns; null is allowed.
  static THPPointer borrow(T* object) noexcept {
    Py_XINCREF(reinterpret_cast<PyObject*>(object));
    return THPPointer(object);
  }

  T* get() const noexcept { return ptr_; }
  T* operator->() const noexcept { return ptr_; }
  explicit operator bool() const noexcept { return ptr_ != nullptr; }
  // Drops the object, which may run Python code, and holds another one.
  void reset(T* owned = nullptr) noexcept { *this = THPPointer(owned); }
  // Gives the reference to the caller.
  [[nodiscard]] T* release() noexcept { return std::exchange(ptr_, nullptr); }

 private:
  T* ptr_ = nullptr;
};

using THPObjectPtr = THPPointer<PyObject>;

}  // namespace torch
