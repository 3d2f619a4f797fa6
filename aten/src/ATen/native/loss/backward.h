#pragma once
// Derivatives of losses, and of their derivatives. Reductions: 0 none, 1 mean, 2 sum.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using OptionalTensor = std::optional<Tensor>;

// The derivatives of LOSS_backward(grad_output, self, target, ...) with respect to self.
Tensor mse_loss_second(const Tensor& grad, const Tensor& grad_output, int64_t reduction);
Tensor smooth_l1_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                             const Tensor& target, int64_t reduction, double beta);
Tensor huber_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                         const Tensor& target, int64_t reduction, double delta);
Tensor soft_margin_loss_second(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                               const Tensor& target, int64_t reduction);

Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                            const OptionalTensor& weight, int64_t reduction);
Tensor binary_cross_entropy_second(const Tensor& grad, const Tensor& grad_output,
                                   const Tensor& self, const Tensor& target,
                                   const OptionalTensor& weight, int64_t reduction);
Tensor binary_cross_entropy_second_target(const Tensor& grad, const Tensor& grad_output,
                                          const Tensor& self, const OptionalTensor& weight,
                                          int64_t reduction);
Tensor binary_cross_entropy_with_logits_gradient(const Tensor& grad, const Tensor& self,
                                                 const Tensor& target, const OptionalTensor& weight,
                                                 const OptionalTensor& pos_weight,
                                                 int64_t reduction);
Tensor binary_cross_entropy_with_logits_target_gradient(const Tensor& grad, const Tensor& self,
                                                        const OptionalTensor& weight,
                                                        const OptionalTensor& pos_weight,
                                                        int64_t reduction);

}  // namespace torch::autograd::generated
