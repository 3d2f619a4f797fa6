#pragma once
// Refuses tensors of several devices, whose memory a kernel cannot reach.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

// `first` is a tensor of the same call.
inline void check_device_of(const char* op, const Tensor& t, const Tensor& first) {
  TORCH_CHECK(t.device() == first.device(), op,
              ": Expected all tensors to be on the same device, but found at least two devices, ",
              first.device(), " and ", t.device(), "!");
}

// Undefined tensors are on no device.
inline void check_same_device(const char* op, std::initializer_list<const Tensor*> tensors) {
  const Tensor* first = nullptr;
  for (const Tensor* t : tensors) {
    if (!t->defined()) continue;
    if (first == nullptr) first = t;
    check_device_of(op, *t, *first);
  }
}

}  // namespace at::native
