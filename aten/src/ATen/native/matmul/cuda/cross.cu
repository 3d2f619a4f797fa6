// Cross products of vectors of three elements on CUDA devices: a thread for each vector.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/matmul/matmul.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

constexpr int kThreads = 128;

template <typename T>
__global__ void __launch_bounds__(kThreads)
    cross_kernel(int64_t vectors, int64_t inner, const T* x, const T* y, T* to) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t v = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; v < vectors;
       v += step) {
    const int64_t p = v / inner * 3 * inner + v % inner, q = p + inner, r = q + inner;
    const T a[3] = {x[p], x[q], x[r]}, b[3] = {y[p], y[q], y[r]};
    to[p] = static_cast<T>(a[1] * b[2] - a[2] * b[1]);
    to[q] = static_cast<T>(a[2] * b[0] - a[0] * b[2]);
    to[r] = static_cast<T>(a[0] * b[1] - a[1] * b[0]);
  }
}

}  // namespace

static void cross(const Tensor& out, const Tensor& a, const Tensor& b, int64_t dim) {
  if (out.numel() == 0) return;
  c10::OptionalDeviceGuard guard(out.device());
  const int64_t vectors = out.numel() / 3, inner = product(out.sizes().slice(dim + 1));
  const int64_t blocks = std::min<int64_t>((vectors + kThreads - 1) / kThreads, 65535);
  dispatch_types<NumberTypes>(out.scalar_type(), "cross", [&]<typename T>(TypeTag<T>) {
    c10::cuda::launch(cross_kernel<T>, {static_cast<unsigned>(blocks), kThreads},
                      c10::cuda::getCurrentCUDAStream(), vectors, inner,
                      static_cast<const T*>(a.data_ptr()), static_cast<const T*>(b.data_ptr()),
                      static_cast<T*>(out.data_ptr()));
  });
}

REGISTER_CUDA_DISPATCH(cross_stub, &cross)

}  // namespace at::native
