// Max pooling with indices on CUDA devices, and unpooling. A thread computes one element; backward,
// it looks through the windows that cover its element, so that the sums have an order.

#include <limits>

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/pooling/cuda/PoolIndex.cuh>

namespace at::native {
namespace {

template <typename T>
__device__ T lowest() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::lowest();
  else return static_cast<T>(-std::numeric_limits<float>::infinity());
}

template <typename T>
struct MaxOfWindow {
  PoolShape s;
  PoolIndex place_of;
  const T* input;
  T* output;
  int64_t* indices;
  __device__ void operator()(int64_t i) const {
    const PoolIndex::Place place = place_of(i);
    const PoolShape::Range a = s.window(0, place.at[0]), b = s.window(1, place.at[1]),
                           c = s.window(2, place.at[2]);
    int64_t index = (a.begin * s.in[1] + b.begin) * s.in[2] + c.begin;
    T max = lowest<T>();
    for (int64_t x = a.begin; x < a.end; x += a.step) {
      for (int64_t y = b.begin; y < b.end; y += b.step) {
        for (int64_t z = c.begin; z < c.end; z += c.step) {
          const int64_t at = (x * s.in[1] + y) * s.in[2] + z;
          const T value = input[place.first + at * place.step];
          if (value > max || value != value) {
            max = value;
            index = at;
          }
        }
      }
    }
    output[i] = max;
    indices[i] = index;
  }
};

template <typename T>
struct SumOfMaxima {
  PoolShape s;
  PoolIndex place_of;
  const T* grad;
  const int64_t* indices;
  T* grad_input;
  __device__ void operator()(int64_t i) const {
    const PoolIndex::Place place = place_of(i);
    const int64_t own = (place.at[0] * s.in[1] + place.at[1]) * s.in[2] + place.at[2];
    const auto a = s.windows_around(0, place.at[0]), b = s.windows_around(1, place.at[1]),
               c = s.windows_around(2, place.at[2]);
    opmath_type<T> sum = 0;
    for (int64_t x = a.first; x < a.second; ++x) {
      for (int64_t y = b.first; y < b.second; ++y) {
        for (int64_t z = c.first; z < c.second; ++z) {
          const int64_t at = place.first + ((x * s.out[1] + y) * s.out[2] + z) * place.step;
          if (indices[at] == own) sum += static_cast<opmath_type<T>>(grad[at]);
        }
      }
    }
    grad_input[i] = static_cast<T>(sum);
  }
};

// Of equal indices, any one wins.
template <typename T>
struct Unpool {
  int64_t volume;
  PoolIndex place_of;
  const T* values;
  const int64_t* indices;
  T* output;
  __device__ void operator()(int64_t i) const {
    const PoolIndex::Place place = place_of(i);
    const int64_t index = indices[i];
    C10_DEVICE_ASSERT(index >= 0 && index < volume && "max_unpool: index out of bounds");
    output[place.first + index * place.step] = values[i];
  }
};

}  // namespace

static void max_pool_cuda(const PoolShape& s, const Tensor& input, const Tensor& output,
                          const Tensor& indices) {
  dispatch_types<RealTypes>(input.scalar_type(), "max_pool2d", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        output, output.numel(),
        MaxOfWindow<T>{s, PoolIndex(s, s.out, s.in_numel()),
                       static_cast<const T*>(input.data_ptr()), static_cast<T*>(output.data_ptr()),
                       static_cast<int64_t*>(indices.data_ptr())});
  });
}

static void max_pool_backward_cuda(const PoolShape& s, const Tensor& grad_output,
                                   const Tensor& indices, const Tensor& grad_input) {
  dispatch_types<FloatingAndReduced>(grad_output.scalar_type(), "max_pool2d_backward",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_for_each(grad_input, grad_input.numel(),
                 SumOfMaxima<T>{s, PoolIndex(s, s.in, s.out_numel()),
                                static_cast<const T*>(grad_output.data_ptr()),
                                static_cast<const int64_t*>(indices.data_ptr()),
                                static_cast<T*>(grad_input.data_ptr())});
  });
}

static void max_unpool_cuda(const PoolShape& s, const Tensor& values, const Tensor& indices,
                            const Tensor& out) {
  Tensor zeros = out;
  at::_ops::zero_::call(zeros);
  gpu_dispatch_bits(values.itemsize(), [&]<typename T>(TypeTag<T>) {
    gpu_for_each(values, values.numel(),
                 Unpool<T>{s.in_numel(), PoolIndex(s, s.out, s.in_numel()),
                           static_cast<const T*>(values.data_ptr()),
                           static_cast<const int64_t*>(indices.data_ptr()),
                           static_cast<T*>(out.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(max_pool_stub, &max_pool_cuda)
REGISTER_CUDA_DISPATCH(max_pool_backward_stub, &max_pool_backward_cuda)
REGISTER_CUDA_DISPATCH(max_unpool_stub, &max_unpool_cuda)

}  // namespace at::native
