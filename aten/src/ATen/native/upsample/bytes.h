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

// [outer, in, inner] to [outer, out, inner]. If `wanted` has elements, outer is a multiple of their
// number, and lines for which it is 0 are left out.
DECLARE_DISPATCH(void (*)(const ByteTaps&, const uint8_t* from, uint8_t* to, int64_t outer,
                          int64_t inner, const std::vector<char>& wanted),
                 resample_bytes_stub);

namespace upsample {

// Resizes images of the CPU, dense in `format`: the columns by `across`, then the rows by `down`,
// unless they are null.
Tensor resize_bytes(const Tensor& images, IntArrayRef sizes, MemoryFormat format,
                    const ResampleTable* across, const ResampleTable* down);

}  // namespace upsample
}  // namespace at::native
