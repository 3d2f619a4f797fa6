// Builds torch._C._distributed_c10d: stores, options, works and backends. It is imported when
// torch.distributed first needs it.

#include <torch/csrc/distributed/c10d/python_errors.h>

namespace c10d {

py::object to_python(const std::exception_ptr& error) {
  if (!error) return py::none();
  try {
    try {
      translate(error);
    } catch (const std::exception& e) {
      py::set_error(PyExc_RuntimeError, e.what());
    }
    throw py::error_already_set();
  } catch (py::error_already_set& e) {
    return py::reinterpret_borrow<py::object>(e.value());
  }
}

}  // namespace c10d

PYBIND11_MODULE(_distributed_c10d, module) {
  module.doc() = "The C++ part of torch.distributed.";
  pybind11::register_local_exception_translator(c10d::translate);
  c10d::bind_stores(module);
  c10d::bind_options(module);
  c10d::bind_work(module);
  c10d::bind_backends(module);
  c10d::bind_reducer(module);
  c10d::bind_interrupts();
}
