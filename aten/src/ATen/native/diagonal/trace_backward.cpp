// The gradient of trace.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/diagonal_backward.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/trace_backward_native.h>

#include <algorithm>

namespace at::native {

Tensor trace_backward(const Tensor& grad, IntArrayRef sizes) {
  TORCH_CHECK(sizes.size() == 2, "trace_backward: expected matrix input, got sizes ", sizes);
  TORCH_CHECK(grad.dim() == 0, "trace_backward: grad must be 0-dimensional, got shape ",
              grad.sizes());
  return at::diagonal_backward(at::expand(grad, {std::min(sizes[0], sizes[1])}), sizes, 0, 0, 1);
}

}  // namespace at::native
