#pragma once
// Kernels of eigenvalues and singular values. Matrices come from empty_by_columns or
// copy_by_columns (BatchedMatrices.h); values and info, of type int32, are contiguous.

#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// A is overwritten. Without vectors the argument is undefined; then matrices with values that are
// not finite have NaN as eigenvalues, otherwise they are an error.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& values, const Tensor& vectors,
                          const Tensor& info),
                 eig_stub);
// A, of which one triangle is read, becomes the vectors if they are requested.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& values, const Tensor& info, bool upper,
                          bool vectors),
                 eigh_stub);
// A is overwritten. U and Vh are complete, reduced or, without vectors, undefined. `driver` names
// a method that the device may have.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& U, const Tensor& S, const Tensor& Vh,
                          const Tensor& info, std::optional<std::string_view> driver),
                 svd_stub);

}  // namespace at::native
