#pragma once
// The loops of gather and scatter. Callers must check shapes; the loops check indices.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class ScatterReduce : uint8_t { assign, sum, prod, amax, amin };
// out[i, j] = self[index[i, j], j] for dim 0, and so on. index: long.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& self, int64_t dim, const Tensor& index),
                 gather_stub);
// self[index[i, j], j] = src[i, j]; src has at least index's shape, or is one element. Writes along
// dim keep their order.
DECLARE_DISPATCH(void (*)(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                          ScatterReduce reduce),
                 scatter_stub);

// Whether all elements of a slice across `dim` have the same index, as an index vector that was
// expanded has.
inline bool has_one_index_per_slice(const Tensor& index, int64_t dim) {
  bool same = index.dim() > 1;
  for (int64_t d = 0; same && d < index.dim(); ++d)
    same = d == dim || index.sizes()[d] == 1 || index.strides()[d] == 0;
  return same;
}

// Whether index is as large as self in all dimensions but `dim`.
inline bool covers_slices(const Tensor& index, const Tensor& self, int64_t dim) {
  bool same = true;
  for (int64_t d = 0; same && d < self.dim(); ++d)
    same = d == dim || index.sizes()[d] == self.sizes()[d];
  return same;
}

}  // namespace at::native
