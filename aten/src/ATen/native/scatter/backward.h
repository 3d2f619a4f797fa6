#pragma once
// The derivative of scatter_reduce.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result);

}  // namespace torch::autograd::generated
