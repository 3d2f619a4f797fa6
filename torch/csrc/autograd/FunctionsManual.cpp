#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {

Tensor zeros_like_grad(const Tensor& grad) { return at::zeros_like(grad); }

}  // namespace torch::autograd::generated
