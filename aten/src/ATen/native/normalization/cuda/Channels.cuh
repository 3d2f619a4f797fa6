#pragma once
// What normalizations on CUDA devices share: sums over the elements of each channel, and the
// channel of each element.
//
// Note [Sums over channels on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// A column of a block's threads adds up a part of a channel's elements. Where channels are too few
// to fill the device, each is divided among several blocks. The kernel that needs the sums merges
// the parts in order, so that results do not depend on timing.

#include <cmath>

#include <ATen/OpMathType.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/normalization/normalization.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/native/common/cuda/ForEach.cuh>
#include <ATen/native/common/cuda/Rows.cuh>

namespace at::native {

template <typename T>
T* data_or_null(const Tensor& t) {
  return t.defined() ? static_cast<T*>(t.data_ptr()) : nullptr;
}

// Mean and sum of squared differences, merged by Chan, Golub and LeVeque's formula ("Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
template <typename M>
struct RunningMoments {
  M mean, squares, count;
  __device__ void add(M x) {
    const M delta = x - mean;
    count += 1;
    mean += delta / count;
    squares += delta * (x - mean);
  }
  __device__ static RunningMoments merge(RunningMoments a, RunningMoments b) {
    if (b.count == 0) return a;
    const M count = a.count + b.count, delta = b.mean - a.mean, part = b.count / count;
    return {a.mean + delta * part, a.squares + b.squares + delta * delta * a.count * part, count};
  }
};
template <typename M>
struct TwoSums {
  M first, second;
  __device__ static TwoSums merge(TwoSums a, TwoSums b) {
    return {a.first + b.first, a.second + b.second};
  }
};

// The operations: add(accumulator, position in memory, channel, number of the element).
template <typename T>
struct AddMoments {
  using Accumulator = RunningMoments<opmath_type<T>>;
  const T* x;
  __device__ void add(Accumulator& to, int64_t at, int64_t, int64_t) const {
    to.add(static_cast<opmath_type<T>>(x[at]));
  }
};

template <typename Op>
__global__ void __launch_bounds__(kRowThreads)
    channel_parts(ChannelShape s, int64_t each, Op op, typename Op::Accumulator* parts) {
  using A = typename Op::Accumulator;
  alignas(16) __shared__ char memory[kRowThreads * sizeof(A)];
  const int64_t n = s.per_channel(), begin = static_cast<int64_t>(blockIdx.y) * each,
                end = begin + each < n ? begin + each : n;
  const int64_t step_images = blockDim.y / s.plane, step_pixels = blockDim.y % s.plane;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x; first < s.channels;
       first += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t c = first + threadIdx.x;
    A sum{};
    if (c < s.channels) {
      int64_t image = (begin + threadIdx.y) / s.plane, pixel = (begin + threadIdx.y) % s.plane;
      for (int64_t k = begin + threadIdx.y; k < end; k += blockDim.y) {
        op.add(sum,
               s.channels_last ? k * s.channels + c : (image * s.channels + c) * s.plane + pixel, c,
               k);
        image += step_images;
        pixel += step_pixels;
        if (pixel >= s.plane) {
          pixel -= s.plane;
          ++image;
        }
      }
    }
    sum = reduce_column(sum, reinterpret_cast<A*>(memory), [](A a, A b) { return A::merge(a, b); });
    if (threadIdx.y == 0 && c < s.channels) parts[blockIdx.y * s.channels + c] = sum;
  }
}

// The sums of each channel, in parts.
template <typename A>
struct ChannelParts {
  const A* data;
  int64_t count, channels;
  __device__ A whole(int64_t c) const {
    A sum{};
    for (int64_t part = 0; part < count; ++part) sum = A::merge(sum, data[part * channels + c]);
    return sum;
  }
};

// `memory` must live until the kernel that uses the sums has been launched.
template <typename Op>
ChannelParts<typename Op::Accumulator> sum_channels(const Tensor& x, ChannelShape s, const Op& op,
                                                    Tensor& memory) {
  using A = typename Op::Accumulator;
  const int64_t n = s.per_channel();
  if (n == 0 || s.channels == 0) return {nullptr, 0, s.channels};
  c10::OptionalDeviceGuard guard(x.device());
  constexpr int64_t kBlocks = 1024, kMinElements = 16;
  int width = 1;
  while (s.channels_last && width < 32 && width < s.channels) width *= 2;
  int height = 1;
  while (height < kRowThreads / width && height < n) height *= 2;
  const int64_t groups = (s.channels + width - 1) / width;
  int64_t count = (n + height * kMinElements - 1) / (height * kMinElements);
  if (count > kBlocks / groups) count = kBlocks / groups < 1 ? 1 : kBlocks / groups;
  const int64_t each = (n + count - 1) / count;
  count = (n + each - 1) / each;
  memory = empty_tensor({count * s.channels * static_cast<int64_t>(sizeof(A))}, kByte, x.device());
  A* parts = static_cast<A*>(memory.data_ptr());
  c10::cuda::launch(channel_parts<Op>,
                    {dim3(static_cast<unsigned>(std::min<int64_t>(groups, 0x7fffffff)),
                          static_cast<unsigned>(count)),
                     dim3(static_cast<unsigned>(width), static_cast<unsigned>(height))},
                    c10::cuda::getCurrentCUDAStream(), s, each, op, parts);
  return {parts, count, s.channels};
}

// The channel of an element, and the image that it belongs to.
class ChannelOf {
 public:
  explicit ChannelOf(const ChannelShape& s)
      : channels_last_(s.channels_last),
        channels_(s.channels, s.batch * s.channels * s.plane),
        plane_(s.plane, s.batch * s.channels * s.plane) {}
  struct Place {
    int64_t image, channel;
  };
  __device__ Place operator()(int64_t i) const {
    if (channels_last_) {
      const auto [pixel, channel] = channels_.divide(i);
      return {plane_.divide(pixel).quotient, channel};
    }
    const auto [image, channel] = channels_.divide(plane_.divide(i).quotient);
    return {image, channel};
  }

 private:
  bool channels_last_;
  IndexDivision channels_, plane_;
};

}  // namespace at::native
