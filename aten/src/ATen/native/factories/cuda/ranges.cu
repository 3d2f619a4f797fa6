// arange, linspace and logspace on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/factories/ranges.h>
#include <ATen/native/factories/spaced.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native {
namespace {

constexpr int kThreads = 256;

template <typename T, typename Wide>
__global__ void __launch_bounds__(kThreads) progression(T* out, int64_t n, Wide first, Wide step) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += threads)
    out[i] = static_cast<T>(first + static_cast<Wide>(i) * step);
}

template <typename T, typename Wide>
void run(const Tensor& out, Wide first, Wide step) {
  const int64_t n = out.numel();
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads, 0x7fffffff);
  c10::cuda::launch(progression<T, Wide>, {static_cast<unsigned>(blocks), kThreads},
                    c10::cuda::getCurrentCUDAStream(), static_cast<T*>(out.data_ptr()), n, first,
                    step);
}

template <typename T, typename F>
__global__ void __launch_bounds__(kThreads) fill_vector(T* out, int64_t n, F value) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += threads)
    out[i] = static_cast<T>(value(i));
}

template <typename T, typename F>
void run_fill(const Tensor& out, const F& value) {
  const int64_t n = out.numel();
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads, 0x7fffffff);
  c10::OptionalDeviceGuard guard(out.device());
  c10::cuda::launch(fill_vector<T, F>, {static_cast<unsigned>(blocks), kThreads},
                    c10::cuda::getCurrentCUDAStream(), static_cast<T*>(out.data_ptr()), n, value);
}

}  // namespace

static void linspace_cuda(const Tensor& out, const Scalar& start, const Scalar& end) {
  if (out.numel() == 0) return;
  dispatch_types<NumberTypes, UnsignedTypes>(
      out.scalar_type(), "linspace",
      [&]<typename T>(TypeTag<T>) { run_fill<T>(out, Spaced<T>(start, end, out.numel())); });
}
REGISTER_CUDA_DISPATCH(linspace_stub, &linspace_cuda)

static void logspace_cuda(const Tensor& out, const Scalar& start, const Scalar& end, double base) {
  if (out.numel() == 0) return;
  dispatch_types<NumberTypes, UnsignedTypes>(out.scalar_type(), "logspace",
                                             [&]<typename T>(TypeTag<T>) {
    run_fill<T>(out, SpacedPower<T>{Spaced<T>(start, end, out.numel()), base});
  });
}
REGISTER_CUDA_DISPATCH(logspace_stub, &logspace_cuda)

static void progression_cuda(const Tensor& out, const Scalar& start, const Scalar& step,
                             const char* op) {
  if (out.numel() == 0) return;
  c10::OptionalDeviceGuard guard(out.device());
  dispatch_types<RealTypes, UnsignedTypes>(out.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      // Sums wrap: types of a size share a kernel.
      using U = std::make_unsigned_t<T>;
      run<U, uint64_t>(out, static_cast<uint64_t>(static_cast<int64_t>(start.to<T>())),
                       static_cast<uint64_t>(step.to<int64_t>()));
    } else {
      run<T, double>(out, start.to<double>(), step.to<double>());
    }
  });
}
REGISTER_CUDA_DISPATCH(progression_stub, &progression_cuda)

}  // namespace at::native
