// im2col and col2im on CUDA devices: a thread for each element of the result.

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/convolution/unfold.h>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/convolution/cuda/WindowIndex.cuh>

namespace at::native {
namespace {

template <typename T>
struct Unfold {
  Windows w;
  Dense4Division out, kernel;  // of columns: places of windows, and elements of a window
  const T* image;
  T* columns;
  __device__ void operator()(int64_t i) const {
    const Dense4Index place = out.divide(i), element = kernel.divide(place.outer);
    const int64_t at = covered_element(w, place.at, element.at);
    columns[i] = at >= 0 ? image[element.outer * w.numel() + at] : T{};
  }
};

template <typename T>
struct Fold {
  Windows w;
  Dense4Division size;
  const T* columns;
  T* image;
  __device__ void operator()(int64_t i) const {
    const Dense4Index x = size.divide(i);
    opmath_type<T> sum(0);
    const int64_t length = w.out_numel(), n = w.kernel_numel();
    int64_t k[3], row = x.outer * n;
    for (k[0] = 0; k[0] < w.kernel[0]; ++k[0]) {
      for (k[1] = 0; k[1] < w.kernel[1]; ++k[1]) {
        for (k[2] = 0; k[2] < w.kernel[2]; ++k[2], ++row) {
          const int64_t place = covering_window(w, x.at, k);
          if (place >= 0) sum += static_cast<opmath_type<T>>(columns[row * length + place]);
        }
      }
    }
    image[i] = static_cast<T>(sum);
  }
};

}  // namespace

static void im2col_cuda(const Windows& w, const Tensor& images, const Tensor& columns) {
  const int64_t n = columns.numel();
  gpu_dispatch_bits(images.itemsize(), [&]<typename T>(TypeTag<T>) {
    gpu_for_each(
        images, n,
        Unfold<T>{w, Dense4Division(w.out, n), Dense4Division(w.kernel, n),
                  static_cast<const T*>(images.data_ptr()), static_cast<T*>(columns.data_ptr())});
  });
}

static void col2im_cuda(const Windows& w, const Tensor& columns, const Tensor& images) {
  const int64_t n = images.numel();
  dispatch_types<NumberTypes>(images.scalar_type(), "col2im", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(images, n,
                 Fold<T>{w, Dense4Division(w.size, n), static_cast<const T*>(columns.data_ptr()),
                         static_cast<T*>(images.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(im2col_stub, &im2col_cuda)
REGISTER_CUDA_DISPATCH(col2im_stub, &col2im_cuda)

}  // namespace at::native
