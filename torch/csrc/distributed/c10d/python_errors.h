#pragma once
// The Python exceptions of the errors of torch.distributed. Each extension module registers it.

#include <torch/csrc/distributed/c10d/Error.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>

namespace c10d {

// The classes of torch.distributed that errors become.
inline void set_error(const char* name, const c10::Error& e) {
  py::object type = py::module_::import("torch.distributed").attr(name);
  const char* text = c10::get_cpp_stacktraces_enabled() ? e.what() : e.what_without_backtrace();
  py::set_error(type, text);
}

inline void translate(std::exception_ptr error) {
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

}  // namespace c10d
