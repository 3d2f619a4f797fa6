// Means of windows on CUDA devices: a thread computes one element, forward and backward.

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/pooling/window_mean.h>
#include <ATen/native/pooling/cuda/PoolIndex.cuh>

namespace at::native {
namespace {

__device__ int64_t divisor_of(const PoolShape& s, const PoolShape::Range& a,
                              const PoolShape::Range& b, const PoolShape::Range& c) {
  if (s.divisor != 0) return s.divisor;
  return s.counted_length(a) * s.counted_length(b) * s.counted_length(c);
}

template <typename T>
struct MeanOfWindow {
  using M = opmath_type<T>;
  PoolShape s;
  PoolIndex place_of;
  const T* input;
  T* output;
  __device__ void operator()(int64_t i) const {
    const PoolIndex::Place place = place_of(i);
    const PoolShape::Range a = s.window(0, place.at[0]), b = s.window(1, place.at[1]),
                           c = s.window(2, place.at[2]);
    M sum = 0;
    for (int64_t x = a.begin; x < a.end; ++x) {
      for (int64_t y = b.begin; y < b.end; ++y) {
        const T* line = input + place.first + (x * s.in[1] + y) * s.in[2] * place.step;
        for (int64_t z = c.begin; z < c.end; ++z) sum += static_cast<M>(line[z * place.step]);
      }
    }
    const int64_t divisor = divisor_of(s, a, b, c);
    output[i] = static_cast<T>(window_mean(sum, static_cast<M>(divisor)));
  }
};

template <typename T>
struct SumOfMeans {
  using M = opmath_type<T>;
  PoolShape s;
  PoolIndex place_of;
  const T* grad;
  T* grad_input;
  __device__ void operator()(int64_t i) const {
    const PoolIndex::Place place = place_of(i);
    const auto around_a = s.windows_around(0, place.at[0]),
               around_b = s.windows_around(1, place.at[1]),
               around_c = s.windows_around(2, place.at[2]);
    M sum = 0;
    for (int64_t x = around_a.first; x < around_a.second; ++x) {
      const PoolShape::Range a = s.window(0, x);
      for (int64_t y = around_b.first; y < around_b.second; ++y) {
        const PoolShape::Range b = s.window(1, y);
        for (int64_t z = around_c.first; z < around_c.second; ++z) {
          const int64_t divisor = divisor_of(s, a, b, s.window(2, z));
          const T gradient = grad[place.first + ((x * s.out[1] + y) * s.out[2] + z) * place.step];
          if (divisor != 0) sum += static_cast<M>(gradient) / static_cast<M>(divisor);
        }
      }
    }
    grad_input[i] = static_cast<T>(sum);
  }
};

}  // namespace

static void avg_pool_cuda(const PoolShape& s, const Tensor& input, const Tensor& output) {
  dispatch_types<FloatingAndReduced, int64_t>(input.scalar_type(), "avg_pool2d",
                                              [&]<typename T>(TypeTag<T>) {
    gpu_for_each(output, output.numel(),
                 MeanOfWindow<T>{s, PoolIndex(s, s.out, s.in_numel()),
                                 static_cast<const T*>(input.data_ptr()),
                                 static_cast<T*>(output.data_ptr())});
  });
}

static void avg_pool_backward_cuda(const PoolShape& s, const Tensor& grad_output,
                                   const Tensor& grad_input) {
  dispatch_types<FloatingAndReduced>(grad_output.scalar_type(), "avg_pool2d_backward",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_for_each(grad_input, grad_input.numel(),
                 SumOfMeans<T>{s, PoolIndex(s, s.in, s.out_numel()),
                               static_cast<const T*>(grad_output.data_ptr()),
                               static_cast<T*>(grad_input.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(avg_pool_stub, &avg_pool_cuda)
REGISTER_CUDA_DISPATCH(avg_pool_backward_stub, &avg_pool_backward_cuda)

}  // namespace at::native
