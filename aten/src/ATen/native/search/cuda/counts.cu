// bincount and histc on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/search/search.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/item.h>
#include <ATen/native/common/cuda/Cells.cuh>

namespace at::native {
namespace {

struct Value {
  const int64_t* x;
  __device__ int64_t operator()(int64_t i) const { return x[i]; }
};

template <typename T>
struct Cell {
  const T* x;
  T first, last, scale;
  int64_t bins;
  __device__ int64_t operator()(int64_t i) const {
    const T v = x[i];
    if (!(v >= first && v <= last)) return -1;
    const auto bin = static_cast<int64_t>((v - first) * scale);
    return bin < bins ? bin : bins - 1;
  }
};

void store(const Tensor& sums, const Tensor& out) {
  Tensor to = out;
  copy_(to, sums, false);
}

}  // namespace

static IntegerBounds integer_bounds_cuda(const Tensor& x) {
  const auto [min, max] = at::aminmax(x);
  return {at::item(min).toLong(), at::item(max).toLong()};
}

static void bincount_cuda(const Tensor& x, const Tensor& weights, const Tensor& out) {
  c10::OptionalDeviceGuard guard(out.device());
  const Tensor longs = x.scalar_type() == kLong ? x : at::_to_copy(x, kLong);
  const Value value{static_cast<const int64_t*>(longs.data_ptr())};
  store(sum_in_cells(value, x.numel(), out.numel(), weights, out.device()), out);
}

static void histc_cuda(const Tensor& x, double low, double high, const Tensor& out) {
  c10::OptionalDeviceGuard guard(out.device());
  const int64_t bins = out.numel();
  dispatch_types<FloatingTypes>(x.scalar_type(), "histogram_cuda", [&]<typename T>(TypeTag<T>) {
    const T first = static_cast<T>(low), last = static_cast<T>(high);
    const Cell<T> cell{static_cast<const T*>(x.data_ptr()), first, last,
                       static_cast<T>(bins) / (last - first), bins};
    store(sum_in_cells(cell, x.numel(), bins, Tensor(), out.device()), out);
  });
}

REGISTER_CUDA_DISPATCH(integer_bounds_stub, &integer_bounds_cuda)
REGISTER_CUDA_DISPATCH(bincount_stub, &bincount_cuda)
REGISTER_CUDA_DISPATCH(histc_stub, &histc_cuda)

}  // namespace at::native
