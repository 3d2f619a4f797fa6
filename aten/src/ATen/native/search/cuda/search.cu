// searchsorted and isin on CUDA devices: a thread for each value.

#include <ATen/native/common/BinarySearch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/search/isin.h>
#include <ATen/native/search/search.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/sort/cuda/keys.cuh>

namespace at::native {
namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void __launch_bounds__(kThreads)
    search_kernel(const T* boundaries, int64_t n, const T* values, int64_t count, int64_t each,
                  bool right, bool is_narrow, void* out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += step) {
    const T v = values[i];
    const int64_t at = count_before(boundaries + i / each * n, n,
                                    [=](const T& b) { return right ? !(b > v) : !(b >= v); });
    if (is_narrow) static_cast<int32_t*>(out)[i] = static_cast<int32_t>(at);
    else static_cast<int64_t*>(out)[i] = at;
  }
}

__global__ void __launch_bounds__(kThreads)
    isin_kernel(KeySource elements, int64_t count, KeySource values, int64_t n, uint64_t nan_key,
                bool invert, bool* out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += step) {
    const uint64_t key = elements(i);
    int64_t low = 0, high = n;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (values(middle) < key) low = middle + 1;
      else high = middle;
    }
    // NaN is equal to nothing.
    const bool found = low < n && values(low) == key && (nan_key == 0 || key != nan_key);
    out[i] = found != invert;
  }
}

c10::cuda::LaunchShape shape_of(int64_t count) {
  return {static_cast<unsigned>(std::min<int64_t>((count + kThreads - 1) / kThreads, 0x7fffffff)),
          kThreads};
}

}  // namespace

static void search_cuda(const Tensor& boundaries, const Tensor& values, int64_t lines, bool right,
                        const Tensor& out) {
  c10::OptionalDeviceGuard guard(out.device());
  const int64_t count = values.numel(), n = boundaries.sizes().back();
  // All values search in one line, or each line of them in its own.
  const int64_t each = lines > 1 ? count / lines : count;
  dispatch_types<RealTypes>(boundaries.scalar_type(), "searchsorted_cuda",
                            [&]<typename T>(TypeTag<T>) {
    c10::cuda::launch(search_kernel<T>, shape_of(count), c10::cuda::getCurrentCUDAStream(),
                      static_cast<const T*>(boundaries.data_ptr()), n,
                      static_cast<const T*>(values.data_ptr()), count, each, right,
                      out.scalar_type() == kInt, out.data_ptr());
  });
}

static void isin_cuda(const Tensor& elements, const Tensor& values, bool invert,
                      const Tensor& out) {
  c10::OptionalDeviceGuard guard(out.device());
  const ScalarType type = elements.scalar_type();
  dispatch_types<OrderedTypes>(type, "isin_cuda", [](auto) {});
  c10::cuda::launch(isin_kernel, shape_of(elements.numel()), c10::cuda::getCurrentCUDAStream(),
                    KeySource{elements.data_ptr(), type}, elements.numel(),
                    KeySource{values.data_ptr(), type}, values.numel(), nan_key_of(type), invert,
                    static_cast<bool*>(out.data_ptr()));
}

REGISTER_CUDA_DISPATCH(search_stub, &search_cuda)
REGISTER_CUDA_DISPATCH(isin_stub, &isin_cuda)

}  // namespace at::native
