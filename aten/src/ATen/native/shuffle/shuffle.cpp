// Rearranges elements between channels and space, or between channels.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/shuffle/shuffle.h>
#include <ATen/ops/channel_shuffle_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/pixel_shuffle_native.h>
#include <ATen/ops/pixel_unshuffle_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/view.h>

namespace at::native {

// Below this many elements, views and a copy take longer than the moves themselves.
constexpr int64_t kFewElements = 1024;

// A dense tensor as `rearranged` has it.
static Tensor few_rearranged(const Tensor& self, IntArrayRef split, IntArrayRef order,
                             IntArrayRef shape) {
  Tensor out = empty_tensor(shape, self.scalar_type(), self.device());
  DimVector sizes, steps;  // in the order of the result
  for (int64_t d : order) {
    int64_t step = 1;
    for (size_t k = static_cast<size_t>(d) + 1; k < split.size(); ++k) step *= split[k];
    sizes.push_back(split[d]);
    steps.push_back(step);
  }
  move_few_stub(self.device().type(), self, out, sizes, steps);
  return out;
}

// Splits the input into parts, permutes them, and merges them to `shape`; the first `channels`
// parts after the batch are its channels. Channels-last in, channels-last out.
static Tensor rearranged(const Tensor& self, IntArrayRef split, IntArrayRef order,
                         IntArrayRef shape, size_t channels) {
  const bool channels_last =
      self.dim() == 4 && self.suggest_memory_format() != MemoryFormat::Contiguous;
  if (self.is_cpu() && self.numel() > 0 && self.numel() <= kFewElements && !channels_last &&
      self.is_contiguous() && !self.is_conj() && !self.is_neg())
    return few_rearranged(self, split, order, shape);
  Tensor moved = at::permute(at::reshape(self, split), order);
  if (!channels_last) return at::view(at::clone(moved, MemoryFormat::Contiguous), shape);
  DimVector pixels_first{0};
  for (size_t d = 1 + channels; d < order.size(); ++d) pixels_first.push_back(d);
  for (size_t d = 1; d <= channels; ++d) pixels_first.push_back(d);
  Tensor dense = at::clone(at::permute(moved, pixels_first), MemoryFormat::Contiguous);
  return at::permute(at::view(dense, {shape[0], shape[2], shape[3], shape[1]}), {0, 3, 1, 2});
}

// [..., c * r * r, h, w] to [..., c, h * r, w * r]
Tensor pixel_shuffle(const Tensor& self, int64_t r) {
  TORCH_CHECK(self.dim() >= 3,
              "pixel_shuffle expects input to have at least 3 dimensions, but got input with ",
              self.dim(), " dimension(s)");
  TORCH_CHECK(r > 0 && r < (int64_t(1) << 30),
              "pixel_shuffle expects a positive upscale_factor, but got ", r);
  int64_t n = self.dim(), c = self.sizes()[n - 3], h = self.sizes()[n - 2], w = self.sizes()[n - 1];
  TORCH_CHECK(c % (r * r) == 0,
              "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
              "of upscale_factor, but input.size(-3)=",
              c, " is not divisible by ", r * r);
  DimVector shape(self.sizes().slice(0, n - 3)), order;
  int64_t b = n - 3;
  for (int64_t d = 0; d < b; ++d) order.push_back(d);
  DimVector split(shape);
  for (int64_t s : {c / (r * r), r, r, h, w}) split.push_back(s);
  for (int64_t d : {b, b + 3, b + 1, b + 4, b + 2}) order.push_back(d);
  for (int64_t s : {c / (r * r), h * r, w * r}) shape.push_back(s);
  return rearranged(self, split, order, shape, 1);
}

Tensor pixel_unshuffle(const Tensor& self, int64_t r) {
  TORCH_CHECK(self.dim() >= 3,
              "pixel_unshuffle expects input to have at least 3 dimensions, but got input with ",
              self.dim(), " dimension(s)");
  TORCH_CHECK(r > 0 && r < (int64_t(1) << 30),
              "pixel_unshuffle expects a positive downscale_factor, but got ", r);
  int64_t n = self.dim(), c = self.sizes()[n - 3], h = self.sizes()[n - 2], w = self.sizes()[n - 1];
  TORCH_CHECK(
      h % r == 0,
      "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=", h,
      " is not divisible by ", r);
  TORCH_CHECK(
      w % r == 0,
      "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=", w,
      " is not divisible by ", r);
  DimVector shape(self.sizes().slice(0, n - 3)), order;
  int64_t b = n - 3;
  for (int64_t d = 0; d < b; ++d) order.push_back(d);
  DimVector split(shape);
  for (int64_t s : {c, h / r, r, w / r, r}) split.push_back(s);
  for (int64_t d : {b, b + 2, b + 4, b + 1, b + 3}) order.push_back(d);
  for (int64_t s : {c * r * r, h / r, w / r}) shape.push_back(s);
  return rearranged(self, split, order, shape, 3);
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  TORCH_CHECK(self.dim() > 2,
              "channel_shuffle expects input with > 2 dims, but got input with sizes ",
              self.sizes());
  int64_t c = self.sizes()[1];
  TORCH_CHECK(groups > 0,
              "Number of groups to divide channels in must be positive. Value of groups:", groups);
  TORCH_CHECK(c % groups == 0, "Number of channels must be divisible by groups. Got ", c,
              " channels and ", groups, " groups.");
  DimVector split{self.sizes()[0], groups, c / groups}, order{0, 2, 1};
  for (int64_t d = 2; d < self.dim(); ++d) {
    split.push_back(self.sizes()[d]);
    order.push_back(d + 1);
  }
  return rearranged(self, split, order, self.sizes(), 2);
}

}  // namespace at::native
