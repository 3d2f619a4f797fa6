#pragma once
// Copies between vectors of integers on the host and tensors of any device. Sizes, lengths and
// offsets are computed on the host, whatever the device.

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/copy__native.h>

namespace at::native {

// A new vector with these values.
Tensor int64_tensor(ArrayRef<int64_t> values, Device device = kCPU);
// The elements of an int64 tensor, in the order of its indices.
std::vector<int64_t> int64_values(const Tensor& t);

// Whether the elements' values can be read: a meta tensor has none.
inline bool has_values(const Tensor& t) {
  return t.numel() != 0 && !t.is_meta() && !t.key_set().has(c10::Functionality::FuncTorchBatched);
}
// The value of a 0-dimensional tensor, as a number to store elsewhere; 0 for a meta tensor.
Scalar number_in(const Tensor& value, const char* op);

// The tensor, or a copy of it if it is on another device.
Tensor on_device(const Tensor& t, Device device);

// Runs a stub that fills `out` from its other arguments. Where the device of `out` has no kernel
// for it, the CPU fills a tensor that is copied there.
template <typename Stub, typename... A>
void fill_with(const Stub& stub, const Tensor& out, const A&... arguments) {
  const DeviceType device = out.device().type();
  if (C10_LIKELY(Stub::has_kernel(device))) return stub(device, out, arguments...);
  Tensor host = empty_tensor(out.sizes(), out.scalar_type()), to = out;
  stub(kCPU, host, arguments...);
  copy_(to, host, false);
}

}  // namespace at::native
