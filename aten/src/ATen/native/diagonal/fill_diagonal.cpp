// Fills the diagonal of a tensor of any number of dimensions.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/fill_diagonal__native.h>

#include <algorithm>

namespace at::native {

Tensor& fill_diagonal_(Tensor& self, const Scalar& fill_value, bool wrap) {
  TORCH_CHECK(self.dim() >= 2, "fill_diagonal_: dimensions must larger than 1, got ", self.dim());
  IntArrayRef sizes = self.sizes();
  if (self.dim() > 2) {
    TORCH_CHECK(std::all_of(sizes.begin(), sizes.end(), [&](int64_t n) { return n == sizes[0]; }),
                "fill_diagonal_: all dimensions of input must be of equal length, got ", sizes);
  }
  int64_t step = 0;
  for (int64_t stride : self.strides()) step += stride;
  const int64_t height = sizes[0], width = sizes[1];
  if (self.numel() == 0) return self;
  // With wrap, the diagonal of a tall matrix begins again below each square block and the row after
  // it.
  const int64_t last = wrap && self.dim() == 2 ? height : 1;
  for (int64_t row = 0; row < last; row += width + 1) {
    Tensor diagonal = at::as_strided(self, {std::min(width, height - row)}, {step},
                                     self.storage_offset() + row * self.strides()[0]);
    at::fill_(diagonal, fill_value);
  }
  return self;
}

}  // namespace at::native
