#pragma once
// Between C++ exceptions and Python's.

#include <torch/csrc/object_ptr.h>

#include <exception>
#include <type_traits>

namespace torch {

// A Python error that is already set, on its way through C++ code.
struct python_error : std::exception {
  python_error();
  python_error(const python_error& o);
  ~python_error() override;
  // Takes the error out of the interpreter, and puts it back. Both need the GIL.
  void persist();
  void restore();
  const char* what() const noexcept override { return "a Python error"; }

  THPObjectPtr type, value, traceback;
};

// Sets the Python error for the C++ exception being handled. Call it in a catch (...) block.
void translate_exception();

// torch.linalg.LinAlgError and torch.OutOfMemoryError.
extern PyObject* THPException_LinAlgError;
extern PyObject* THPException_OutOfMemoryError;
bool init_exceptions(PyObject* module);

// Runs f, which gives a new reference, with or without its owner; a C++ exception becomes a Python
// error and null.
template <typename F>
PyObject* guarded(F&& f) noexcept {
  try {
    if constexpr (std::is_same_v<std::invoke_result_t<F>, THPObjectPtr>) {
      return f().release();
    } else {
      return f();
    }
  } catch (...) {
    translate_exception();
    return nullptr;
  }
}

// The same for functions that give an int, -1 on error.
template <typename F>
int guarded_int(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    translate_exception();
    return -1;
  }
}

// Throws python_error when a C API call has failed.
template <typename T>
T* check(T* result) {
  if (!result) throw python_error();
  return result;
}
// The same for a new reference, with its owner.
inline THPObjectPtr own(PyObject* result) { return THPObjectPtr(check(result)); }

}  // namespace torch
