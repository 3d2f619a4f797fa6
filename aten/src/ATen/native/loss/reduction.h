#pragma once
// Reductions of losses.

#include <ATen/core/Tensor.h>
#include <ATen/native/loss/loss.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>

namespace at::native {

inline Tensor reduce_loss(const Tensor& loss, int64_t reduction) {
  if (reduction == static_cast<int64_t>(Reduction::Mean)) return at::mean(loss);
  if (reduction == static_cast<int64_t>(Reduction::Sum)) return at::sum(loss);
  return loss;
}

}  // namespace at::native
