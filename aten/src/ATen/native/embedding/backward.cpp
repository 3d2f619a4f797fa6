// The derivative of embedding_dense_backward.

#include <ATen/native/embedding/backward.h>

#include <ATen/ops/embedding.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/unsqueeze.h>

namespace torch::autograd::generated {

Tensor embedding_dense_second(const Tensor& grad, const Tensor& indices, int64_t padding_idx,
                              bool scale_grad_by_freq) {
  TORCH_CHECK(!scale_grad_by_freq,
              "double backward for embedding with scale_grad_by_freq is not implemented");
  Tensor rows = at::embedding(grad, indices);
  return padding_idx >= 0
             ? at::masked_fill(rows, at::unsqueeze(at::eq(indices, padding_idx), -1), 0)
             : rows;
}

}  // namespace torch::autograd::generated
