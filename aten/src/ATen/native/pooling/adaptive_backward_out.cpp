// The gradient of adaptive_avg_pool3d, written to a given tensor.

#include <ATen/native/common/OutputChecks.h>
#include <ATen/ops/_adaptive_avg_pool3d_backward.h>
#include <ATen/ops/adaptive_avg_pool3d_backward_native.h>

namespace at::native {

Tensor& adaptive_avg_pool3d_backward_out(const Tensor& grad_output, const Tensor& self,
                                         Tensor& grad_input) {
  return copy_to_exact_output("adaptive_avg_pool3d_backward", grad_input,
                              at::_adaptive_avg_pool3d_backward(grad_output, self));
}

}  // namespace at::native
