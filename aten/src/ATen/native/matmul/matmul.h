#pragma once
// Kernels of matrix products. Shapes and types must match; tensors may have any strides.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

using ComplexDouble = c10::complex<double>;

// out = alpha * a b + beta * out; out is not read if beta is 0.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& a, const Tensor& b, ComplexDouble alpha,
                          ComplexDouble beta),
                 matmul_into_stub);
// The same for each matrix of three batches.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& a, const Tensor& b, ComplexDouble alpha,
                          ComplexDouble beta),
                 batches_into_stub);
// out = bias + alpha * a b in one pass, if the bias is the same for all rows and beta is 1. Returns
// false if it was not written. For CUDA only, in its own library: decltype(stub)::CUDA is null
// until that is loaded.
DECLARE_DISPATCH(bool (*)(const Tensor& out, const Tensor& bias, const Tensor& a, const Tensor& b,
                          const Scalar& beta, const Scalar& alpha),
                 product_with_bias_stub);
// out = x W' for dense operands with elements, of float32 or half types: weights of int8 with a
// scale for each row, or of uint8 with 4 bits each (int4_weights.cpp) and groups of so many
// columns.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& x, const Tensor& weight,
                          const Tensor& scales, int64_t group),
                 low_bit_product_stub);
// out = a b in int32, for a of int8 or uint8 and b of int8.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& a, const Tensor& b), int8_matmul_stub);
// out = sum of a[i] * b[i]; `conj` takes the conjugate of a.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& a, const Tensor& b, bool conj),
                 dot_into_stub);
// out[o, :, i] = a[o, :, i] x b[o, :, i] for contiguous tensors, whose dimension `dim` has 3
// elements.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& a, const Tensor& b, int64_t dim),
                 cross_stub);

}  // namespace at::native
