#pragma once
// Sums of rows that are given by number, on CUDA devices.

#include <ATen/core/Tensor.h>

namespace at::native {

// result[to[i]] += scale[i] * from[source[i]], for each i; where `to` is negative, nothing.
//
// source undefined: row i; scale undefined: 1. `result` is zero before and of the type of `from`.
// to, source: long; scale: float (double if `from` is). All are contiguous. Sums have the order of
// the indices, whatever the order of blocks.
void sum_rows_cuda(const Tensor& from, const Tensor& to, const Tensor& source, const Tensor& scale,
                   const Tensor& result);

}  // namespace at::native
