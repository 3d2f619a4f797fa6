// Fractional max pooling. Planes are the images or volumes of one channel; 2-D ones have one depth.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/pooling/fractional.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/fractional_max_pool2d_backward_native.h>
#include <ATen/ops/fractional_max_pool2d_native.h>
#include <ATen/ops/fractional_max_pool3d_backward_native.h>
#include <ATen/ops/fractional_max_pool3d_native.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace at::native {
namespace {

using Sizes = std::array<int64_t, 3>;

// The last n sizes, after leading ones.
Sizes last_sizes(IntArrayRef sizes, size_t n) {
  Sizes found = {1, 1, 1};
  std::copy(sizes.end() - static_cast<ptrdiff_t>(n), sizes.end(),
            found.end() - static_cast<ptrdiff_t>(n));
  return found;
}

void pool(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size,
          const Tensor& random_samples, const Tensor& output, const Tensor& indices) {
  const size_t n = kernel_size.size();
  const Sizes in = last_sizes(self.sizes(), n), kernel = last_sizes(kernel_size, n),
              out = last_sizes(output_size, n);
  const int64_t in_plane = in[0] * in[1] * in[2], out_plane = out[0] * out[1] * out[2];
  Tensor x = at::contiguous(self), samples = at::contiguous(random_samples);
  Tensor dense =
      output.is_contiguous() ? output : empty_tensor(output.sizes(), output.scalar_type());
  Tensor places = indices.is_contiguous() ? indices : empty_tensor(indices.sizes(), kLong);
  const int64_t planes = output.numel() / out_plane;
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "fractional_max_pool_out_frame",
                                     [&]<typename T>(TypeTag<T>) {
    const T *data = static_cast<const T*>(x.data_ptr()),
            *random = static_cast<const T*>(samples.data_ptr());
    T* to = static_cast<T*>(dense.data_ptr());
    int64_t* to_index = static_cast<int64_t*>(places.data_ptr());
    const int64_t work = out_plane * kernel[0] * kernel[1] * kernel[2];
    parallel_for(0, planes, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(work, 1)),
                 [&](int64_t begin, int64_t end) {
      std::array<std::vector<int64_t>, 3> starts;
      for (size_t d = 0; d < 3; ++d) starts[d].assign(static_cast<size_t>(out[d]), 0);
      for (int64_t p = begin; p < end; ++p) {
        const T *plane = data + p * in_plane, *sample = random + p * static_cast<int64_t>(n);
        for (size_t d = 3 - n; d < 3; ++d) {
          // Samples of images are in the order width, height; those of volumes depth, height,
          // width.
          const T s = n == 2 ? sample[2 - d] : sample[d];
          const FractionalWindows<T> windows(s, in[d], out[d], kernel[d]);
          for (int64_t i = 0; i < out[d]; ++i) starts[d][static_cast<size_t>(i)] = windows.start(i);
        }
        int64_t k = p * out_plane;
        for (int64_t z0 : starts[0]) {
          for (int64_t y0 : starts[1]) {
            for (int64_t x0 : starts[2]) {
              int64_t best = (z0 * in[1] + y0) * in[2] + x0;
              T max = plane[best];
              for (int64_t z = z0; z < z0 + kernel[0]; ++z) {
                for (int64_t y = y0; y < y0 + kernel[1]; ++y) {
                  for (int64_t w = x0; w < x0 + kernel[2]; ++w) {
                    const int64_t at = (z * in[1] + y) * in[2] + w;
                    // A NaN wins over everything before it.
                    if (plane[at] > max || plane[at] != plane[at]) {
                      max = plane[at];
                      best = at;
                    }
                  }
                }
              }
              to[k] = max;
              to_index[k++] = best;
            }
          }
        }
      }
    });
  });
  if (!dense.is_same(output))
    copy_to_output("fractional_max_pool", const_cast<Tensor&>(output), dense);
  if (!places.is_same(indices))
    copy_to_output("fractional_max_pool", const_cast<Tensor&>(indices), places);
}

void pool_backward(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size,
                   IntArrayRef, const Tensor& indices, const Tensor& output) {
  const size_t n = kernel_size.size();
  const Sizes in = last_sizes(self.sizes(), n), out = last_sizes(grad_output.sizes(), n);
  const int64_t in_plane = in[0] * in[1] * in[2], out_plane = out[0] * out[1] * out[2];
  Tensor grad = at::contiguous(grad_output), places = at::contiguous(indices);
  Tensor dense =
      output.is_contiguous() ? output : empty_tensor(output.sizes(), output.scalar_type());
  const int64_t* index = static_cast<const int64_t*>(places.data_ptr());
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "fractional_max_pool_backward_out_frame",
                                     [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(grad.data_ptr());
    T* to = static_cast<T*>(dense.data_ptr());
    const int64_t planes = grad.numel() / out_plane;
    parallel_for(0, planes, std::max<int64_t>(1, kGrainSize / in_plane),
                 [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        T* plane = to + p * in_plane;
        std::fill_n(plane, in_plane, T(0));
        for (int64_t k = p * out_plane; k < (p + 1) * out_plane; ++k) {
          TORCH_CHECK(index[k] >= 0 && index[k] < in_plane, "fractional_max_pool_backward: index ",
                      index[k], " is not in a plane of ", in_plane, " elements");
          plane[index[k]] = static_cast<T>(plane[index[k]] + from[k]);
        }
      }
    });
  });
  if (!dense.is_same(output))
    copy_to_output("fractional_max_pool_backward", const_cast<Tensor&>(output), dense);
}

}  // namespace

REGISTER_DISPATCH(fractional_max_pool2d_stub, &pool)
REGISTER_DISPATCH(fractional_max_pool3d_stub, &pool)
REGISTER_DISPATCH(fractional_max_pool2d_backward_stub, &pool_backward)
REGISTER_DISPATCH(fractional_max_pool3d_backward_stub, &pool_backward)

}  // namespace at::native
