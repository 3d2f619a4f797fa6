#pragma once
// The device of a tensor, for guards that make it the current one:
//
//   const at::OptionalDeviceGuard guard(device_of(x));

#ifndef TORCH_TENSOR_METHODS
#define TORCH_TENSOR_METHODS
#endif

#include <optional>

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace at {

using c10::DeviceGuard;
using c10::OptionalDeviceGuard;

// None if the tensor is undefined.
inline std::optional<Device> device_of(const Tensor& t) {
  if (!t.defined()) return std::nullopt;
  return t.device();
}
inline std::optional<Device> device_of(const std::optional<Tensor>& t) {
  return t ? device_of(*t) : std::nullopt;
}
// That of the first one.
inline std::optional<Device> device_of(ArrayRef<Tensor> tensors) {
  return tensors.empty() ? std::nullopt : device_of(tensors.front());
}

}  // namespace at
