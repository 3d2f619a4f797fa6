#pragma once
// Derivatives of linear equations, inverses and determinants.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

std::tuple<Tensor, Tensor> solve_backward(const Tensor& grad, const Tensor& X, const Tensor& A,
                                          const Tensor& LU, const Tensor& pivots, bool left,
                                          at::IntArrayRef b_sizes, std::array<bool, 2> mask);
Tensor inverse_backward(const Tensor& grad, const Tensor& inverse);
Tensor det_backward(const Tensor& grad, const Tensor& det, const Tensor& A, const Tensor& LU,
                    const Tensor& pivots);
Tensor slogdet_backward(const Tensor& grad_sign, const Tensor& grad_log, const Tensor& A,
                        const Tensor& sign, const Tensor& LU, const Tensor& pivots);
std::tuple<Tensor, Tensor> solve_triangular_backward(const Tensor& grad, const Tensor& A,
                                                     at::IntArrayRef b_sizes, const Tensor& X,
                                                     bool upper, bool left, bool unit,
                                                     std::array<bool, 2> mask);
std::tuple<Tensor, Tensor> triangular_solve_backward(const Tensor& grad, const Tensor& grad_copy,
                                                     at::IntArrayRef b_sizes, const Tensor& A,
                                                     const Tensor& X, bool upper, bool transpose,
                                                     bool unit, std::array<bool, 2> mask);
std::tuple<Tensor, Tensor> lstsq_backward(const Tensor& grad, const Tensor& grad_residuals,
                                          const Tensor& A, const Tensor& b, const Tensor& solution,
                                          std::array<bool, 2> mask);

}  // namespace torch::autograd::generated
