// fill_ and zero_ on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/fill__native.h>
#include <ATen/ops/zero__native.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

template <typename T>
struct Constant {
  T value;
  __device__ T operator()() const { return value; }
};

}  // namespace

static void fill_scalar_kernel(Tensor& self, const Scalar& value) {
  if (self.numel() == 0) return;
  // Elements that share memory all get the same value: no need to reject them.
  auto iter = TensorIteratorConfig("fill_")
                  .add_output(self)
                  .resize_outputs(false)
                  .set_check_mem_overlap(false)
                  .build();
  alignas(16) char bytes[16];
  dispatch_types<AllTypes>(self.scalar_type(), "fill_", [&]<typename T>(TypeTag<T>) {
    const T element = checked_value<T>(value);
    std::memcpy(bytes, &element, sizeof element);
  });
  gpu_dispatch_bits(self.itemsize(), [&]<typename T>(TypeTag<T>) {
    Constant<T> constant;
    std::memcpy(&constant.value, bytes, sizeof(T));
    gpu_kernel_bits(iter, constant);
  });
}

static void zero_kernel(Tensor& self) {
  if (!self.is_non_overlapping_and_dense()) return fill_scalar_kernel(self, 0);
  c10::OptionalDeviceGuard guard(self.device());
  C10_CUDA_CHECK(
      cudaMemsetAsync(self.data_ptr(), 0, self.nbytes(), c10::cuda::getCurrentCUDAStream()));
}

static void fill_tensor_kernel(Tensor& self, const Tensor& value) {
  // A number of another device is read; one of this device is copied without the host.
  if (value.is_cuda()) copy_(self, value, false);
  else fill_scalar_kernel(self, at::_local_scalar_dense(value));
}

REGISTER_CUDA_DISPATCH(zero_stub, &zero_kernel)
REGISTER_CUDA_DISPATCH(fill_scalar_stub, &fill_scalar_kernel)
REGISTER_CUDA_DISPATCH(fill_tensor_stub, &fill_tensor_kernel)

}  // namespace at::native
