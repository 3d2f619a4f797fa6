#pragma once
// The parts of torch._C._distributed_c10d, and what they share.

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
// After the casters of tensors.
#include <pybind11/chrono.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace c10d {

namespace py = pybind11;
using ReleaseGil = py::call_guard<torch::gil_scoped_release>;

void bind_stores(py::module_& module);
void bind_options(py::module_& module);
void bind_work(py::module_& module);
void bind_backends(py::module_& module);
void bind_reducer(py::module_& module);
void bind_interrupts();

// The Python exception for a C++ one.
py::object to_python(const std::exception_ptr& error);

// A destructor that may wait for threads that run Python must not hold the lock.
template <typename T>
void delete_without_gil(T* object) {
  if (PyGILState_Check()) {
    torch::gil_scoped_release release;
    delete object;
  } else {
    delete object;
  }
}

}  // namespace c10d
