#pragma once
// Shared by sliding and adaptive pooling.

#include <ATen/native/pooling/PoolShape.h>

namespace at::native {

// Sets batch, channels, input sizes and format for an input with n spatial dimensions, with or
// without a batch dimension.
void begin_pool_shape(PoolShape& s, const Tensor& self, int n, const char* op,
                      bool channels_needed = true);

std::tuple<Tensor, Tensor> run_max_pool(const PoolShape& s, const Tensor& self, int n);
// The maxima alone, of one dimension.
Tensor run_max_lines(const PoolShape& s, const Tensor& self);
Tensor run_max_pool_backward(PoolShape s, const Tensor& grad, const Tensor& self, int n,
                             const Tensor& indices, const char* op);
Tensor run_avg_pool(const PoolShape& s, const Tensor& self, int n);
Tensor run_avg_pool_backward(const PoolShape& s, const Tensor& grad, const Tensor& self, int n,
                             const char* op);

}  // namespace at::native
