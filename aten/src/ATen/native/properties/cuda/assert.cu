// Assertions about values on CUDA devices: the kernel ends, and a later call reports it.

#include <ATen/core/Tensor.h>
#include <ATen/ops/_assert_async_native.h>
#include <ATen/ops/ne.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>

#include <string_view>

namespace at::native {
namespace {

__global__ void assert_kernel(const bool* value) {
  C10_DEVICE_ASSERT(*value && "_assert_async: expected a value that is not zero");
}

}  // namespace

void _assert_async_cuda(const Tensor& self, std::string_view) {
  TORCH_CHECK(self.numel() == 1, "_assert_async: expected a tensor with one value, got ",
              self.numel());
  c10::OptionalDeviceGuard guard(self.device());
  const Tensor is_set = at::ne(self, 0);
  c10::cuda::launch(assert_kernel, {1, 1}, c10::cuda::getCurrentCUDAStream(),
                    static_cast<const bool*>(is_set.data_ptr()));
}
void _assert_async_cuda(const Tensor& self) { _assert_async_cuda(self, {}); }

}  // namespace at::native
