#pragma once
// Kernels of distances between rows. All tensors are contiguous, and of one type.

#include <optional>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Whether distances are computed by products of matrices, which cost digits where rows are close:
// compute_mode 1 asks for it, 2 refuses it.
bool is_euclidean_by_products(const Tensor& x1, const Tensor& x2, double p,
                              std::optional<int64_t> compute_mode);

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
