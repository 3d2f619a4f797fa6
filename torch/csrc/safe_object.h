#pragma once
// SafePyObject: a reference to a Python object that C++ code may drop on any thread, with or
// without the GIL, and after the interpreter has ended: hooks, functions, owners of memory.

#include <torch/csrc/gil.h>
#include <torch/csrc/object_ptr.h>

namespace torch {

class SafePyObject {
 public:
  explicit SafePyObject(THPObjectPtr object) noexcept : object_(std::move(object)) {}
  // One more reference to an object that somebody else owns. Needs the GIL.
  static SafePyObject borrow(PyObject* object) noexcept {
    return SafePyObject(THPObjectPtr::borrow(object));
  }
  ~SafePyObject() { reset(); }
  SafePyObject(SafePyObject&&) noexcept = default;
  SafePyObject(const SafePyObject&) = delete;
  SafePyObject& operator=(SafePyObject&& other) noexcept {
    reset();
    object_ = std::move(other.object_);
    return *this;
  }
  SafePyObject& operator=(const SafePyObject&) = delete;

  PyObject* get() const noexcept { return object_.get(); }
  // Gives the reference to the caller.
  [[nodiscard]] THPObjectPtr release() noexcept { return std::move(object_); }

  void reset() {
    if (!object_) return;
    if (!Py_IsInitialized()) {
      // The interpreter's memory is gone, and the object with it.
      (void)object_.release();
      return;
    }
    gil_scoped_acquire gil;
    object_.reset();
  }

 private:
  THPObjectPtr object_;
};

}  // namespace torch
