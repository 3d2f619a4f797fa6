#pragma once
// THPObjectPtr: owns a reference to a Python object, and lets go of it at the end of the scope.
//
//   THPObjectPtr list(PyList_New(0));
//   if (!list) throw python_error();
//   ...
//   return list.release();
//
// The GIL must be held wherever one is destroyed.

#include <utility>

#include <torch/csrc/python_headers.h>

namespace torch {

template <typename T>
class THPPointer {
 public:
  THPPointer() = default;
  // Takes over a new reference; null is allowed.
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

  // One more reference to an object that somebody else owns.
  static THPPointer borrow(T* object) noexcept {
    Py_XINCREF(reinterpret_cast<PyObject*>(object));
    return THPPointer(object);
  }

  T* get() const noexcept { return ptr_; }
  T* operator->() const noexcept { return ptr_; }
  explicit operator bool() const noexcept { return ptr_ != nullptr; }
  // Gives the reference to the caller.
  [[nodiscard]] T* release() noexcept { return std::exchange(ptr_, nullptr); }

 private:
  T* ptr_ = nullptr;
};

using THPObjectPtr = THPPointer<PyObject>;

}  // namespace torch
