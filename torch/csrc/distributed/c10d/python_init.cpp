// Builds torch._C._distributed_c10d: stores, options, works and backends. It is imported when
// torch.distributed first needs it.

#include <torch/csrc/distributed/c10d/Error.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>

namespace c10d {
namespace {

// The classes of torch.distributed that errors become.
void set_error(const char* name, const c10::Error& e) {
  py::object type = py::module_::import("torch.distributed").attr(name);
  const char* text = c10::get_cpp_stacktraces_enabled() ? e.what() : e.what_without_backtrace();
  py::set_error(type, text);
}

void translate(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const QueueEmptyError& e) {
    set_error("QueueEmptyError", e);
  } catch (const DistStoreError& e) {
    set_error("DistStoreError", e);
  } catch (const DistNetworkError& e) {
    set_error("DistNetworkError", e);
  } catch (const DistBackendError& e) {
    set_error("DistBackendError", e);
  } catch (const c10::Error&) {
    torch::translate_exception();
  } catch (const torch::python_error&) {
    torch::translate_exception();
  }
}

}  // namespace

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
}
