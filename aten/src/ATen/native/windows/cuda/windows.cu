// Window functions on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/windows/window_value.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void __launch_bounds__(kThreads) window_kernel(T* out, int64_t n, WindowShape shape) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) out[i] = static_cast<T>(window_value(shape, static_cast<double>(i)));
}

}  // namespace

static void window_cuda(const Tensor& out, const WindowShape& shape) {
  const int64_t n = out.numel();
  if (n == 0) return;
  c10::OptionalDeviceGuard guard(out.device());
  dispatch_types<FloatingAndReduced>(out.scalar_type(), "window", [&]<typename T>(TypeTag<T>) {
    c10::cuda::launch(window_kernel<T>,
                      {static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads},
                      c10::cuda::getCurrentCUDAStream(), static_cast<T*>(out.data_ptr()), n, shape);
  });
}
REGISTER_CUDA_DISPATCH(window_stub, &window_cuda)

}  // namespace at::native
