// The host's part of gpu_for_each.

#include <algorithm>

#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {

void start_for_each(const Tensor& tensor, int64_t n, c10::cuda::Starter start) {
  if (n <= 0) return;
  c10::OptionalDeviceGuard guard(tensor.device());
  const int64_t blocks = std::min<int64_t>((n + kForEachThreads - 1) / kForEachThreads, 0x7fffffff);
  start({static_cast<unsigned>(blocks), kForEachThreads}, c10::cuda::getCurrentCUDAStream());
}

}  // namespace at::native
