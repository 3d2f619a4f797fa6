// masked_fill on CUDA devices.

#include <cstring>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/masked/masked.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

template <typename T>
struct FillWhere {
  T value;
  __device__ T operator()(T a, bool mask) const { return mask ? value : a; }
};

}  // namespace

static void masked_fill_kernel(TensorIteratorBase& iter, const Scalar& value) {
  alignas(16) char bytes[16];
  dispatch_types<AllTypes>(iter.dtype(0), "masked_fill", [&]<typename T>(TypeTag<T>) {
    const T x = value.cast<T>();
    std::memcpy(bytes, &x, sizeof x);
  });
  gpu_dispatch_bits(elementSize(iter.dtype(0)), [&]<typename T>(TypeTag<T>) {
    FillWhere<T> fill;
    std::memcpy(&fill.value, bytes, sizeof(T));
    gpu_kernel_bits(iter, fill);
  });
}

REGISTER_CUDA_DISPATCH(masked_fill_stub, &masked_fill_kernel)

}  // namespace at::native
