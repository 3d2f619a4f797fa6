#pragma once
// The geometry of a pooling: planes of up to three dimensions (missing ones are 1), in either
// memory format.

#include <algorithm>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

struct PoolShape {
  int64_t batch = 1, channels = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, padding[3] = {0, 0, 0},
          dilation[3] = {1, 1, 1};
  bool adaptive = false;       // windows divide the input evenly
  bool channels_last = false;  // channels are the innermost dimension
  bool include_padding = true;
  int64_t divisor = 0;  // 0: the number of elements of the window

  C10_HOST_DEVICE int64_t in_numel() const { return in[0] * in[1] * in[2]; }
  C10_HOST_DEVICE int64_t out_numel() const { return out[0] * out[1] * out[2]; }

  // Whether an element can be in two windows.
  bool windows_overlap() const {
    for (int d = 0; d < 3; ++d) {
      if (out[d] == 1) continue;
      if (adaptive ? in[d] % out[d] != 0 : (kernel[d] - 1) * dilation[d] >= stride[d]) return true;
    }
    return false;
  }

  // How many elements a window has, about.
  int64_t mean_taps() const {
    if (!adaptive) return kernel[0] * kernel[1] * kernel[2];
    return std::max<int64_t>(1, in_numel() / std::max<int64_t>(1, out_numel()));
  }

  struct Range {
    int64_t begin, end, step;
    int64_t padded_length;  // the length with padding
  };
  // The range that the window of output element o covers along dimension d.
  C10_HOST_DEVICE Range window(int d, int64_t o) const {
    if (adaptive) {
      // From floor(o * in / out) to ceil((o + 1) * in / out).
      int64_t begin = o * in[d] / out[d], end = ((o + 1) * in[d] + out[d] - 1) / out[d];
      return {begin, end, 1, end - begin};
    }
    int64_t begin = o * stride[d] - padding[d], end = begin + (kernel[d] - 1) * dilation[d] + 1;
    int64_t padded_length = std::min(end, in[d] + padding[d]) - begin;
    if (begin < 0) begin += (-begin + dilation[d] - 1) / dilation[d] * dilation[d];
    return {begin, std::min(end, in[d]), dilation[d], padded_length};
  }
  // The number of elements of a window that a mean divides by, along one dimension.
  C10_HOST_DEVICE int64_t counted_length(const Range& r) const {
    return include_padding && !adaptive ? r.padded_length : std::max<int64_t>(0, r.end - r.begin);
  }
  // The output elements [first, second) whose windows may cover element x of dimension d.
  C10_HOST_DEVICE std::pair<int64_t, int64_t> windows_around(int d, int64_t x) const {
    if (adaptive) return {x * out[d] / in[d], ((x + 1) * out[d] + in[d] - 1) / in[d]};
    const int64_t before = x + padding[d] - (kernel[d] - 1) * dilation[d];
    return {before > 0 ? (before + stride[d] - 1) / stride[d] : 0,
            std::min((x + padding[d]) / stride[d] + 1, out[d])};
  }
};

// input, output and (long) indices are dense in the shape's format.
DECLARE_DISPATCH(void (*)(const PoolShape&, const Tensor& input, const Tensor& output,
                          const Tensor& indices),
                 max_pool_stub);
// The maxima alone, of contiguous planes of one line each.
DECLARE_DISPATCH(void (*)(const PoolShape&, const Tensor& input, const Tensor& output),
                 max_lines_stub);
// Writes all of grad_input: each element is the sum of grad_output where indices select it.
DECLARE_DISPATCH(void (*)(const PoolShape&, const Tensor& grad_output, const Tensor& indices,
                          const Tensor& grad_input),
                 max_pool_backward_stub);
DECLARE_DISPATCH(void (*)(const PoolShape&, const Tensor& input, const Tensor& output),
                 avg_pool_stub);
// Writes all of grad_input.
DECLARE_DISPATCH(void (*)(const PoolShape&, const Tensor& grad_output, const Tensor& grad_input),
                 avg_pool_backward_stub);
// output[plane, indices] = input, and 0 elsewhere; all are contiguous, and planes of the output
// have sizes `in`. Throws for an index outside of them.
DECLARE_DISPATCH(void (*)(const PoolShape&, const Tensor& input, const Tensor& indices,
                          const Tensor& output),
                 max_unpool_stub);

}  // namespace at::native
