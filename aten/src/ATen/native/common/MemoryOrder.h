#pragma once
// The order in which a tensor's dimensions are laid out in memory.
//
// A kernel that computes the same on permuted tensors permutes its arguments to this order first,
// and then treats transposed and channels-last tensors as the contiguous ones that they are in
// memory.

#include <algorithm>
#include <numeric>

#include <ATen/core/Tensor.h>

namespace at::native {

// The dimensions from the outermost in memory to the innermost. Permuted this way, a dense tensor
// is contiguous.
inline DimVector memory_order(const Tensor& t) {
  DimVector order(t.dim());
  std::iota(order.begin(), order.end(), 0);
  IntArrayRef strides = t.strides(), sizes = t.sizes();
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[a] != strides[b] ? strides[a] > strides[b] : sizes[a] > sizes[b];
  });
  return order;
}

// Where each dimension is in this order.
inline DimVector positions(IntArrayRef order) {
  DimVector found(order.size());
  for (size_t i = 0; i < order.size(); ++i) found[order[i]] = static_cast<int64_t>(i);
  return found;
}

// Whether both are dense and lay out their elements alike, but not in the order of their
// dimensions.
inline bool permuted_alike(const Tensor& a, const Tensor& b) {
  return !a.is_contiguous() && a.strides() == b.strides() && a.is_non_overlapping_and_dense();
}

}  // namespace at::native
