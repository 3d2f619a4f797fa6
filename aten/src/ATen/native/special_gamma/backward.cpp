// Derivatives of the incomplete gamma functions (DLMF 8.8.13).

#include <ATen/native/special_gamma/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/log.h>

namespace torch::autograd::generated {

Tensor igamma_density(const Tensor& a, const Tensor& x) {
  return at::exp((a - at::Scalar(1)) * at::log(x) - x - at::lgamma(a));
}

Tensor no_derivative(const char* op, const char* argument) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "the derivative for '", op, ": ", argument,
                              "' is not implemented.");
}

}  // namespace torch::autograd::generated
