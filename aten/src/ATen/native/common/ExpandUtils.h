#pragma once
// Broadcasting of shapes, and its reverse.

#include <ATen/core/Tensor.h>

namespace at {

// The shape that two shapes broadcast to; throws if they do not broadcast.
std::vector<int64_t> infer_size(IntArrayRef a, IntArrayRef b);
// Whether a tensor of `shape` can be expanded to `desired`.
inline bool is_expandable_to(IntArrayRef shape, IntArrayRef desired) {
  if (shape.size() > desired.size()) return false;
  size_t missing = desired.size() - shape.size();
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] != desired[k + missing] && shape[k] != 1) return false;
  }
  return true;
}

// Sums over the dimensions that broadcasting `shape` to the tensor's shape added or expanded.
Tensor sum_to(const Tensor& t, IntArrayRef shape);

}  // namespace at
