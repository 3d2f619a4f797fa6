#pragma once
// Between vectors of integers on the host and tensors of any device. What is computed from such
// values (offsets, lengths, sizes) is computed on the host, whatever the device.

#include <vector>

#include <ATen/core/Tensor.h>

namespace at::native {

// A new vector of these numbers.
Tensor int64_tensor(ArrayRef<int64_t> values, Device device = kCPU);
// The elements of an int64 tensor, in the order of its indices.
std::vector<int64_t> int64_values(const Tensor& t);

// Whether there are elements whose values can be looked at: a meta tensor has none.
inline bool has_values(const Tensor& t) { return t.numel() != 0 && !t.is_meta(); }
// The number in a 0-dimensional tensor that is to be written somewhere; 0 for a meta tensor.
Scalar number_in(const Tensor& value, const char* op);

// The tensor, or a copy of it where it is on another device.
Tensor on_device(const Tensor& t, Device device);

}  // namespace at::native
