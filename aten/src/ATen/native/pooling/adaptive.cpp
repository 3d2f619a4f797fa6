// Pooling to a requested size: windows divide the input as evenly as possible.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/pooling/pooling.h>
#include <ATen/ops/_adaptive_avg_pool2d.h>
#include <ATen/ops/_adaptive_avg_pool2d_backward_native.h>
#include <ATen/ops/_adaptive_avg_pool2d_native.h>
#include <ATen/ops/_adaptive_avg_pool3d.h>
#include <ATen/ops/_adaptive_avg_pool3d_backward_native.h>
#include <ATen/ops/_adaptive_avg_pool3d_native.h>
#include <ATen/ops/adaptive_avg_pool1d_native.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/adaptive_avg_pool2d_native.h>
#include <ATen/ops/adaptive_avg_pool3d_native.h>
#include <ATen/ops/adaptive_max_pool1d_native.h>
#include <ATen/ops/adaptive_max_pool2d.h>
#include <ATen/ops/adaptive_max_pool2d_backward_native.h>
#include <ATen/ops/adaptive_max_pool2d_native.h>
#include <ATen/ops/adaptive_max_pool3d_backward_native.h>
#include <ATen/ops/adaptive_max_pool3d_native.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

static void check_output_size(IntArrayRef output_size, size_t n, const char* op) {
  TORCH_CHECK(output_size.size() == n, op, ": output_size must be ", n, " numbers, got ",
              output_size);
  for (int64_t s : output_size) {
    TORCH_CHECK(s >= 0, op,
                ": elements of output_size must be greater than or equal to 0 but received ",
                output_size);
  }
}

static PoolShape adaptive_shape(const Tensor& self, IntArrayRef output_size, int n, const char* op,
                                bool channels_needed = true) {
  check_output_size(output_size, n, op);
  PoolShape s;
  s.adaptive = true;
  begin_pool_shape(s, self, n, op, channels_needed);
  for (int d = 3 - n; d < 3; ++d) s.out[d] = output_size[d - (3 - n)];
  DimVector sizes(self.sizes());
  for (int d = 3 - n; d < 3; ++d) {
    sizes[self.dim() - 3 + d] = s.out[d];
    // Windows are at quotients of products of the sizes.
    TORCH_CHECK(s.out[d] < INT64_MAX / 2 / std::max<int64_t>(s.in[d], 1), op, ": output_size ",
                output_size, " is too large");
  }
  checked_numel(sizes, op);
  return s;
}

// --- mean ----------------------------------------------------------------------------------------

Tensor _adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
  return run_avg_pool(adaptive_shape(self, output_size, 2, "adaptive_avg_pool2d", false), self, 2);
}
Tensor _adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  return run_avg_pool(adaptive_shape(self, output_size, 3, "adaptive_avg_pool3d"), self, 3);
}

static Tensor adaptive_avg_backward(const Tensor& grad, const Tensor& self, int n, const char* op) {
  TORCH_CHECK(grad.dim() == self.dim(), op, ": the gradient has ", grad.dim(),
              " dimensions, the input ", self.dim());
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(grad.scalar_type()), "\"", op,
                              "\" not implemented for '", toString(grad.scalar_type()), "'");
  return run_avg_pool_backward(
      adaptive_shape(self, grad.sizes().slice(grad.dim() - n), n, op, n == 3), grad, self, n, op);
}
Tensor _adaptive_avg_pool2d_backward(const Tensor& grad_output, const Tensor& self) {
  return adaptive_avg_backward(grad_output, self, 2, "adaptive_avg_pool2d_backward");
}
Tensor _adaptive_avg_pool3d_backward(const Tensor& grad_output, const Tensor& self) {
  return adaptive_avg_backward(grad_output, self, 3, "adaptive_avg_pool3d_backward");
}

// One window that covers the whole input is a mean.
static bool all_ones(IntArrayRef sizes) {
  for (int64_t s : sizes) {
    if (s != 1) return false;
  }
  return true;
}

Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
  check_output_size(output_size, 2, "adaptive_avg_pool2d");
  if (all_ones(output_size) && (self.dim() == 3 || self.dim() == 4) && self.numel() > 0) {
    int64_t dims[] = {-2, -1};
    return at::mean(self, IntArrayRef(dims), true);
  }
  return at::_adaptive_avg_pool2d(self, output_size);
}
Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  check_output_size(output_size, 3, "adaptive_avg_pool3d");
  if (all_ones(output_size) && (self.dim() == 4 || self.dim() == 5) && self.numel() > 0) {
    int64_t dims[] = {-3, -2, -1};
    return at::mean(self, IntArrayRef(dims), true);
  }
  return at::_adaptive_avg_pool3d(self, output_size);
}
Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size) {
  check_output_size(output_size, 1, "adaptive_avg_pool1d");
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3,
              "adaptive_avg_pool1d() Expected 2D or 3D input tensor, but got ", self.sizes());
  return at::squeeze(at::adaptive_avg_pool2d(at::unsqueeze(self, -2), {1, output_size[0]}), -2);
}

// --- max -----------------------------------------------------------------------------------------

std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, IntArrayRef output_size) {
  return run_max_pool(adaptive_shape(self, output_size, 2, "adaptive_max_pool2d"), self, 2);
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size) {
  return run_max_pool(adaptive_shape(self, output_size, 3, "adaptive_max_pool3d"), self, 3);
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size) {
  check_output_size(output_size, 1, "adaptive_max_pool1d");
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3,
              "adaptive_max_pool1d() Expected 2D or 3D input tensor, but got ", self.sizes());
  auto [values, indices] = at::adaptive_max_pool2d(at::unsqueeze(self, -2), {1, output_size[0]});
  return {at::squeeze(values, -2), at::squeeze(indices, -2)};
}

static Tensor adaptive_max_backward(const Tensor& grad, const Tensor& self, const Tensor& indices,
                                    int n, const char* op) {
  TORCH_CHECK(grad.dim() == self.dim(), op, ": the gradient has ", grad.dim(),
              " dimensions, the input ", self.dim());
  return run_max_pool_backward(adaptive_shape(self, grad.sizes().slice(grad.dim() - n), n, op),
                               grad, self, n, indices, op);
}
Tensor adaptive_max_pool2d_backward(const Tensor& grad_output, const Tensor& self,
                                    const Tensor& indices) {
  return adaptive_max_backward(grad_output, self, indices, 2, "adaptive_max_pool2d_backward");
}
Tensor adaptive_max_pool3d_backward(const Tensor& grad_output, const Tensor& self,
                                    const Tensor& indices) {
  return adaptive_max_backward(grad_output, self, indices, 3, "adaptive_max_pool3d_backward");
}

}  // namespace at::native
