#pragma once
// Singular values of matrices with many more rows than columns, through their factor R.

#include <ATen/core/Tensor.h>

namespace at::native {

// Whether that pays off (from measurements on a CPU).
inline bool is_tall(int64_t m, int64_t n) { return m >= 3 * n && m > 100; }

// Results come from empty_by_columns, U complete, reduced or, as is Vh then, undefined.
void svd_of_tall(const Tensor& A, const Tensor& U, const Tensor& S, const Tensor& Vh,
                 const Tensor& info);

}  // namespace at::native
