// Zeros and copies of lists of tensors on CUDA devices, as bits of their elements' size.

#include <ATen/native/common/ListsAtOnce.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/TensorGroups.cuh>

namespace at::native {
namespace {

using c10::cuda::LaunchShape;

template <typename T>
__global__ void __launch_bounds__(kGroupThreads) zero_kernel(TensorGroup<1> group) {
  change_elements<T, T>(group, part_of_block(group), 0, 1, [](T* e) { e[0] = T(0); });
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads) copy_kernel(TensorGroup<2> group) {
  change_elements<T, T>(group, part_of_block(group), 2, 1, [](T* e) { e[0] = e[1]; });
}

}  // namespace

static void foreach_zero_cuda(TensorList self) {
  auto launch = [&](const TensorGroup<1>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    gpu_dispatch_bits(elementSize(type), [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(zero_kernel<T>, shape, stream, group);
    });
  };
  TensorGroups<1, decltype(launch)> groups(launch);
  for (const Tensor& t : self) groups.add({t});
  groups.flush();
}

static void foreach_copy_cuda(TensorList self, TensorList source) {
  auto launch = [&](const TensorGroup<2>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    gpu_dispatch_bits(elementSize(type), [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(copy_kernel<T>, shape, stream, group);
    });
  };
  TensorGroups<2, decltype(launch)> groups(launch);
  for (size_t i = 0; i < self.size(); ++i) groups.add({self[i], source[i]});
  groups.flush();
}

REGISTER_CUDA_DISPATCH(foreach_zero_stub, &foreach_zero_cuda)
REGISTER_CUDA_DISPATCH(foreach_copy_stub, &foreach_copy_cuda)

}  // namespace at::native
