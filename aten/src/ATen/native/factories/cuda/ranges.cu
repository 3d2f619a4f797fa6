// arange, linspace and logspace on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/factories/ranges.h>
#include <ATen/native/factories/spaced.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

// Elements that are computed from their numbers.
template <typename T, typename F>
struct Fill {
  F value;
  T* out;
  __device__ void operator()(int64_t i) const { out[i] = static_cast<T>(value(i)); }
};
template <typename T, typename F>
void fill(const Tensor& out, const F& value) {
  gpu_for_each(out, out.numel(), Fill<T, F>{value, static_cast<T*>(out.data_ptr())});
}

template <typename Wide>
struct Progression {
  Wide first, step;
  __device__ Wide operator()(int64_t i) const { return first + static_cast<Wide>(i) * step; }
};

}  // namespace

static void linspace_cuda(const Tensor& out, const Scalar& start, const Scalar& end) {
  if (out.numel() == 0) return;
  dispatch_types<NumberTypes, UnsignedTypes>(
      out.scalar_type(), "linspace",
      [&]<typename T>(TypeTag<T>) { fill<T>(out, Spaced<T>(start, end, out.numel())); });
}
REGISTER_CUDA_DISPATCH(linspace_stub, &linspace_cuda)

static void logspace_cuda(const Tensor& out, const Scalar& start, const Scalar& end, double base) {
  if (out.numel() == 0) return;
  dispatch_types<NumberTypes, UnsignedTypes>(out.scalar_type(), "logspace",
                                             [&]<typename T>(TypeTag<T>) {
    fill<T>(out, SpacedPower<T>{Spaced<T>(start, end, out.numel()), base});
  });
}
REGISTER_CUDA_DISPATCH(logspace_stub, &logspace_cuda)

static void progression_cuda(const Tensor& out, const Scalar& start, const Scalar& step,
                             const char* op) {
  if (out.numel() == 0) return;
  dispatch_types<RealTypes, UnsignedTypes>(out.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      // Sums wrap: types of a size share a kernel.
      const Progression<uint64_t> values{static_cast<uint64_t>(static_cast<int64_t>(start.to<T>())),
                                         static_cast<uint64_t>(step.to<int64_t>())};
      fill<std::make_unsigned_t<T>>(out, values);
    } else {
      fill<T>(out, Progression<double>{start.to<double>(), step.to<double>()});
    }
  });
}
REGISTER_CUDA_DISPATCH(progression_stub, &progression_cuda)

}  // namespace at::native
