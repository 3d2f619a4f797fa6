#pragma once
// Derivatives of Fourier transforms of real numbers.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor fft_r2c_backward(const Tensor& grad, at::IntArrayRef dim, int64_t normalization,
                        bool onesided, at::IntArrayRef sizes);
Tensor fft_c2r_backward(const Tensor& grad, at::IntArrayRef dim, int64_t normalization);

}  // namespace torch::autograd::generated
