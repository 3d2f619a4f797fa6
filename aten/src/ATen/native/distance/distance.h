#pragma once
// Kernels of distances between rows. All tensors are contiguous, and of one type.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// result (b, m, n) has the distances between rows of x (b, m, k) and rows of y (b, n, k).
DECLARE_DISPATCH(void (*)(const Tensor& x, const Tensor& y, double p, const Tensor& result),
                 cdist_stub);
// The gradient of x.
DECLARE_DISPATCH(void (*)(const Tensor& grad, const Tensor& x, const Tensor& y, double p,
                          const Tensor& distances, const Tensor& result),
                 cdist_backward_stub);
// result has the distances between rows i < j of x (n, k), by i and then by j.
DECLARE_DISPATCH(void (*)(const Tensor& x, double p, const Tensor& result), pdist_stub);
DECLARE_DISPATCH(void (*)(const Tensor& grad, const Tensor& x, double p, const Tensor& distances,
                          const Tensor& result),
                 pdist_backward_stub);

}  // namespace at::native
