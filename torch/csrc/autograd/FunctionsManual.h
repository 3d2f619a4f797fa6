#pragma once
// Functions that the derivative formulas of several families call. A family's own are in its
// backward.h.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

// A gradient of zeros: what flows to a value that was overwritten.
Tensor zeros_like_grad(const Tensor& grad);
// Throws: the operator has no derivative.
[[noreturn]] Tensor no_derivative(const char* op);

// grad * scale, or grad itself for 1.
Tensor maybe_multiply(const Tensor& grad, const at::Scalar& scale);
// grad * conj(factor): what a product sends to its other factor.
Tensor times_conj(const Tensor& grad, const Tensor& factor);
// The conjugate of complex numbers; real ones stay as they are.
Tensor conj_of(const Tensor& t);

// A reduced tensor with its dimensions back, of size 1.
Tensor restore_dims(const Tensor& t, int64_t rank, at::OptionalIntArrayRef dim, bool keepdim);
// How many elements go into one result of a reduction.
int64_t count_reduced(at::IntArrayRef sizes, at::OptionalIntArrayRef dim);

}  // namespace torch::autograd::generated
