// The sum of products of three tensors.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_trilinear_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

// Inserts dimensions of size 1 at these places of the result, in ascending order.
static Tensor with_dims(Tensor t, IntArrayRef places, int64_t total) {
  TORCH_CHECK(t.dim() + static_cast<int64_t>(places.size()) == total,
              "_trilinear: all arguments must have ", total,
              " dimensions after their expansion, got ",
              t.dim() + static_cast<int64_t>(places.size()));
  for (int64_t d = 0; d < total; ++d) {
    for (int64_t place : places) {
      if (maybe_wrap_dim(place, total, "_trilinear") == d) t = at::unsqueeze(t, d);
    }
  }
  return t;
}

Tensor _trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, IntArrayRef expand1,
                  IntArrayRef expand2, IntArrayRef expand3, IntArrayRef sumdim,
                  int64_t unroll_dim) {
  const int64_t total = i1.dim() + static_cast<int64_t>(expand1.size());
  TORCH_CHECK(unroll_dim >= 0 && unroll_dim < total, "_trilinear: unroll_dim must be in [0, ",
              total - 1, "], got ", unroll_dim);
  Tensor product =
      with_dims(i1, expand1, total) * with_dims(i2, expand2, total) * with_dims(i3, expand3, total);
  return sumdim.empty() ? product : at::sum(product, sumdim);
}

}  // namespace at::native
