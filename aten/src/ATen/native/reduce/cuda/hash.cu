// hash_tensor on CUDA devices: exclusive or over the bits of elements, which are widened to 64
// bits.

#include <algorithm>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/hash_tensor_native.h>
#include <ATen/ops/permute.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/Atomics.cuh>

namespace at::native {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kPart = 64 * kThreads;  // elements of a row that a block takes

template <typename T>
__device__ uint64_t widened(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  } else {
    return atomics::bits<uint64_t>(static_cast<double>(value));
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    hash_kernel(const T* from, int64_t n, int64_t parts, uint64_t* to) {
  const int64_t row = blockIdx.x / parts, begin = blockIdx.x % parts * kPart;
  const int64_t end = std::min(n, begin + kPart);
  uint64_t bits = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) bits ^= widened(from[row * n + i]);
  for (int step = 16; step > 0; step /= 2) bits ^= __shfl_xor_sync(0xffffffffu, bits, step);
  if (threadIdx.x % 32 == 0 && bits != 0)
    atomic_update(to + row, [=](uint64_t old) { return old ^ bits; });
}

}  // namespace

static void hash_tensor_cuda(const Tensor& self, IntArrayRef dim, bool, int64_t,
                             const Tensor& out) {
  if (out.numel() == 0) return;
  const c10::cuda::CUDAGuard guard(self.device());
  DimVector reduced, order;
  for (int64_t d : dim) reduced.push_back(self.dim() > 0 ? maybe_wrap_dim(d, self.dim()) : d);
  auto is_reduced = [&](int64_t d) {
    return dim.empty() || std::find(reduced.begin(), reduced.end(), d) != reduced.end();
  };
  for (bool last : {false, true}) {
    for (int64_t d = 0; d < self.dim(); ++d)
      if (is_reduced(d) == last) order.push_back(d);
  }
  const Tensor rows = at::contiguous(at::permute(self, order));
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const Tensor dense = out.is_contiguous() ? out : empty_tensor(out.sizes(), kUInt64, out.device());
  C10_CUDA_CHECK(cudaMemsetAsync(dense.data_ptr(), 0, dense.nbytes(), stream));
  const int64_t n = self.numel() / out.numel(), parts = (n + kPart - 1) / kPart,
                blocks = parts * out.numel();
  TORCH_CHECK(blocks <= 0x7fffffff, "hash_tensor: ", out.numel(),
              " results are too many for a CUDA device");
  if (blocks > 0) {
    dispatch_types<RealTypes, bool, UnsignedTypes>(self.scalar_type(), "hash_tensor",
                                                   [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(hash_kernel<T>, {static_cast<unsigned>(blocks), kThreads}, stream,
                        static_cast<const T*>(rows.data_ptr()), n, parts,
                        static_cast<uint64_t*>(dense.data_ptr()));
    });
  }
  if (!dense.is_same(out)) copy_to_output("hash_tensor", const_cast<Tensor&>(out), dense);
}

REGISTER_CUDA_DISPATCH(hash_tensor_stub, &hash_tensor_cuda)

}  // namespace at::native
