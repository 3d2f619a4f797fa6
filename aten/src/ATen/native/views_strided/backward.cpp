// Derivatives of views by strides.

#include <ATen/native/views_strided/backward.h>

#include <ATen/ops/permute.h>
#include <ATen/ops/slice_backward.h>
#include <torch/csrc/autograd/functions/view_functions.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor as_strided_grad(const Tensor& grad, IntArrayRef self_sizes, IntArrayRef self_strides,
                       int64_t self_offset, IntArrayRef size, IntArrayRef stride,
                       std::optional<int64_t> storage_offset) {
  return as_strided_backward(grad, Geometry(self_sizes, self_strides, self_offset),
                             Geometry(size, stride, storage_offset.value_or(self_offset)));
}

Tensor permute_backward(const Tensor& grad, IntArrayRef dims) {
  int64_t rank = static_cast<int64_t>(dims.size());
  DimVector inverse(rank);
  for (int64_t d = 0; d < rank; ++d) inverse[at::maybe_wrap_dim(dims[d], rank)] = d;
  return at::permute(grad, inverse);
}

Tensor slice_grad(const Tensor& grad, IntArrayRef sizes, int64_t dim, std::optional<int64_t> start,
                  std::optional<int64_t> end, int64_t step) {
  return at::slice_backward(grad, sizes, dim, start.value_or(0), end.value_or(INT64_MAX), step);
}

}  // namespace torch::autograd::generated
