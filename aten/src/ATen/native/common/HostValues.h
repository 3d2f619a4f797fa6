#pragma once
// Copies between vectors of integers on the host and tensors of any device. Sizes, lengths and
// offsets are computed on the host, whatever the device.

#include <vector>

#include <ATen/core/Tensor.h>

namespace at::native {

// A new vector with these values.
Tensor int64_tensor(ArrayRef<int64_t> values, Device device = kCPU);
// The elements of an int64 tensor, in the order of its indices.
std::vector<int64_t> int64_values(const Tensor& t);

// Whether the elements' values can be read: a meta tensor has none.
inline bool has_values(const Tensor& t) { return t.numel() != 0 && !t.is_meta(); }
// The value of a 0-dimensional tensor, as a number to store elsewhere; 0 for a meta tensor.
Scalar number_in(const Tensor& value, const char* op);

// The tensor, or a copy of it if it is on another device.
Tensor on_device(const Tensor& t, Device device);

}  // namespace at::native
