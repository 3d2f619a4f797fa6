#pragma once
// Derivatives of cat and block_diag.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

std::vector<Tensor> cat_tensors_backward(const Tensor& grad,
                                         const std::vector<at::DimVector>& sizes,
                                         const std::vector<at::ScalarType>& dtypes, int64_t dim);
std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<at::DimVector>& sizes,
                                        const std::vector<at::ScalarType>& dtypes);

}  // namespace torch::autograd::generated
