#pragma once
// Which elements of an image the windows of a convolution cover, and the other way around.

#include <ATen/native/convolution/unfold.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {

// The element of the image under element k of the window at place o, or -1 outside.
__device__ inline int64_t covered_element(const Windows& w, const int64_t (&o)[3],
                                          const int64_t (&k)[3]) {
  int64_t at = 0;
  for (int d = 0; d < 3; ++d) {
    const int64_t x = o[d] * w.stride[d] - w.padding[d] + k[d] * w.dilation[d];
    if (x < 0 || x >= w.size[d]) return -1;
    at = at * w.size[d] + x;
  }
  return at;
}

// The place of the window whose element k covers element x of the image, or -1.
__device__ inline int64_t covering_window(const Windows& w, const int64_t (&x)[3],
                                          const int64_t (&k)[3]) {
  int64_t at = 0;
  for (int d = 0; d < 3; ++d) {
    const int64_t start = x[d] + w.padding[d] - k[d] * w.dilation[d];
    if (start < 0) return -1;
    const int64_t o = w.stride[d] == 1 ? start : start / w.stride[d];
    if (o >= w.out[d] || o * w.stride[d] != start) return -1;
    at = at * w.out[d] + o;
  }
  return at;
}

}  // namespace at::native
