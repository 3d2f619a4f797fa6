// cat and stack of many tensors on CUDA devices in few launches: see Note [Groups of tensors].
//
// Along the joined dimension the output is rows; each input fills a run of every row. Rows are
// moved in the widest words that all runs consist of.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/joining/joining.h>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/TensorGroups.cuh>

namespace at::native {
namespace {

using c10::cuda::LaunchShape;

// The number of a tensor is where its first run begins; `rows` runs make up the tensor.
template <typename T, typename Index>
__global__ void __launch_bounds__(kGroupThreads)
    cat_kernel(TensorGroup<1> group, Index rows, Index pitch) {
  const GroupPart part = part_of_block(group);
  const T* from = reinterpret_cast<const T*>(group.data[0][part.tensor]);
  T* to = static_cast<T*>(const_cast<void*>(group.number[part.tensor].on_device));
  const Index run = static_cast<Index>(group.numel[part.tensor]) / rows;
  for (Index i = static_cast<Index>(part.begin) + threadIdx.x; i < static_cast<Index>(part.end);
       i += kGroupThreads) {
    const Index row = rows == 1 ? 0 : i / run;
    to[row * pitch + (i - row * run)] = from[i];
  }
}

// The widest word that divides `bytes`, an address or a length.
size_t word_of(uint64_t bytes, size_t at_most) {
  while (bytes % at_most != 0) at_most /= 2;
  return at_most;
}

}  // namespace

static void cat_runs_cuda(const Tensor& out, TensorList tensors, int64_t dim) {
  const auto item = static_cast<int64_t>(out.itemsize());
  int64_t rows = 1, inner = item;
  for (int64_t d = 0; d < out.dim(); ++d) {
    if (d < dim) rows *= out.sizes()[d];
    if (d > dim) inner *= out.sizes()[d];
  }
  auto* base = static_cast<char*>(out.data_ptr());
  size_t word = word_of(reinterpret_cast<uintptr_t>(base), 16);
  for (const Tensor& t : tensors) {
    if (is_skipped(t) || t.numel() == 0) continue;
    word = word_of(reinterpret_cast<uintptr_t>(t.data_ptr()), word);
    word = word_of(static_cast<uint64_t>(t.sizes()[dim] * inner), word);
  }
  const auto width = static_cast<int64_t>(word);
  const int64_t pitch = out.sizes()[dim] * inner / width;
  const bool small = static_cast<int64_t>(out.nbytes()) / width < (int64_t(1) << 30);
  auto launch = [&](const TensorGroup<1>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType) {
    gpu_dispatch_bits(word, [&]<typename T>(TypeTag<T>) {
      if (small) {
        c10::cuda::launch(cat_kernel<T, uint32_t>, shape, stream, group,
                          static_cast<uint32_t>(rows), static_cast<uint32_t>(pitch));
      } else {
        c10::cuda::launch(cat_kernel<T, uint64_t>, shape, stream, group,
                          static_cast<uint64_t>(rows), static_cast<uint64_t>(pitch));
      }
    });
  };
  TensorGroups<1, decltype(launch)> groups(launch);
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped(t)) continue;
    const int64_t run = t.sizes()[dim] * inner;
    groups.add({t}, GroupNumber{.on_device = base + at}, true, rows * run / width);
    at += run;
  }
  groups.flush();
}
REGISTER_CUDA_DISPATCH(cat_runs_stub, &cat_runs_cuda)

}  // namespace at::native
