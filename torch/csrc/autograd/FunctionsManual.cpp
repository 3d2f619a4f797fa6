// Functions that the derivative formulas of several families call.

#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {

Tensor zeros_like_grad(const Tensor& grad) { return at::zeros_like(grad); }

Tensor no_derivative(const char* op) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "the derivative for '", op, "' is not implemented.");
  __builtin_unreachable();
}

Tensor maybe_multiply(const Tensor& grad, const at::Scalar& scale) {
  return scale.equal(1) ? grad : grad * scale;
}

Tensor times_conj(const Tensor& grad, const Tensor& factor) {
  return at::mul(grad, conj_of(factor));
}

Tensor conj_of(const Tensor& t) { return t.is_complex() ? at::conj(t) : t; }

Tensor restore_dims(const Tensor& t, int64_t rank, at::OptionalIntArrayRef dim, bool keepdim) {
  if (keepdim || rank == 0) return t;
  uint64_t mask = at::native::reduce_mask(dim, rank, "backward");
  c10::DimVector sizes;
  for (int64_t d = 0, k = 0; d < rank; ++d) sizes.push_back(mask >> d & 1 ? 1 : t.sizes()[k++]);
  return at::reshape(t, sizes);
}

int64_t count_reduced(at::IntArrayRef sizes, at::OptionalIntArrayRef dim) {
  uint64_t mask = at::native::reduce_mask(dim, static_cast<int64_t>(sizes.size()), "backward");
  int64_t n = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (mask >> d & 1) n *= sizes[d];
  }
  return n;
}

}  // namespace torch::autograd::generated
