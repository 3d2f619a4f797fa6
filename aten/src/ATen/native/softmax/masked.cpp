// softmax over the elements that a mask leaves.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_masked_softmax_backward_native.h>
#include <ATen/ops/_masked_softmax_native.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>

#include <limits>

namespace at::native {

static void check_mask(const char* op, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == kBool, op, ": mask should be a boolean tensor, got ",
              toString(mask.scalar_type()));
}

// Mask types: 0 is (queries, keys) for all batches and heads, 1 is (batch, keys), 2 has the shape
// of self.
Tensor _masked_softmax(const Tensor& self, const Tensor& mask, std::optional<int64_t> dim,
                       std::optional<int64_t> mask_type) {
  check_mask("_masked_softmax", mask);
  TORCH_CHECK(
      mask_type && *mask_type >= 0 && *mask_type <= 2,
      "_masked_softmax: mask_type must be 0 (source), 1 (padding) or 2 (shape of the input)");
  Tensor shown = mask;
  if (*mask_type == 1) {
    TORCH_CHECK(
        self.dim() == 4 && mask.dim() == 2 && mask.sizes()[0] == self.sizes()[0],
        "_masked_softmax: a padding mask is (batch, keys) for an input of 4 dimensions, got ",
        mask.sizes(), " and ", self.sizes());
    shown = at::reshape(mask, {mask.sizes()[0], 1, 1, mask.sizes()[1]});
  }
  TORCH_CHECK(is_expandable_to(shown.sizes(), self.sizes()), "_masked_softmax: mask of shape ",
              mask.sizes(), " does not fit an input of shape ", self.sizes());
  const double never = -std::numeric_limits<double>::infinity();
  return at::softmax(at::masked_fill(self, shown, never), dim.value_or(-1));
}

Tensor _masked_softmax_backward(const Tensor& grad_output, const Tensor& output, const Tensor& mask,
                                std::optional<int64_t> dim) {
  check_mask("_masked_softmax_backward", mask);
  TORCH_CHECK(is_expandable_to(mask.sizes(), output.sizes()),
              "_masked_softmax_backward: mask of shape ", mask.sizes(),
              " does not fit an output of shape ", output.sizes());
  Tensor out = at::masked_fill(output, mask, 0), product = grad_output * out;
  return at::masked_fill(product - out * at::sum(product, dim.value_or(-1), true), mask, 0);
}

}  // namespace at::native
