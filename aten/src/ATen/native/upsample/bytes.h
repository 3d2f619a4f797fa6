#pragma once
// Interpolation of images of bytes: weights are integers, and each pass rounds to bytes.

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/upsample/upsample.h>

namespace at::native {

// Element o of a line is the sum of weight[o * room + k] * x[first[o] + k] over k < count[o], in
// units of 2^-shift, rounded and clamped to 0 ... 255.
struct ByteTaps {
  int64_t in, out;
  int64_t room;  // a multiple of 16; weights after the last tap are 0
  int shift;
  std::vector<int64_t> first, count;
  std::vector<int16_t> weight;

  explicit ByteTaps(const ResampleTable& table);
};

// [outer, in, inner] to [outer, out, inner]. If `requested` has elements, outer is a multiple of
// their number, and lines for which it is 0 are left out.
DECLARE_DISPATCH(void (*)(const ByteTaps&, const uint8_t* from, uint8_t* to, int64_t outer,
                          int64_t inner, const std::vector<char>& requested),
                 resample_bytes_stub);

// Resizes images to the size of `result`: the columns by `across`, then the rows by `down`, unless
// they are null. Both tensors are dense, with `depth` channels side by side: one or all.
DECLARE_DISPATCH(void (*)(const Tensor& images, const Tensor& result, int64_t depth,
                          const ResampleTable* across, const ResampleTable* down),
                 resize_bytes_stub);

}  // namespace at::native
