#pragma once
// Elementwise kernels over a TensorIterator.
//
//   template <typename T>
//   struct Square {
//     __device__ T operator()(T x) const { return x * x; }
//   };
//   gpu_kernel(iter, Square<float>());            // elements as the function takes them
//   gpu_opmath_kernel<c10::Half>(iter, Square<float>());  // elements of half, computed in float
//
// Note [Loops on CUDA]
// ~~~~~~~~~~~~~~~~~~~~
// A function is compiled into two kernels. Dense operands are read and written in vectors of up to
// 16 bytes. All others are found by dividing the element's number by the sizes, with
// multiplications in place of divisions. Numbers on the CPU (`x * 2`) travel with the launch, in
// the type that the function takes: they cost no memory access, and are not rounded to a half type.
//
// A kernel covers up to 2^31 - 1 elements, so that indices have 32 bits; larger iterations are cut
// into pieces along their outermost dimension.

#include <array>

#include <ATen/OpMathType.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Convert.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/FastDivision.cuh>

namespace at::native {

constexpr int kLoopThreads = 128;
constexpr int kMaxLoopDims = 16;

namespace loops {

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
  using Memory = TypeList<R, std::decay_t<A>...>;
  static constexpr int kInputs = sizeof...(A);
};

template <typename F, int I>
using Argument = std::tuple_element_t<I, typename Signature<F>::Arguments>;

template <typename T, int N>
struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) Vector {
  T value[N];
};

// The operands' addresses, output first, and the numbers among them.
template <int N>
struct Operands {
  char* data[N];
  bool is_number[N] = {};
  alignas(16) char number[N][16];
};

template <int N>
struct Strided {
  Operands<N> at;
  FastDivision size[kMaxLoopDims];
  int64_t strides[kMaxLoopDims][N];
  int ndim;
};

// Moves the addresses of all operands to the element of that number.
template <int N>
__device__ void advance(const Strided<N>& operands, uint32_t element, char** address) {
  for (int d = 0; d < operands.ndim; ++d) {
    const auto [quotient, remainder] = operands.size[d].divide(element);
    element = quotient;
#pragma unroll
    for (int k = 0; k < N; ++k)
      address[k] += static_cast<int64_t>(remainder) * operands.strides[d][k];
  }
}

template <typename F, typename T, int I, int N>
__device__ Argument<F, I> load(const Operands<N>& at, const char* address) {
  using A = Argument<F, I>;
  if (at.is_number[I + 1]) return *reinterpret_cast<const A*>(at.number[I + 1]);
  return static_cast<A>(*reinterpret_cast<const T*>(address));
}

template <typename F, typename Out, typename... In, size_t... I, int N>
__device__ void compute_one(const F& f, const Operands<N>& at, char* const* address,
                            TypeList<Out, In...>, std::index_sequence<I...>) {
  *reinterpret_cast<Out*>(address[0]) =
      static_cast<Out>(f(load<F, In, static_cast<int>(I)>(at, address[I + 1])...));
}

template <typename F, typename Memory, int N>
__global__ void __launch_bounds__(kLoopThreads) strided_kernel(int n, F f, Strided<N> operands) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x;
  if (i >= n) return;
  char* address[N];
#pragma unroll
  for (int k = 0; k < N; ++k) address[k] = operands.at.data[k];
  advance(operands, static_cast<uint32_t>(i), address);
  compute_one(f, operands.at, address, Memory(), std::make_index_sequence<N - 1>());
}

template <int V, typename F, typename Out, typename... In, size_t... I, int N>
__device__ void compute_vector(const F& f, const Operands<N>& at, int64_t start,
                               TypeList<Out, In...>, std::index_sequence<I...>) {
  std::tuple<Vector<Argument<F, I>, V>...> arguments;
  auto fill = [&](auto& to, auto* element, int k) {
    using T = std::decay_t<decltype(*element)>;
    using A = std::decay_t<decltype(to.value[0])>;
    if (at.is_number[k]) {
      for (int j = 0; j < V; ++j) to.value[j] = *reinterpret_cast<const A*>(at.number[k]);
      return;
    }
    const auto from = *reinterpret_cast<const Vector<T, V>*>(
        at.data[k] + start * static_cast<int64_t>(sizeof(T)));
#pragma unroll
    for (int j = 0; j < V; ++j) to.value[j] = static_cast<A>(from.value[j]);
  };
  (fill(std::get<I>(arguments), static_cast<In*>(nullptr), static_cast<int>(I) + 1), ...);
  (void)fill;
  Vector<Out, V> result;
#pragma unroll
  for (int j = 0; j < V; ++j)
    result.value[j] = static_cast<Out>(f(std::get<I>(arguments).value[j]...));
  *reinterpret_cast<Vector<Out, V>*>(at.data[0] + start * static_cast<int64_t>(sizeof(Out))) =
      result;
}

template <int V, typename F, typename Out, typename... In, int N>
__device__ void dense_part(int64_t start, int64_t n, const F& f, const Operands<N>& at,
                           TypeList<Out, In...> memory) {
  constexpr auto kInputs = std::make_index_sequence<sizeof...(In)>();
  if (start + V <= n) return compute_vector<V>(f, at, start, memory, kInputs);
  for (int64_t i = start; i < n; ++i) {
    char* address[N] = {at.data[0] + i * static_cast<int64_t>(sizeof(Out))};
    int k = 1;
    ((address[k] = at.data[k] + i * static_cast<int64_t>(sizeof(In)), ++k), ...);
    (void)k;
    compute_one(f, at, address, memory, kInputs);
  }
}

template <int V, typename F, typename Memory, int N>
__global__ void __launch_bounds__(kLoopThreads) dense_kernel(int64_t n, F f, Operands<N> at) {
  const int64_t start = (static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x) * V;
  if (start < n) dense_part<V>(start, n, f, at, Memory());
}

// Stores a number on the CPU in the type that the function takes.
template <typename A>
void store_number(const TensorIteratorBase& iter, int arg, char* to) {
  Scalar value;
  dispatch_types<AllTypes>(iter.dtype(arg), "a number", [&]<typename T>(TypeTag<T>) {
    value = Scalar(*static_cast<const T*>(iter.data_ptr(arg)));
  });
  A number = value.cast<A>();
  std::memcpy(to, &number, sizeof number);
}

template <typename F, int N, size_t... I>
Operands<N> operands_of(const TensorIteratorBase& iter, std::index_sequence<I...>) {
  Operands<N> at;
  for (int k = 0; k < N; ++k) at.data[k] = static_cast<char*>(iter.data_ptr(k));
  auto number = [&](int k, auto* argument) {
    if (!iter.is_host_number(k)) return;
    at.is_number[k] = true;
    at.data[k] = nullptr;
    store_number<std::decay_t<decltype(*argument)>>(iter, k, at.number[k]);
  };
  (number(static_cast<int>(I) + 1, static_cast<Argument<F, I>*>(nullptr)), ...);
  (void)number;
  return at;
}

template <int N>
Strided<N> strided_of(const TensorIteratorBase& iter, const Operands<N>& at) {
  Strided<N> strided{at, {}, {}, iter.ndim()};
  TORCH_CHECK(iter.ndim() <= kMaxLoopDims, iter.op_name(),
              ": operands on a CUDA device may have up to ", kMaxLoopDims,
              " dimensions that do not merge, got ", iter.ndim());
  for (int d = 0; d < iter.ndim(); ++d) {
    strided.size[d] = FastDivision(static_cast<uint32_t>(iter.shape()[d]));
    for (int k = 0; k < N; ++k) strided.strides[d][k] = at.is_number[k] ? 0 : iter.strides(k)[d];
  }
  return strided;
}
template <int N>
Strided<N> strided_of(const TensorIteratorBase& iter) {
  Operands<N> at;
  for (int k = 0; k < N; ++k) at.data[k] = static_cast<char*>(iter.data_ptr(k));
  return strided_of(iter, at);
}

template <typename... T>
bool is_dense(const TensorIteratorBase& iter, TypeList<T...>) {
  if (iter.ndim() > 1) return false;
  int k = 0;
  bool dense = true;
  ((dense = dense && (iter.is_host_number(k) || iter.numel() == 1 ||
                      iter.strides(k)[0] == static_cast<int64_t>(sizeof(T))),
    ++k),
   ...);
  return dense;
}

template <typename... T>
bool is_aligned(const TensorIteratorBase& iter, int elements, TypeList<T...>) {
  int k = 0;
  bool aligned = true;
  ((aligned =
        aligned && (iter.is_host_number(k) ||
                    reinterpret_cast<uintptr_t>(iter.data_ptr(k)) % alignof(Vector<T, 1>) == 0),
    ++k),
   ...);
  k = 0;
  ((aligned =
        aligned && (iter.is_host_number(k) ||
                    reinterpret_cast<uintptr_t>(iter.data_ptr(k)) %
                            std::min<uintptr_t>(16, sizeof(T) * static_cast<size_t>(elements)) ==
                        0),
    ++k),
   ...);
  return aligned;
}

template <typename... T>
constexpr int vector_elements(TypeList<T...>) {
  constexpr size_t widest = std::max({sizeof(T)...});
  return widest >= 16 ? 1 : static_cast<int>(std::min<size_t>(16 / widest, 8));
}

template <typename... T>
std::array<ScalarType, sizeof...(T)> types_of(TypeList<T...>) {
  return {c10::CppTypeToScalarType<T>::value...};
}

template <typename F, typename Memory>
void run(const TensorIteratorBase& iter, const F& f) {
  constexpr int N = Signature<F>::kInputs + 1;
  const int64_t n = iter.numel();
  auto stream = c10::cuda::getCurrentCUDAStream(iter.device().index());
  auto at = operands_of<F, N>(iter, std::make_index_sequence<N - 1>());
  constexpr int V = vector_elements(Memory());
  if (is_dense(iter, Memory()) && is_aligned(iter, V, Memory())) {
    const int64_t blocks = (n + kLoopThreads * V - 1) / (kLoopThreads * V);
    return c10::cuda::launch(dense_kernel<V, F, Memory, N>,
                             {static_cast<unsigned>(blocks), kLoopThreads}, stream, n, f, at);
  }
  const Strided<N> strided = strided_of(iter, at);
  const int64_t blocks = (n + kLoopThreads - 1) / kLoopThreads;
  c10::cuda::launch(strided_kernel<F, Memory, N>, {static_cast<unsigned>(blocks), kLoopThreads},
                    stream, static_cast<int>(n), f, strided);
}

}  // namespace loops

// Elements of the types in Memory (output, inputs) are converted to what the function takes.
// Operands of other types are converted in passes of their own.
template <typename Memory, typename F>
void gpu_kernel_with_memory(TensorIteratorBase& iter, const F& f) {
  if (iter.numel() == 0) return;
  c10::OptionalDeviceGuard guard(iter.device());
  const auto types = loops::types_of(Memory());
  ConvertedOperands operands(iter, types);
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) { loops::run<F, Memory>(piece, f); });
  operands.finish();
}

template <typename F>
void gpu_kernel(TensorIteratorBase& iter, const F& f) {
  gpu_kernel_with_memory<typename loops::Signature<F>::Memory>(iter, f);
}

// For functions of bits: any types of the sizes that the function takes.
template <typename F>
void gpu_kernel_bits(TensorIteratorBase& iter, const F& f) {
  if (iter.numel() == 0) return;
  c10::OptionalDeviceGuard guard(iter.device());
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    loops::run<F, typename loops::Signature<F>::Memory>(piece, f);
  });
}

// f(TypeTag<T>) with the unsigned integer of that many bytes; 16 bytes are a complex number.
template <typename F>
void gpu_dispatch_bits(size_t size, F&& f) {
  switch (size) {
    case 1:
      return f(TypeTag<uint8_t>());
    case 2:
      return f(TypeTag<uint16_t>());
    case 4:
      return f(TypeTag<uint32_t>());
    case 8:
      return f(TypeTag<uint64_t>());
    default:
      return f(TypeTag<c10::complex<double>>());
  }
}

namespace loops {
template <typename T, typename R, typename... A>
TypeList<T, std::conditional_t<false, A, T>...> all_of(TypeList<R, A...>);
template <typename Out, typename T, typename R, typename... A>
TypeList<Out, std::conditional_t<false, A, T>...> inputs_of(TypeList<R, A...>);
}  // namespace loops

// All operands are of T in memory; the function takes and returns what T is computed in.
template <typename T, typename F>
void gpu_opmath_kernel(TensorIteratorBase& iter, const F& f) {
  gpu_kernel_with_memory<decltype(loops::all_of<T>(typename loops::Signature<F>::Memory()))>(iter,
                                                                                             f);
}
// The same with another type of result.
template <typename Out, typename T, typename F>
void gpu_opmath_kernel_to(TensorIteratorBase& iter, const F& f) {
  gpu_kernel_with_memory<decltype(loops::inputs_of<Out, T>(
      typename loops::Signature<F>::Memory()))>(iter, f);
}

}  // namespace at::native
