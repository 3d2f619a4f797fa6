// Norms and maxima of lists of tensors on CUDA devices: a launch over all parts of the tensors, and
// one that joins the parts of each.

#include <cmath>
#include <limits>

#include <ATen/OpMathType.h>
#include <ATen/native/common/ListsAtOnce.h>
#include <ATen/native/common/RealOf.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/TensorGroups.cuh>

namespace at::native {
namespace {

using c10::cuda::LaunchShape;

template <typename O>
__device__ O larger(O a, O b) {  // of a NaN, NaN
  return a != a || a > b ? a : b;
}

template <typename O>
struct Total {
  ForeachReduction kind;
  O value;

  __device__ explicit Total(ForeachReduction k)
      : kind(k), value(k == ForeachReduction::max ? -std::numeric_limits<O>::infinity() : O(0)) {}
  __device__ void add(O a) {
    switch (kind) {
      case ForeachReduction::sum_of_magnitudes:
        value += std::abs(a);
        return;
      case ForeachReduction::root_of_squares:
        value += a * a;
        return;
      case ForeachReduction::largest_magnitude:
        value = larger(value, std::abs(a));
        return;
      default:
        value = larger(value, a);
    }
  }
  // The square of a magnitude is the sum of two.
  __device__ void add(c10::complex<O> z) {
    if (kind == ForeachReduction::root_of_squares) {
      add(z.real());
      add(z.imag());
    } else {
      add(complex_math::abs(z));
    }
  }
  __device__ void join(O other) {
    const bool is_sum =
        kind == ForeachReduction::sum_of_magnitudes || kind == ForeachReduction::root_of_squares;
    value = is_sum ? value + other : larger(value, other);
  }
};

// Thread 0 has the total of the block.
template <typename O>
__device__ void join_block(Total<O>& total) {
  __shared__ O values[kGroupThreads];
  values[threadIdx.x] = total.value;
  for (unsigned step = kGroupThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) {
      total.join(values[threadIdx.x + step]);
      values[threadIdx.x] = total.value;
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    parts_kernel(TensorGroup<2> group, ForeachReduction kind, Real<opmath_type<T>>* parts) {
  using O = opmath_type<T>;
  Total<Real<O>> total(kind);
  change_elements<T, O>(group, part_of_block(group), 1, 0, [&](O* e) { total.add(e[0]); });
  join_block(total);
  if (threadIdx.x == 0) parts[blockIdx.x] = total.value;
}

// A block for each tensor.
template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    join_kernel(TensorGroup<2> group, ForeachReduction kind, const opmath_type<T>* parts) {
  using O = opmath_type<T>;
  Total<O> total(kind);
  const uint32_t end = group.first_block[blockIdx.x + 1];
  for (uint32_t i = group.first_block[blockIdx.x] + threadIdx.x; i < end; i += kGroupThreads)
    total.join(parts[i]);
  join_block(total);
  if (threadIdx.x != 0) return;
  const bool has_root = kind == ForeachReduction::root_of_squares;
  *reinterpret_cast<T*>(group.data[1][blockIdx.x]) =
      static_cast<T>(has_root ? std::sqrt(total.value) : total.value);
}

}  // namespace

static void foreach_reduce_cuda(ForeachReduction kind, TensorList self, TensorList outputs) {
  auto launch = [&](const TensorGroup<2>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced, ComplexTypes>(type, "foreach", [&]<typename T>(TypeTag<T>) {
      using O = Real<opmath_type<T>>;
      const Tensor parts = empty_tensor({static_cast<int64_t>(group.first_block[group.count])},
                                        c10::CppTypeToScalarType<O>::value, self[0].device());
      auto* data = static_cast<O*>(parts.data_ptr());
      c10::cuda::launch(parts_kernel<T>, shape, stream, group, kind, data);
      const LaunchShape tensors{static_cast<unsigned>(group.count), kGroupThreads};
      c10::cuda::launch(join_kernel<Real<T>>, tensors, stream, group, kind, data);
    });
  };
  TensorGroups<2, decltype(launch)> groups(launch);
  for (size_t i = 0; i < self.size(); ++i) groups.add({self[i], outputs[i]});
  groups.flush();
}
REGISTER_CUDA_DISPATCH(foreach_reduce_stub, &foreach_reduce_cuda)

}  // namespace at::native
