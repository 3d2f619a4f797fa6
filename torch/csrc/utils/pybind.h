#pragma once
// How pybind11 passes tensors, and the values that describe them, between Python and C++; and the
// Python exceptions that C++ errors become.

#include <vector>

#include <pybind11/pybind11.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>

namespace pybind11::detail {

template <>
struct type_caster<at::Tensor> {
  PYBIND11_TYPE_CASTER(at::Tensor, const_name("torch.Tensor"));

  bool load(handle source, bool /*convert*/) {
    if (!torch::THPVariable_Check(source.ptr())) return false;
    value = torch::THPVariable_Unpack(source.ptr());
    return true;
  }
  static handle cast(const at::Tensor& tensor, return_value_policy, handle) {
    return torch::THPVariable_Wrap(tensor);
  }
};

// Casters of values that have a Python type.
#define TORCH_PYBIND_VALUE(cpp, text, Object, check, wrap)                                   \
  template <>                                                                                \
  struct type_caster<cpp> {                                                                  \
    PYBIND11_TYPE_CASTER(cpp, const_name(text));                                             \
    bool load(handle source, bool) {                                                         \
      if (!torch::check(source.ptr())) return false;                                         \
      value = reinterpret_cast<torch::Object*>(source.ptr())->value;                         \
      return true;                                                                           \
    }                                                                                        \
    static handle cast(const cpp& v, return_value_policy, handle) { return torch::wrap(v); } \
  };
TORCH_PYBIND_VALUE(at::ScalarType, "torch.dtype", THPDtype, THPDtype_Check, wrap_dtype)
TORCH_PYBIND_VALUE(at::Layout, "torch.layout", THPLayout, THPLayout_Check, wrap_layout)
TORCH_PYBIND_VALUE(at::MemoryFormat, "torch.memory_format", THPMemoryFormat, THPMemoryFormat_Check,
                   wrap_memory_format)
TORCH_PYBIND_VALUE(at::Generator, "torch.Generator", THPGenerator, THPGenerator_Check,
                   wrap_generator)
TORCH_PYBIND_VALUE(at::Storage, "torch.UntypedStorage", THPStorage, THPStorage_Check, wrap_storage)
#undef TORCH_PYBIND_VALUE

template <>
struct type_caster<at::Device> {
  // No PYBIND11_TYPE_CASTER: a Device has no default value.
  static constexpr auto name = const_name("torch.device");
  template <typename T>
  using cast_op_type = movable_cast_op_type<T>;
  operator at::Device*() { return &value; }
  operator at::Device&() { return value; }
  operator at::Device&&() && { return std::move(value); }

  bool load(handle source, bool) {
    if (!torch::THPDevice_Check(source.ptr())) return false;
    value = reinterpret_cast<torch::THPDevice*>(source.ptr())->value;
    return true;
  }
  static handle cast(const at::Device& v, return_value_policy, handle) {
    return torch::wrap_device(v);
  }

  at::Device value{at::kCPU};
};

template <>
struct type_caster<at::Scalar> {
  PYBIND11_TYPE_CASTER(at::Scalar, const_name("Number"));
  bool load(handle source, bool) {
    if (!torch::is_number(source.ptr())) return false;
    value = torch::to_scalar(source.ptr());
    return true;
  }
  static handle cast(const at::Scalar& v, return_value_policy, handle) {
    return torch::wrap_scalar(v);
  }
};

// A tuple or list of integers. The caster holds them while the call lasts.
template <>
struct type_caster<at::IntArrayRef> {
  PYBIND11_TYPE_CASTER(at::IntArrayRef, const_name("Tuple[int, ...]"));
  bool load(handle source, bool) {
    PyObject* o = source.ptr();
    if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
    Py_ssize_t n = PySequence_Size(o);
    held.clear();
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* one = PyTuple_Check(o) ? PyTuple_GET_ITEM(o, i) : PyList_GET_ITEM(o, i);
      if (!PyIndex_Check(one)) return false;
      held.push_back(torch::to_int64(one));
    }
    value = held;
    return true;
  }
  static handle cast(at::IntArrayRef v, return_value_policy, handle) {
    return torch::wrap_int_tuple(v);
  }

 private:
  std::vector<int64_t> held;
};

}  // namespace pybind11::detail

namespace torch {
// Gives f: errors become Python's in all functions of an extension, see below.
template <typename F>
F&& wrap_pybind_function(F&& f) {
  return static_cast<F&&>(f);
}
}  // namespace torch

namespace torch::detail {

// IndexError for c10::IndexError and so on, in the functions of the module that this header is
// part of. Its own and not for all modules: others may have other ideas of c10::Error.
inline void register_error_translator() {
  if (!Py_IsInitialized()) return;
  gil_scoped_acquire gil;
  pybind11::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const c10::Error&) {
      translate_exception();
    } catch (const python_error&) {
      translate_exception();
    }
  });
}
namespace {
[[maybe_unused]] const bool error_translator_registered = (register_error_translator(), true);
}

}  // namespace torch::detail
