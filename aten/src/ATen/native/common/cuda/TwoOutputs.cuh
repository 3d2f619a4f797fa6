#pragma once
// Elementwise kernels with two results:
//
//   struct Split {
//     __device__ Two<float, int32_t> operator()(float x) const;
//   };
//   gpu_kernel_with_two_outputs<TypeList<c10::Half, int32_t, c10::Half>>(iter, Split());
//
// The list has the types in memory: of the outputs, then of the inputs. The operands of the
// iterator must have these types.

#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {

template <typename A, typename B>
struct Two {
  A first;
  B second;
};

namespace loops {

template <typename F, typename First, typename Second, typename... In, size_t... I>
__device__ void compute_two(const F& f, char* const* address, TypeList<First, Second, In...>,
                            std::index_sequence<I...>) {
  const auto result = f(static_cast<Argument<F, static_cast<int>(I)>>(
      *reinterpret_cast<const In*>(address[I + 2]))...);
  *reinterpret_cast<First*>(address[0]) = static_cast<First>(result.first);
  *reinterpret_cast<Second*>(address[1]) = static_cast<Second>(result.second);
}

template <typename F, typename Memory, int N>
__global__ void __launch_bounds__(kLoopThreads)
    two_outputs_kernel(int n, F f, Strided<N> operands) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x;
  if (i >= n) return;
  char* address[N];
#pragma unroll
  for (int k = 0; k < N; ++k) address[k] = operands.at.data[k];
  advance(operands, static_cast<uint32_t>(i), address);
  compute_two(f, address, Memory(), std::make_index_sequence<N - 2>());
}

}  // namespace loops

template <typename Memory, typename F>
void gpu_kernel_with_two_outputs(TensorIteratorBase& iter, const F& f) {
  if (iter.numel() == 0) return;
  constexpr int N = loops::Signature<F>::kInputs + 2;
  const auto types = loops::types_of(Memory());
  static_assert(std::tuple_size_v<decltype(types)> == N);
  for (int k = 0; k < N; ++k)
    TORCH_CHECK(iter.dtype(k) == types[static_cast<size_t>(k)] && !iter.is_host_number(k),
                iter.op_name(), ": operand ", k, " must be a ",
                toString(types[static_cast<size_t>(k)]), " tensor on the device");
  c10::OptionalDeviceGuard guard(iter.device());
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    const int64_t n = piece.numel(), blocks = (n + kLoopThreads - 1) / kLoopThreads;
    c10::cuda::launch(loops::two_outputs_kernel<F, Memory, N>,
                      {static_cast<unsigned>(blocks), kLoopThreads},
                      c10::cuda::getCurrentCUDAStream(piece.device().index()), static_cast<int>(n),
                      f, loops::strided_of<N>(piece));
  });
}

}  // namespace at::native
