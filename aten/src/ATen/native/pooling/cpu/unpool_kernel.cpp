// max_unpool: moves values to the indices that max pooling took them from.

#include <algorithm>
#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {

namespace {

// All together: a check of each index on its own would keep the loops that use them from running
// at full speed.
void check_indices(const int64_t* indices, int64_t n, int64_t volume) {
  const auto is_valid = [volume](int64_t index) {
    return static_cast<uint64_t>(index) < static_cast<uint64_t>(volume);
  };
  bool valid = true;
  for (int64_t i = 0; i < n; ++i) valid &= is_valid(indices[i]);
  if (C10_LIKELY(valid)) return;
  const int64_t* first = std::find_if_not(indices, indices + n, is_valid);
  TORCH_CHECK(false, "Found an invalid max index: ", *first, " (output volumes are of size ",
              volume, ")");
}

// Indices that are checked together stay in the first cache.
constexpr int64_t kChecked = 512;

// Whole planes are divided among threads. A plane is cleared just before it is written to, so that
// it is in a cache.
template <typename T>
void unpool_planes(const PoolShape& s, const T* values, const int64_t* indices, T* out,
                   int64_t planes) {
  const int64_t plane = s.out_numel(), out_plane = s.in_numel();
  const int64_t grain = std::max<int64_t>(1, kGrainSize / plane);
  parallel_for(0, planes, grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T* from = values + p * plane;
      const int64_t* at = indices + p * plane;
      T* to = out + p * out_plane;
      std::fill_n(to, out_plane, T{});
      for (int64_t i = 0; i < plane; i += kChecked) {
        const int64_t last = std::min(plane, i + kChecked);
        check_indices(at + i, last - i, out_plane);
        for (int64_t j = i; j < last; ++j) to[at[j]] = from[j];
      }
    }
  });
}

// Channels last: images are divided among threads, and where there are few of them, ranges of
// channels. Two threads never write one element, and the last of equal indices wins.
template <typename T>
void unpool_pixels(const PoolShape& s, const T* values, const int64_t* indices, T* out) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t pixels = s.out_numel(), out_pixels = s.in_numel(), channels = s.channels;
  const int64_t ranges =
      std::clamp<int64_t>(channels / kLine, 1, s.batch >= get_num_threads() ? 1 : 64);
  const int64_t width = (channels + ranges - 1) / ranges;
  const int64_t grain = std::max<int64_t>(1, kGrainSize / (pixels * width));
  parallel_for(0, s.batch * ranges, grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t image = k / ranges, first = k % ranges * width;
      const int64_t last = std::min(channels, first + width);
      T* to = out + image * out_pixels * channels;
      if (ranges == 1) {
        std::fill_n(to, out_pixels * channels, T{});
      } else {
        for (int64_t p = 0; p < out_pixels; ++p)
          std::fill_n(to + p * channels + first, last - first, T{});
      }
      for (int64_t p = 0; p < pixels; ++p) {
        const int64_t row = (image * pixels + p) * channels;
        check_indices(indices + row + first, last - first, out_pixels);
        for (int64_t c = first; c < last; ++c)
          to[indices[row + c] * channels + c] = values[row + c];
      }
    }
  });
}

}  // namespace

static void max_unpool_kernel(const PoolShape& s, const Tensor& values, const Tensor& indices,
                              const Tensor& out) {
  if (values.numel() == 0) {
    if (out.numel() > 0) std::memset(out.data_ptr(), 0, out.nbytes());
    return;
  }
  const int64_t* at = static_cast<const int64_t*>(indices.data_ptr());
  by_size(values.itemsize(), [&]<typename T>(T) {
    const T* from = static_cast<const T*>(values.data_ptr());
    T* to = static_cast<T*>(out.data_ptr());
    if (s.channels_last) unpool_pixels(s, from, at, to);
    else unpool_planes(s, from, at, to, values.numel() / s.out_numel());
  });
}

REGISTER_DISPATCH(max_unpool_stub, &max_unpool_kernel)

}  // namespace at::native
