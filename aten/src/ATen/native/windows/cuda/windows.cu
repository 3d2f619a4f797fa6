// Window functions on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/windows/window_value.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

template <typename T>
struct Window {
  WindowShape shape;
  T* out;
  __device__ void operator()(int64_t i) const {
    out[i] = static_cast<T>(window_value(shape, static_cast<double>(i)));
  }
};

}  // namespace

static void window_cuda(const Tensor& out, const WindowShape& shape) {
  if (out.numel() == 0) return;
  dispatch_types<FloatingAndReduced>(out.scalar_type(), "window", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(out, out.numel(), Window<T>{shape, static_cast<T*>(out.data_ptr())});
  });
}
REGISTER_CUDA_DISPATCH(window_stub, &window_cuda)

}  // namespace at::native
