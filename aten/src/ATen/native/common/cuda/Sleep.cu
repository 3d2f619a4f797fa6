// A kernel that waits.

#include <ATen/cuda/Sleep.h>
#include <c10/cuda/Launch.h>
#ifdef TORCH_CUDA_EMULATED
#include <clock64.h>
#endif

namespace at::cuda {

__global__ void sleep_kernel(int64_t cycles) {
  const auto start = static_cast<int64_t>(clock64());
  while (static_cast<int64_t>(clock64()) - start < cycles) {
  }
}

void sleep(int64_t cycles) {
  c10::cuda::launch(sleep_kernel, {1, 1}, c10::cuda::getCurrentCUDAStream(), cycles);
}

}  // namespace at::cuda
