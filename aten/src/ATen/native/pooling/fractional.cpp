// Fractional max pooling (Graham 2014): shapes and checks.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/fractional_max_pool2d_backward_native.h>
#include <ATen/ops/fractional_max_pool2d_native.h>
#include <ATen/ops/fractional_max_pool3d_backward_native.h>
#include <ATen/ops/fractional_max_pool3d_native.h>

namespace at {
namespace {

// The shape of the result; n is the number of dimensions that are pooled.
DimVector check_pool(const char* op, const Tensor& self, IntArrayRef kernel, IntArrayRef output,
                     int64_t n) {
  const auto dims = static_cast<size_t>(n);
  TORCH_CHECK(self.dim() == n + 1 || self.dim() == n + 2, op, ": expected an input of ", n + 1,
              " or ", n + 2, " dimensions, got shape ", self.sizes());
  TORCH_CHECK(kernel.size() == dims, op, ": kernel_size must have ", n, " numbers, got ",
              kernel.size());
  TORCH_CHECK(output.size() == dims, op, ": output_size must have ", n, " numbers, got ",
              output.size());
  for (int64_t d = self.dim() == n + 1 ? 0 : 1; d < self.dim(); ++d) {
    TORCH_CHECK(self.sizes()[static_cast<size_t>(d)] > 0, op,
                ": Expected input to have non-zero size for non-batch dimensions, but got ",
                self.sizes());
  }
  DimVector sizes(self.sizes());
  for (size_t d = 0; d < dims; ++d) {
    const size_t at = sizes.size() - dims + d;
    TORCH_CHECK(kernel[d] > 0 && output[d] > 0, op,
                ": kernel_size and output_size must be above 0, got ", kernel, " and ", output);
    TORCH_CHECK(output[d] <= sizes[at] && kernel[d] <= sizes[at] - output[d] + 1, op,
                ": a pool of kernel_size ", kernel, " and output_size ", output,
                " is too large for an input of shape ", self.sizes());
    sizes[at] = output[d];
  }
  return sizes;
}

void check_samples(const char* op, const Tensor& self, const Tensor& samples, int64_t n) {
  const bool batched = self.dim() == n + 2;
  const int64_t batch = batched ? self.sizes()[0] : 1, channels = self.sizes()[batched ? 1 : 0];
  TORCH_CHECK(samples.scalar_type() == self.scalar_type(), op,
              ": expected random_samples to have the dtype of the input, ",
              toString(self.scalar_type()), ", got ", toString(samples.scalar_type()));
  TORCH_CHECK(samples.dim() == 3 && samples.sizes()[0] >= batch && samples.sizes()[1] == channels &&
                  samples.sizes()[2] == n,
              op, ": expected random_samples of shape [", batch, ", ", channels, ", ", n, "], got ",
              samples.sizes());
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point() && !isFloat8Type(self.scalar_type()), "\"",
                              op, "_out_frame\" not implemented for '",
                              toString(self.scalar_type()), "'");
}

void set_forward(MetaBase& m, const char* op, const Tensor& self, IntArrayRef kernel,
                 IntArrayRef output, const Tensor& samples, int64_t n) {
  DimVector sizes = check_pool(op, self, kernel, output, n);
  check_samples(op, self, samples, n);
  m.set_output(0, sizes, self.options());
  m.set_output(1, sizes, self.options().dtype(kLong));
}

void set_backward(MetaBase& m, const char* op, const Tensor& grad, const Tensor& self,
                  IntArrayRef kernel, IntArrayRef output, const Tensor& indices, int64_t n) {
  DimVector sizes = check_pool(op, self, kernel, output, n);
  TORCH_CHECK(grad.sizes() == IntArrayRef(sizes) && indices.sizes() == IntArrayRef(sizes), op,
              ": expected grad_output and indices of shape ", IntArrayRef(sizes), ", got ",
              grad.sizes(), " and ", indices.sizes());
  TORCH_CHECK(indices.scalar_type() == kLong, op, ": expected indices of type Long, got ",
              toString(indices.scalar_type()));
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), op, ": expected scalar type ",
              toString(self.scalar_type()), " for grad_output, got ", toString(grad.scalar_type()));
  m.set_output(0, self.sizes(), self.options());
}

}  // namespace

namespace meta {

void fractional_max_pool2d(MetaBase& m, const Tensor& self, IntArrayRef kernel_size,
                           IntArrayRef output_size, const Tensor& random_samples) {
  set_forward(m, "fractional_max_pool2d", self, kernel_size, output_size, random_samples, 2);
}
void fractional_max_pool3d(MetaBase& m, const Tensor& self, IntArrayRef kernel_size,
                           IntArrayRef output_size, const Tensor& random_samples) {
  set_forward(m, "fractional_max_pool3d", self, kernel_size, output_size, random_samples, 3);
}
void fractional_max_pool2d_backward(MetaBase& m, const Tensor& grad_output, const Tensor& self,
                                    IntArrayRef kernel_size, IntArrayRef output_size,
                                    const Tensor& indices) {
  set_backward(m, "fractional_max_pool2d_backward", grad_output, self, kernel_size, output_size,
               indices, 2);
}
void fractional_max_pool3d_backward(MetaBase& m, const Tensor& grad_output, const Tensor& self,
                                    IntArrayRef kernel_size, IntArrayRef output_size,
                                    const Tensor& indices) {
  set_backward(m, "fractional_max_pool3d_backward", grad_output, self, kernel_size, output_size,
               indices, 3);
}

}  // namespace meta
}  // namespace at
