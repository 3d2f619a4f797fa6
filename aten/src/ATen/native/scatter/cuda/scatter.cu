// gather and scatter along one dimension on CUDA devices: a thread for each index. Elements that
// several threads change are changed atomically, in no particular order; in deterministic mode, and
// for types too wide for that, a thread goes through all indices of a line instead.

#include <ATen/Context.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/scatter/scatter.h>
#include <ATen/native/common/cuda/Atomics.cuh>
#include <ATen/native/common/cuda/ForEach.cuh>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

// The shape of the index tensor, innermost dimension first, and the element strides of the indexed
// tensor, the index, and the other tensor. The stride of the indexed tensor along dim is apart.
struct Lines {
  int ndim = 0;
  int64_t size[kMaxLoopDims];
  int64_t strides[kMaxLoopDims][3];
  int64_t length = 1, length_stride[3] = {};
  int64_t indexed_size = 1;
};

Lines lines_of(const Tensor& indexed, const Tensor& index, const Tensor& other, int64_t dim) {
  Lines lines;
  const int64_t rank = index.dim();
  TORCH_CHECK(rank <= kMaxLoopDims + 1, "gather and scatter on a CUDA device take up to ",
              kMaxLoopDims + 1, " dimensions, got ", rank);
  const Tensor* all[] = {&indexed, &index, &other};
  for (int64_t d = rank - 1; d >= 0; --d) {
    // A single element that is used for all has no dimensions.
    auto stride = [&](int k) { return all[k]->dim() == rank ? all[k]->strides()[d] : 0; };
    if (d == dim) {
      lines.length = index.sizes()[d];
      for (int k = 0; k < 3; ++k) lines.length_stride[k] = stride(k);
      lines.indexed_size = indexed.sizes()[d];
      continue;
    }
    lines.size[lines.ndim] = index.sizes()[d];
    for (int k = 0; k < 3; ++k) lines.strides[lines.ndim][k] = stride(k);
    ++lines.ndim;
  }
  return lines;
}

// f(element of the indexed tensor, element of the other one) for index k of the line.
template <typename T, typename F>
__device__ void at_index(const Lines& lines, int64_t line, int64_t k, T* indexed,
                         const int64_t* index, T* other, const F& f) {
  int64_t at[3] = {0, k * lines.length_stride[1], k * lines.length_stride[2]};
  for (int d = 0; d < lines.ndim; ++d) {
    const int64_t coordinate = line % lines.size[d];
    line /= lines.size[d];
    for (int j = 0; j < 3; ++j) at[j] += coordinate * lines.strides[d][j];
  }
  const int64_t chosen = index[at[1]];
  C10_DEVICE_ASSERT(chosen >= 0 && chosen < lines.indexed_size && "index out of bounds");
  f(indexed + at[0] + chosen * lines.length_stride[0], other + at[2]);
}

template <typename T, typename F>
__global__ void __launch_bounds__(kForEachThreads)
    parallel_kernel(int64_t n, Lines lines, F f, T* indexed, const int64_t* index, T* other) {
  const int64_t count = n / lines.length, step = static_cast<int64_t>(gridDim.x) * kForEachThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kForEachThreads + threadIdx.x; i < n;
       i += step)
    at_index(lines, i % count, i / count, indexed, index, other, f);
}

template <typename T, typename F>
__global__ void __launch_bounds__(kForEachThreads)
    ordered_kernel(int64_t n, Lines lines, F f, T* indexed, const int64_t* index, T* other) {
  const int64_t count = n / lines.length, step = static_cast<int64_t>(gridDim.x) * kForEachThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kForEachThreads + threadIdx.x; i < count;
       i += step)
    for (int64_t k = 0; k < lines.length; ++k) at_index(lines, i, k, indexed, index, other, f);
}

using Start = void (*)(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                       const Lines& lines, void* indexed, const int64_t* index, void* other);
template <typename T, typename F>
void start_parallel(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                    const Lines& lines, void* indexed, const int64_t* index, void* other) {
  c10::cuda::launch(parallel_kernel<T, F>, shape, stream, n, lines, F(), static_cast<T*>(indexed),
                    index, static_cast<T*>(other));
}
template <typename T, typename F>
void start_ordered(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                   const Lines& lines, void* indexed, const int64_t* index, void* other) {
  c10::cuda::launch(ordered_kernel<T, F>, shape, stream, n, lines, F(), static_cast<T*>(indexed),
                    index, static_cast<T*>(other));
}

enum class Order { any, of_index };
void walk(const Tensor& indexed, int64_t dim, const Tensor& index, const Tensor& other, Order order,
          Start start) {
  const int64_t n = index.numel();
  if (n == 0) return;
  const Lines lines = lines_of(indexed, index, other, dim);
  start_for_each(indexed, order == Order::any ? n : n / lines.length,
                 [&](const c10::cuda::LaunchShape& shape, cudaStream_t stream) {
    start(shape, stream, n, lines, indexed.data_ptr(),
          static_cast<const int64_t*>(index.data_ptr()), other.data_ptr());
  });
}

template <typename T>
struct Gather {
  __device__ void operator()(const T* indexed, T* other) const { *other = *indexed; }
};
template <typename T>
struct Assign {
  __device__ void operator()(T* indexed, const T* other) const { *indexed = *other; }
};

template <typename T>
struct Add {
  __device__ static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else return static_cast<T>(a + b);
  }
};
template <typename T>
struct Multiply {
  __device__ static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else return static_cast<T>(a * b);
  }
};
// NaN stays.
template <typename T>
struct Max {
  __device__ static T of(T a, T b) { return a != a || a > b ? a : b; }
};
template <typename T>
struct Min {
  __device__ static T of(T a, T b) { return a != a || a < b ? a : b; }
};

template <typename T, template <typename> class Op>
struct Ordered {
  __device__ void operator()(T* indexed, const T* other) const {
    *indexed = Op<T>::of(*indexed, *other);
  }
};
template <typename T, template <typename> class Op>
struct Atomic {
  __device__ void operator()(T* indexed, const T* other) const {
    const T value = *other;
    if constexpr (std::is_same_v<Op<T>, Add<T>>) atomic_add(indexed, value);
    else atomic_update(indexed, [=](T old) { return Op<T>::of(old, value); });
  }
};

template <template <typename> class Op, typename List>
void combine(const char* op, const Tensor& self, int64_t dim, const Tensor& index,
             const Tensor& src) {
  dispatch_types<List>(self.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    constexpr bool kHasAtomic = sizeof(T) <= 8 || std::is_same_v<Op<T>, Add<T>>;
    Start start = start_ordered<T, Ordered<T, Op>>;
    Order order = Order::of_index;
    if constexpr (kHasAtomic) {
      if (!at::globalContext().deterministicAlgorithms()) {
        start = start_parallel<T, Atomic<T, Op>>;
        order = Order::any;
      }
    }
    walk(self, dim, index, src, order, start);
  });
}

}  // namespace

static void gather_cuda(const Tensor& out, const Tensor& self, int64_t dim, const Tensor& index) {
  gpu_dispatch_bits(self.itemsize(), [&]<typename T>(TypeTag<T>) {
    walk(self, dim, index, out, Order::any, start_parallel<T, Gather<T>>);
  });
}

static void scatter_cuda(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                         ScatterReduce reduce) {
  using WithBool = JoinT<NumberTypes, bool>;
  using Ordered = JoinT<RealTypes, bool>;
  switch (reduce) {
    case ScatterReduce::assign:
      // Of several values for an element, the last one along dim wins in deterministic mode.
      return gpu_dispatch_bits(self.itemsize(), [&]<typename T>(TypeTag<T>) {
        if (at::globalContext().deterministicAlgorithms())
          walk(self, dim, index, src, Order::of_index, start_ordered<T, Assign<T>>);
        else walk(self, dim, index, src, Order::any, start_parallel<T, Assign<T>>);
      });
    case ScatterReduce::sum:
      return combine<Add, WithBool>("scatter_add_", self, dim, index, src);
    case ScatterReduce::prod:
      return combine<Multiply, WithBool>("scatter", self, dim, index, src);
    case ScatterReduce::amax:
      return combine<Max, Ordered>("scatter_reduce", self, dim, index, src);
    case ScatterReduce::amin:
      return combine<Min, Ordered>("scatter_reduce", self, dim, index, src);
  }
}

REGISTER_CUDA_DISPATCH(gather_stub, &gather_cuda)
REGISTER_CUDA_DISPATCH(scatter_stub, &scatter_cuda)

}  // namespace at::native
