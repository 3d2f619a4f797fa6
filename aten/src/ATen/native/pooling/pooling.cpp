// max_pool, avg_pool with sliding windows. The adaptive ones are in adaptive.cpp.

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/native/common/SlidingWindow.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/native/pooling/PoolShape.h>
#include <ATen/native/pooling/pooling.h>
#include <ATen/ops/avg_pool1d_native.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool2d_backward_native.h>
#include <ATen/ops/avg_pool2d_native.h>
#include <ATen/ops/avg_pool3d_backward_native.h>
#include <ATen/ops/avg_pool3d_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool1d_native.h>
#include <ATen/ops/max_pool1d_with_indices_native.h>
#include <ATen/ops/max_pool2d_native.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward_native.h>
#include <ATen/ops/max_pool2d_with_indices_native.h>
#include <ATen/ops/max_pool3d_native.h>
#include <ATen/ops/max_pool3d_with_indices.h>
#include <ATen/ops/max_pool3d_with_indices_backward_native.h>
#include <ATen/ops/max_pool3d_with_indices_native.h>
#include <ATen/ops/max_unpool2d_native.h>
#include <ATen/ops/max_unpool3d_native.h>
#include <ATen/ops/new_empty.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

int64_t number(IntArrayRef list, size_t d, size_t n, const char* name, const char* op) {
  TORCH_CHECK(list.size() == 1 || list.size() == n, op, ": ", name,
              " must either be a single int, or a tuple of ", n, " ints, got ", list);
  return list.size() == 1 ? list[0] : list[d];
}

PoolShape sliding_shape(const Tensor& self, int n, IntArrayRef kernel, IntArrayRef stride,
                        IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, const char* op) {
  PoolShape s;
  begin_pool_shape(s, self, n, op);
  int missing = 3 - n;
  for (int d = missing; d < 3; ++d) {
    size_t k = d - missing;
    s.kernel[d] = number(kernel, k, n, "kernel_size", op);
    s.stride[d] = stride.empty() ? s.kernel[d] : number(stride, k, n, "stride", op);
    s.padding[d] = number(padding, k, n, "padding", op);
    s.dilation[d] = number(dilation, k, n, "dilation", op);
    TORCH_CHECK(s.stride[d] != 0, op, ": stride should not be zero");
  }
  check_window_argument(op, "kernel_size", kernel, 1,
                        "kernel size should be greater than zero, but got ");
  check_window_argument(op, "stride", stride, 1, "stride should be greater than zero, but got ");
  check_window_argument(op, "dilation", dilation, 1,
                        "dilation should be greater than zero, but got ");
  for (int d = missing; d < 3; ++d) {
    TORCH_CHECK(s.padding[d] >= 0, op, ": pad must be non-negative, but got pad: ", s.padding[d]);
    int64_t window = window_extent(s.kernel[d], s.dilation[d]);
    TORCH_CHECK(s.padding[d] <= window / 2, op,
                ": pad should be at most half of effective kernel size, but got pad=", s.padding[d],
                ", kernel_size=", s.kernel[d], " and dilation=", s.dilation[d]);
    int64_t room = s.in[d] + 2 * s.padding[d] - window;
    s.out[d] = count_windows(ceil_mode ? room + s.stride[d] - 1 : room, s.stride[d]);
    // With ceil_mode the last window must still begin inside the input or its left padding.
    if (ceil_mode && (s.out[d] - 1) * s.stride[d] >= s.in[d] + s.padding[d]) --s.out[d];
  }
  for (int d = missing; d < 3; ++d) {
    TORCH_CHECK(s.out[d] >= 1, "Given input size: (", self.sizes().slice(self.dim() - n - 1),
                "). Calculated output size: (", s.channels, "x", s.out[missing], n > 1 ? "x" : "",
                n > 1 ? std::to_string(s.out[missing + 1]) : "", n > 2 ? "x" : "",
                n > 2 ? std::to_string(s.out[2]) : "", "). Output size is too small");
  }
  return s;
}

std::tuple<Tensor, Tensor> max_pool(const Tensor& self, int n, IntArrayRef kernel,
                                    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                    bool ceil_mode, const char* op) {
  PoolShape s = sliding_shape(self, n, kernel, stride, padding, dilation, ceil_mode, op);
  return run_max_pool(s, self, n);
}

Tensor max_pool_backward(const Tensor& grad, const Tensor& self, int n, IntArrayRef kernel,
                         IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                         bool ceil_mode, const Tensor& indices, const char* op) {
  PoolShape s = sliding_shape(self, n, kernel, stride, padding, dilation, ceil_mode, op);
  return run_max_pool_backward(s, grad, self, n, indices, op);
}

PoolShape avg_shape(const Tensor& self, int n, IntArrayRef kernel, IntArrayRef stride,
                    IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                    std::optional<int64_t> divisor, const char* op) {
  TORCH_CHECK(!divisor || *divisor != 0, op, ": divisor must be not zero");
  PoolShape s =
      sliding_shape(self, n, kernel, stride, padding, IntArrayRef(int64_t(1)), ceil_mode, op);
  s.include_padding = count_include_pad;
  s.divisor = divisor.value_or(0);
  return s;
}

}  // namespace

// --- max -----------------------------------------------------------------------------------------

std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  return max_pool(self, 2, kernel_size, stride, padding, dilation, ceil_mode, "max_pool2d");
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  return max_pool(self, 3, kernel_size, stride, padding, dilation, ceil_mode, "max_pool3d");
}
Tensor max_pool2d_with_indices_backward(const Tensor& grad_output, const Tensor& self,
                                        IntArrayRef kernel_size, IntArrayRef stride,
                                        IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                        const Tensor& indices) {
  return max_pool_backward(grad_output, self, 2, kernel_size, stride, padding, dilation, ceil_mode,
                           indices, "max_pool2d_backward");
}
Tensor max_pool3d_with_indices_backward(const Tensor& grad_output, const Tensor& self,
                                        IntArrayRef kernel_size, IntArrayRef stride,
                                        IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                        const Tensor& indices) {
  return max_pool_backward(grad_output, self, 3, kernel_size, stride, padding, dilation, ceil_mode,
                           indices, "max_pool3d_backward");
}

Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

namespace {
// Whether each window has an element of the line: with dilation, all of one may be in the padding.
// Those that begin in the line have, so the first ones and the last one tell.
bool has_full_windows(const PoolShape& s) {
  const auto is_full = [&](int64_t o) {
    const auto r = s.window(2, o);
    return r.begin < r.end;
  };
  for (int64_t o = 0; o < s.out[2] && o * s.stride[2] < s.padding[2]; ++o)
    if (!is_full(o)) return false;
  return s.out[2] == 0 || is_full(s.out[2] - 1);
}

// One dimension is handled as two, the first of which has size 1.
struct Pair {
  int64_t first[2];
  Pair(IntArrayRef list, int64_t one, const char* name, const char* op)
      : first{one, number(list, 0, 1, name, op)} {}
  operator IntArrayRef() const { return IntArrayRef(first, 2); }
};
}  // namespace

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  constexpr const char* op = "max_pool1d";
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3, op, "() Expected 2D or 3D input tensor, but got ",
              self.sizes());
  Pair kernel(kernel_size, 1, "kernel_size", op);
  auto [values, indices] = at::max_pool2d_with_indices(
      at::unsqueeze(self, -2), kernel, Pair(stride.empty() ? kernel_size : stride, 1, "stride", op),
      Pair(padding, 0, "padding", op), Pair(dilation, 1, "dilation", op), ceil_mode);
  return {at::squeeze(values, -2), at::squeeze(indices, -2)};
}
Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  const auto with_indices = [&] {
    return std::get<0>(
        native::max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
  };
  // Without a derivative nobody needs the indices.
  if ((self.dim() != 2 && self.dim() != 3) || !is_plain(self) || may_need_derivative(self) ||
      !max_lines_stub.has_kernel(self.device().type()))
    return with_indices();
  const PoolShape s =
      sliding_shape(self, 1, kernel_size, stride, padding, dilation, ceil_mode, "max_pool1d");
  return has_full_windows(s) ? run_max_lines(s, self) : with_indices();
}

// --- mean ----------------------------------------------------------------------------------------

Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  return run_avg_pool(avg_shape(self, 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
                                divisor_override, "avg_pool2d"),
                      self, 2);
}
Tensor avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  return run_avg_pool(avg_shape(self, 3, kernel_size, stride, padding, ceil_mode, count_include_pad,
                                divisor_override, "avg_pool3d"),
                      self, 3);
}
Tensor avg_pool2d_backward(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size,
                           IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor_override) {
  return run_avg_pool_backward(
      avg_shape(self, 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
                divisor_override, "avg_pool2d_backward"),
      grad_output, self, 2, "avg_pool2d_backward");
}
Tensor avg_pool3d_backward(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size,
                           IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor_override) {
  return run_avg_pool_backward(
      avg_shape(self, 3, kernel_size, stride, padding, ceil_mode, count_include_pad,
                divisor_override, "avg_pool3d_backward"),
      grad_output, self, 3, "avg_pool3d_backward");
}
Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad) {
  constexpr const char* op = "avg_pool1d";
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3, op, "() Expected 2D or 3D input tensor, but got ",
              self.sizes());
  Pair kernel(kernel_size, 1, "kernel_size", op);
  return at::squeeze(at::avg_pool2d(at::unsqueeze(self, -2), kernel,
                                    Pair(stride.empty() ? kernel_size : stride, 1, "stride", op),
                                    Pair(padding, 0, "padding", op), ceil_mode, count_include_pad),
                     -2);
}

// --- unpooling -----------------------------------------------------------------------------------

static Tensor max_unpool(const Tensor& self, const Tensor& indices, IntArrayRef output_size, int n,
                         const char* op) {
  TORCH_CHECK(
      indices.scalar_type() == kLong, op,
      ": elements in indices should be type int64 but got: ", dtypeName(indices.scalar_type()));
  TORCH_CHECK(self.sizes() == indices.sizes(), op,
              ": Expected shape of indices to be same as that of the input tensor (", self.sizes(),
              ") but got indices tensor with shape: ", indices.sizes());
  TORCH_CHECK(static_cast<int64_t>(output_size.size()) == n, op, ": There should be exactly ", n,
              " elements in output_size, but got ", output_size.size(), " elements.");
  DimVector sizes(self.sizes());
  TORCH_CHECK(self.dim() == n + 1 || self.dim() == n + 2, op, ": Input to ", op, " should be a ",
              n + 1, "d or ", n + 2, "d Tensor, but got ", self.dim(), " dimensions");
  PoolShape s;
  begin_pool_shape(s, self, n, op);
  // The 3d one has no channels-last form.
  const MemoryFormat format = n == 2 ? self.suggest_memory_format() : MemoryFormat::Contiguous;
  s.channels_last = format == MemoryFormat::ChannelsLast;
  for (int d = 3 - n; d < 3; ++d) {
    s.out[d] = s.in[d];
    s.in[d] = output_size[d - (3 - n)];
    sizes[self.dim() - 3 + d] = s.in[d];
  }
  checked_numel(sizes, op);
  Tensor out =
      s.channels_last
          ? at::permute(at::new_empty(self, {sizes[0], sizes[2], sizes[3], sizes[1]}), {0, 3, 1, 2})
          : at::new_empty(self, sizes);
  max_unpool_stub(out.device().type(), s, in_format(self, format), in_format(indices, format), out);
  return out;
}

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
  return max_unpool(self, indices, output_size, 2, "max_unpooling2d");
}
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding) {
  // Only the sizes determine where values go; the other arguments are merely checked.
  TORCH_CHECK(stride.size() == 3 && padding.size() == 3,
              "max_unpooling3d: stride and padding must have 3 elements, got ", stride, " and ",
              padding);
  for (int64_t s : stride)
    TORCH_CHECK(s > 0,
                "max_unpooling3d: strides should be greater than zero, but got stride: ", stride);
  return max_unpool(self, indices, output_size, 3, "max_unpooling3d");
}

}  // namespace at::native
