// Looks up rows of a table by index.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/embedding/embedding.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_unique2.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/embedding_backward_native.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/embedding_dense_backward_native.h>
#include <ATen/ops/embedding_native.h>
#include <ATen/ops/embedding_renorm_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

// As one contiguous int64 vector.
Tensor flat_indices(const Tensor& indices, const char* op) {
  ScalarType type = indices.scalar_type();
  TORCH_CHECK(type == kLong || type == kInt,
              "Expected tensor for argument #1 'indices' to have one of the following scalar "
              "types: Long, Int; but got ",
              toString(type), " instead (while checking arguments for ", op, ")");
  Tensor flat = indices.dim() == 1 ? indices : at::reshape(indices, {-1});
  return type == kLong ? flat : at::_to_copy(flat, kLong);
}

}  // namespace

// The last three arguments are used only by the derivative.
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
                 bool /*scale_grad_by_freq*/, bool /*sparse*/) {
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  Tensor flat = flat_indices(indices, "embedding");
  Tensor rows = at::index_select(weight, 0, flat);
  if (indices.dim() == 1) return rows;
  DimVector shape(indices.sizes());
  shape.push_back(weight.sizes()[1]);
  return at::reshape(rows, shape);
}

Tensor embedding_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights,
                          int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !sparse, "embedding_backward: sparse gradients are not implemented; use sparse=False");
  return at::embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq);
}

Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq) {
  TORCH_CHECK(grad_output.dim() >= 1, "embedding_dense_backward: grad_output has no dimensions");
  TORCH_CHECK(num_weights >= 0, "embedding_dense_backward: num_weights must not be negative, got ",
              num_weights);
  Tensor flat = flat_indices(indices, "embedding_backward");
  const int64_t width = grad_output.sizes().back();
  TORCH_CHECK(grad_output.numel() == flat.numel() * width,
              "embedding_dense_backward: grad_output has shape ", grad_output.sizes(),
              ", indices have shape ", indices.sizes());
  check_same_device("embedding_dense_backward", {&grad_output, &flat});
  Tensor grad = at::reshape(grad_output, {flat.numel(), width});
  Tensor result = at::zeros({num_weights, width}, grad_output.options());
  if (scale_grad_by_freq && flat.numel() > 0) {
    Tensor counts = at::zeros({num_weights}, flat.options());
    at::_ops::index_add_::call(counts, 0, flat, at::ones_like(flat), 1);
    const Tensor times = at::unsqueeze(at::index_select(counts, 0, flat), 1);
    // Integers are multiplied by 1 / times, rounded towards zero. As a bool that is true: bools
    // stay.
    if (isIntegralType(grad.scalar_type(), false)) grad = grad * at::eq(times, 1);
    else if (grad.scalar_type() != kBool) grad = grad / at::_to_copy(times, grad.scalar_type());
  }
  if (result.is_floating_point() || result.is_complex())
    embedding_gradient_stub(result.device().type(), at::contiguous(grad), at::contiguous(flat),
                            result);
  else at::_ops::index_add_::call(result, 0, flat, grad, 1);
  if (padding_idx >= 0 && padding_idx < num_weights) {
    Tensor row = at::select(result, 0, padding_idx);
    at::fill_(row, 0);
  }
  return result;
}

// Renormalizes rows that are looked up and longer than max_norm.
Tensor& embedding_renorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  TORCH_CHECK(self.dim() == 2, "embedding_renorm_: 'self' must be 2-D, got ", self.dim(),
              " dimension(s)");
  Tensor flat = flat_indices(indices, "embedding_renorm_");
  if (flat.numel() == 0 || !has_values(self)) return self;
  // Each row once, however often it is looked up.
  flat = std::get<0>(at::_unique2(flat));
  Tensor rows = at::index_select(self, 0, flat);
  const int64_t one = 1;
  Tensor norms = at::norm(rows, norm_type, IntArrayRef(&one, 1), true);
  // The epsilon is PyTorch's: results must match.
  Tensor scale =
      at::where(at::gt(norms, max_norm), Scalar(max_norm) / (norms + Scalar(1e-7)), Scalar(1));
  at::_ops::index_copy_::call(self, 0, flat, rows * at::_to_copy(scale, rows.scalar_type()));
  return self;
}

Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm,
                        double norm_type) {
  Tensor result = at::clone(self);
  return native::embedding_renorm_(result, indices, max_norm, norm_type);
}

}  // namespace at::native
