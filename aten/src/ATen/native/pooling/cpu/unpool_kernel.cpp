// max_unpool: moves values to the indices that max pooling took them from.

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {

namespace {

void check_index(int64_t index, int64_t volume) {
  TORCH_CHECK(static_cast<uint64_t>(index) < static_cast<uint64_t>(volume),
              "Found an invalid max index: ", index, " (output volumes are of size ", volume, ")");
}

// Whole planes are divided among threads.
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
      for (int64_t i = 0; i < plane; ++i) {
        check_index(at[i], out_plane);
        to[at[i]] = from[i];
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
      for (int64_t p = 0; p < pixels; ++p) {
        const int64_t row = (image * pixels + p) * channels;
        for (int64_t c = first; c < last; ++c) {
          check_index(indices[row + c], out_pixels);
          to[indices[row + c] * channels + c] = values[row + c];
        }
      }
    }
  });
}

}  // namespace

static void max_unpool_kernel(const PoolShape& s, const Tensor& values, const Tensor& indices,
                              const Tensor& out) {
  if (values.numel() == 0) return;
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
