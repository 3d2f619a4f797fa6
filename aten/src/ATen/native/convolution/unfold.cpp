// im2col and col2im: windows as columns, and columns accumulated into images.

#include <ATen/native/common/SlidingWindow.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/unfold.h>
#include <ATen/ops/col2im_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/im2col_native.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Windows windows_of(const ConvolutionArgs& a, IntArrayRef image, IntArrayRef out) {
  Windows w;
  int64_t missing = 3 - a.spatial();
  for (int64_t d = 0; d < 3; ++d) {
    bool real = d >= missing;
    int64_t e = d - missing;
    w.size[d] = real ? image[e + 2] : 1;
    w.kernel[d] = real ? a.weight.sizes()[e + 2] : 1;
    w.stride[d] = real ? a.stride[e] : 1;
    w.padding[d] = real ? a.padding[e] : 0;
    w.dilation[d] = real ? a.dilation[e] : 1;
    w.out[d] = real ? out[e + 2] : 1;
  }
  return w;
}

static Windows windows_2d(const char* op, int64_t height, int64_t width, IntArrayRef kernel,
                          IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  TORCH_CHECK(
      kernel.size() == 2 && dilation.size() == 2 && padding.size() == 2 && stride.size() == 2, op,
      ": kernel_size, dilation, padding and stride are two numbers each");
  Windows w{{1, height, width},          {1, kernel[0], kernel[1]},     {1, stride[0], stride[1]},
            {0, padding[0], padding[1]}, {1, dilation[0], dilation[1]}, {1, 0, 0}};
  check_window_argument(op, "kernel_size", kernel, 1,
                        "kernel size should be greater than zero, but got kernel_size ");
  check_window_argument(op, "dilation", dilation, 1,
                        "dilation should be greater than zero, but got ");
  check_window_argument(op, "padding", padding, 0, "padding should be non-negative, but got ");
  check_window_argument(op, "stride", stride, 1, "stride should be greater than zero, but got ");
  for (int d = 1; d < 3; ++d) {
    int64_t room = w.size[d] + 2 * w.padding[d] - window_extent(w.kernel[d], w.dilation[d]);
    w.out[d] = count_windows(room, w.stride[d]);
  }
  TORCH_CHECK(w.out[1] > 0 && w.out[2] > 0, op, ": Given input with spatial size (", height, ", ",
              width, "), kernel_size=", kernel, ", dilation=", dilation, ", padding=", padding,
              ", calculated shape of the array of sliding blocks as (", w.out[1], ", ", w.out[2],
              "), but its components must be at least one.");
  return w;
}

Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
  bool batched = self.dim() == 4;
  TORCH_CHECK((batched || self.dim() == 3) && self.sizes()[self.dim() - 1] > 0 &&
                  self.sizes()[self.dim() - 2] > 0 && self.sizes()[self.dim() - 3] > 0,
              "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
              "dimensions for input, but got: ",
              self.sizes());
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  Tensor x = at::contiguous(batched ? self : at::unsqueeze(self, 0));
  int64_t channels = x.sizes()[1];
  Windows w =
      windows_2d("im2col", x.sizes()[2], x.sizes()[3], kernel_size, dilation, padding, stride);
  Tensor out = empty_tensor({x.sizes()[0], channels * w.kernel_numel(), w.out_numel()},
                            self.scalar_type(), self.device());
  im2col_stub(out.device().type(), w, x, out);
  return batched ? out : at::squeeze(out, 0);
}

Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  bool batched = self.dim() == 3;
  TORCH_CHECK(
      batched || self.dim() == 2,
      "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
      "dimensions for input, but got: ",
      self.sizes());
  TORCH_CHECK(output_size.size() == 2 && output_size[0] > 0 && output_size[1] > 0,
              "col2im: expected output_size of two positive numbers, got ", output_size);
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  Tensor x = at::contiguous(batched ? self : at::unsqueeze(self, 0));
  Windows w =
      windows_2d("col2im", output_size[0], output_size[1], kernel_size, dilation, padding, stride);
  TORCH_CHECK(
      x.sizes()[1] % w.kernel_numel() == 0 && x.sizes()[1] > 0,
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
      "input.size(1)=",
      x.sizes()[1], " and kernel_size=", kernel_size, ".");
  TORCH_CHECK(x.sizes()[2] == w.out_numel(), "Given output_size=", output_size,
              ", kernel_size=", kernel_size, ", dilation=", dilation, ", padding=", padding,
              ", stride=", stride,
              ", expected size of input's dimension 2 to match the calculated number of "
              "sliding blocks ",
              w.out[1], " * ", w.out[2], " = ", w.out_numel(),
              ", but got input.size(2)=", x.sizes()[2], ".");
  int64_t channels = x.sizes()[1] / w.kernel_numel();
  int64_t shape[] = {x.sizes()[0], channels, output_size[0], output_size[1]};
  checked_numel(shape, "col2im");
  Tensor out = at::zeros(shape, self.options());
  col2im_stub(out.device().type(), w, x, out);
  return batched ? out : at::squeeze(out, 0);
}

}  // namespace at::native
