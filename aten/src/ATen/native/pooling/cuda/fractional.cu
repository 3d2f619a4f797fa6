// Fractional max pooling on CUDA devices. Planes are the images or volumes of one channel; 2-D ones
// have one depth.

#include <ATen/Context.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/pooling/fractional.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/fractional_max_pool2d_backward_native.h>
#include <ATen/ops/fractional_max_pool2d_native.h>
#include <ATen/ops/fractional_max_pool3d_backward_native.h>
#include <ATen/ops/fractional_max_pool3d_native.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/native/common/cuda/Atomics.cuh>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

struct Sizes {
  int64_t in[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int n;
  Sizes(IntArrayRef input, IntArrayRef window, IntArrayRef output)
      : n(static_cast<int>(window.size())) {
    for (int d = 3 - n; d < 3; ++d) {
      in[d] = input[input.size() - 3 + d];
      kernel[d] = window[window.size() - 3 + d];
      out[d] = output[output.size() - 3 + d];
    }
  }
  __host__ __device__ int64_t in_plane() const { return in[0] * in[1] * in[2]; }
  __host__ __device__ int64_t out_plane() const { return out[0] * out[1] * out[2]; }
};

template <typename T>
struct MaxOfWindow {
  Sizes s;
  Dense4Division divide;
  const T *input, *samples;
  T* output;
  int64_t* indices;
  __device__ void operator()(int64_t i) const {
    const Dense4Index index = divide.divide(i);
    const T *plane = input + index.outer * s.in_plane(), *sample = samples + index.outer * s.n;
    int64_t start[3] = {0, 0, 0};
    // Samples of images are in the order width, height; those of volumes depth, height, width.
    for (int d = 3 - s.n; d < 3; ++d)
      start[d] =
          FractionalWindows<T>(s.n == 2 ? sample[2 - d] : sample[d], s.in[d], s.out[d], s.kernel[d])
              .start(index.at[d]);
    int64_t best = (start[0] * s.in[1] + start[1]) * s.in[2] + start[2];
    T max = plane[best];
    for (int64_t z = start[0]; z < start[0] + s.kernel[0]; ++z) {
      for (int64_t y = start[1]; y < start[1] + s.kernel[1]; ++y) {
        for (int64_t x = start[2]; x < start[2] + s.kernel[2]; ++x) {
          const int64_t at = (z * s.in[1] + y) * s.in[2] + x;
          // A NaN wins over everything before it.
          if (plane[at] > max || plane[at] != plane[at]) {
            max = plane[at];
            best = at;
          }
        }
      }
    }
    output[i] = max;
    indices[i] = best;
  }
};

// Adds output elements [i * each, (i + 1) * each) to where they came from: a single one
// atomically, a whole plane in order.
template <typename T>
struct AddToMaxima {
  int64_t each, in_plane, out_plane;
  const T* grad;
  const int64_t* indices;
  T* grad_input;
  __device__ void operator()(int64_t i) const {
    for (int64_t k = i * each; k < (i + 1) * each; ++k) {
      const int64_t index = indices[k];
      C10_DEVICE_ASSERT(index >= 0 && index < in_plane &&
                        "fractional_max_pool_backward: index out of bounds");
      T* to = grad_input + k / out_plane * in_plane + index;
      if (each == 1) atomic_add(to, grad[k]);
      else *to = static_cast<T>(*to + grad[k]);
    }
  }
};

void pool(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size,
          const Tensor& random_samples, const Tensor& output, const Tensor& indices) {
  const Sizes s(self.sizes(), kernel_size, output_size);
  const Tensor x = at::contiguous(self), samples = at::contiguous(random_samples);
  DenseResult values(output, output.scalar_type()), places(indices, kLong);
  const int64_t n = output.numel();
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "fractional_max_pool_out_frame",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_for_each(self, n,
                 MaxOfWindow<T>{s, Dense4Division(s.out, n), static_cast<const T*>(x.data_ptr()),
                                static_cast<const T*>(samples.data_ptr()),
                                static_cast<T*>(values.tensor().data_ptr()),
                                static_cast<int64_t*>(places.tensor().data_ptr())});
  });
  values.finish();
  places.finish();
}

void pool_backward(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size,
                   IntArrayRef output_size, const Tensor& indices, const Tensor& output) {
  const Sizes s(self.sizes(), kernel_size, output_size);
  const Tensor grad = at::contiguous(grad_output), places = at::contiguous(indices);
  DenseResult result(output, output.scalar_type());
  Tensor sums = result.tensor();
  at::_ops::zero_::call(sums);
  const int64_t each = at::globalContext().deterministicAlgorithms() ? s.out_plane() : 1;
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "fractional_max_pool_backward_out_frame",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        self, grad.numel() / each,
        AddToMaxima<T>{each, s.in_plane(), s.out_plane(), static_cast<const T*>(grad.data_ptr()),
                       static_cast<const int64_t*>(places.data_ptr()),
                       static_cast<T*>(sums.data_ptr())});
  });
  result.finish();
}

}  // namespace

REGISTER_CUDA_DISPATCH(fractional_max_pool2d_stub, &pool)
REGISTER_CUDA_DISPATCH(fractional_max_pool3d_stub, &pool)
REGISTER_CUDA_DISPATCH(fractional_max_pool2d_backward_stub, &pool_backward)
REGISTER_CUDA_DISPATCH(fractional_max_pool3d_backward_stub, &pool_backward)

}  // namespace at::native
