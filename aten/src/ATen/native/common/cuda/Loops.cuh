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
  if (V == 1 || start + V <= n) return compute_vector<V>(f, at, start, memory, kInputs);
  // Only the last thread comes here: more copies of the function would cost time to compile.
#pragma unroll 1
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

// A function of N - 1 arguments as the host sees it. Operand 0 is the result.
template <int N>
struct LoopKernels {
  ScalarType memory[N];     // types of the operands
  ScalarType arguments[N];  // what the function returns and takes
  int vector_elements;      // of a thread of the dense kernel
  void (*start_dense)(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                      const void* f, const Operands<N>& at);
  void (*start_strided)(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                        const void* f, const Strided<N>& operands);
};

// Stores a number on the CPU in the type that a function takes.
void store_number(const TensorIteratorBase& iter, int arg, ScalarType type, char* to);

// strided_of and run are compiled once for each N, in Loops.cu, which lists the Ns: host code that
// depended on the function took as long to compile as its kernels.
constexpr int kMaxLoopOperands = 8;
template <int N>
Strided<N> strided_of(const TensorIteratorBase& iter);

enum class OperandTypes { converted, any };
template <int N>
void run(TensorIteratorBase& iter, const LoopKernels<N>& kernels, OperandTypes types,
         const void* f);

// The rest tells `run` of a function.

template <typename... T>
constexpr int vector_elements(TypeList<T...>) {
  size_t widest = 1;
  ((widest = sizeof(T) > widest ? sizeof(T) : widest), ...);
  return widest == 1 ? 8 : widest >= 16 ? 1 : static_cast<int>(16 / widest);
}

template <typename... T>
constexpr std::array<ScalarType, sizeof...(T)> types_of(TypeList<T...>) {
  return {c10::CppTypeToScalarType<T>::value...};
}

template <typename F, typename Memory, int N>
void start_dense(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n, const void* f,
                 const Operands<N>& at) {
  c10::cuda::launch(dense_kernel<vector_elements(Memory()), F, Memory, N>, shape, stream, n,
                    *static_cast<const F*>(f), at);
}
template <typename F, typename Memory, int N>
void start_strided(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                   const void* f, const Strided<N>& operands) {
  c10::cuda::launch(strided_kernel<F, Memory, N>, shape, stream, static_cast<int>(n),
                    *static_cast<const F*>(f), operands);
}

template <typename F, typename R, typename... A, typename... T>
constexpr LoopKernels<sizeof...(T)> kernels_of(TypeList<R, A...>, TypeList<T...> memory) {
  constexpr int N = sizeof...(T);
  static_assert(N <= kMaxLoopOperands && N == sizeof...(A) + 1);
  return {{c10::CppTypeToScalarType<T>::value...},
          {c10::CppTypeToScalarType<R>::value, c10::CppTypeToScalarType<A>::value...},
          vector_elements(memory),
          start_dense<F, TypeList<T...>, N>,
          start_strided<F, TypeList<T...>, N>};
}

template <typename F, typename Memory>
constexpr auto kKernels = kernels_of<F>(typename Signature<F>::Memory(), Memory());

}  // namespace loops

// Elements of the types in Memory (output, inputs) are converted to what the function takes.
// Operands of other types are converted in passes of their own.
template <typename Memory, typename F>
void gpu_kernel_with_memory(TensorIteratorBase& iter, const F& f) {
  loops::run(iter, loops::kKernels<F, Memory>, loops::OperandTypes::converted, &f);
}

template <typename F>
void gpu_kernel(TensorIteratorBase& iter, const F& f) {
  gpu_kernel_with_memory<typename loops::Signature<F>::Memory>(iter, f);
}

// For functions of bits: any types of the sizes that the function takes.
template <typename F>
void gpu_kernel_bits(TensorIteratorBase& iter, const F& f) {
  loops::run(iter, loops::kKernels<F, typename loops::Signature<F>::Memory>,
             loops::OperandTypes::any, &f);
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
