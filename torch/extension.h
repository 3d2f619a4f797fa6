#pragma once
// What a Python extension includes: torch/torch.h and pybind11, with conversions between Tensor and
// its Python object.

#include <torch/torch.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>

namespace py = pybind11;
using torch::THPVariable_Check;
using torch::THPVariable_Unpack;
using torch::THPVariable_Wrap;

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

}  // namespace pybind11::detail
