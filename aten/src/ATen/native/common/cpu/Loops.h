#pragma once
// cpu_kernel: makes an elementwise kernel from a function of single elements or of vectors.
//
//   cpu_kernel(iter, [](float a, float b) { return a < b; });  // GCC vectorizes the loop
//   cpu_kernel_vec(iter, [](Vec<float> x) { return exp(x); }); // explicit vectors, for SLEEF
//
// The functor's types are the compute types; operands that are stored otherwise (Half, strided,
// broadcast) are converted to that form piece by piece: see ATen/native/common/Elementwise.h. Only
// the loop over contiguous elements is instantiated here.

#include <tuple>
#include <utility>

#include <ATen/native/common/BoolBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/Elementwise.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename F>
struct FunctorTraits : FunctorTraits<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct FunctorTraits<R (C::*)(A...) const> {
  using result = R;
  using arguments = std::tuple<std::decay_t<A>...>;
  static constexpr size_t arity = sizeof...(A);
};

template <typename R, typename Arguments>
struct OperandTypes;
template <typename R, typename... A>
struct OperandTypes<R, std::tuple<A...>> {
  static constexpr ScalarType value[] = {CppTypeToScalarType<R>::value,
                                         CppTypeToScalarType<A>::value...};
};

// Whether all operands are dense and of these types, and few enough for one thread.
inline bool is_small_and_plain(const TensorIteratorBase& iter, const ScalarType* types,
                               int64_t grain) {
  if (iter.numel() > grain || !iter.is_contiguous()) return false;
  for (int k = 0; k < iter.ntensors(); ++k) {
    if (iter.dtype(k) != types[k]) return false;
  }
  return true;
}

template <size_t N>
void run_loops(TensorIteratorBase& iter, const ScalarType (&types)[N],
               const ElementwiseLoops& loops, int64_t grain) {
  if (is_small_and_plain(iter, types, grain)) {
    char* data[N];
    for (size_t k = 0; k < N; ++k) data[k] = static_cast<char*>(iter.data_ptr(static_cast<int>(k)));
    // One copy of the loop: GCC would inline it here too, if it knew what is called.
    const ElementwiseLoops* known = &loops;
    asm("" : "+r"(known));
    known->contiguous(data, nullptr, iter.numel(), 1);
  } else {
    run_elementwise(iter, types, loops, grain);
  }
}

// row(data) for each row of N operands.
template <size_t N, typename F>
C10_ALWAYS_INLINE void for_rows(char* const* data, const int64_t* steps, int64_t rows,
                                const F& row) {
  char* at[N];
  for (size_t k = 0; k < N; ++k) at[k] = data[k];
  for (int64_t r = 0; r < rows; ++r) {
    row(at);
    if (r + 1 == rows) return;
    for (size_t k = 0; k < N; ++k) at[k] += steps[k];
  }
}

struct NoConstant {};

// Runs loop(data, n), over contiguous operands. constant(which, data, n), if there is one, takes a
// single element of operand `which`.
template <size_t N, typename L, typename C = NoConstant>
void run_loop(TensorIteratorBase& iter, const ScalarType (&types)[N], const L& loop, int64_t grain,
              const C& constant = {}, int64_t short_row_bytes = kShortRowOfRegisters) {
  const auto rows_of = [&loop](char* const* data, const int64_t* steps, int64_t n, int64_t rows) {
    for_rows<N>(data, steps, rows, [&](char* const* row) { loop(row, n); });
  };
  if constexpr (std::is_same_v<C, NoConstant>) {
    run_loops(iter, types, {rows_of, {}, short_row_bytes}, grain);
  } else {
    const auto constant_rows = [&constant](int which, char* const* data, const int64_t* steps,
                                           int64_t n, int64_t rows) {
      for_rows<N>(data, steps, rows, [&](char* const* row) { constant(which, row, n); });
    };
    run_loops(iter, types, {rows_of, ConstantLoop(constant_rows), short_row_bytes}, grain);
  }
}

template <typename T>
C10_ALWAYS_INLINE T element_at(const T* from, int64_t i) {
  if constexpr (std::is_same_v<T, bool>) return is_true(from, i);
  else return from[i];
}

template <typename R, typename F, typename... A, size_t... I>
void scalar_loop(const F& f, char* const* data, int64_t n, std::tuple<A...>*,
                 std::index_sequence<I...>) {
  R* out = reinterpret_cast<R*>(data[0]);
  const std::tuple<const A*...> in(reinterpret_cast<const A*>(data[I + 1])...);
  (void)in;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(element_at(std::get<I>(in), i)...);
}

template <typename F>
void cpu_kernel(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize) {
  using R = typename FunctorTraits<F>::result;
  using Arguments = typename FunctorTraits<F>::arguments;
  auto loop = [&f](char* const* data, int64_t n) {
    const F mine = f;  // a local copy can live in registers
    scalar_loop<R>(mine, data, n, static_cast<Arguments*>(nullptr),
                   std::make_index_sequence<FunctorTraits<F>::arity>());
  };
  run_loop(iter, OperandTypes<R, Arguments>::value, loop, grain, NoConstant(), kShortRowOfElements);
}

// Argument number `which` is the same for all elements: data has a pointer to it.
template <size_t which, typename R, typename F, typename... A, size_t... I>
void constant_loop(const F& f, char* const* data, int64_t n, std::tuple<A...>*,
                   std::index_sequence<I...>) {
  R* out = reinterpret_cast<R*>(data[0]);
  const std::tuple<const A*...> in(reinterpret_cast<const A*>(data[I + 1])...);
  const auto constant = element_at(std::get<which>(in), 0);
  const auto argument = [&]<size_t k>(std::integral_constant<size_t, k>, int64_t i) {
    if constexpr (k == which) return constant;
    else return element_at(std::get<k>(in), i);
  };
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(argument(std::integral_constant<size_t, I>(), i)...);
}

// Runs f's loops on operands of these types: the loop over contiguous elements, and one for each
// argument that is the same for all of them.
template <typename F, size_t N>
void run_rows(TensorIteratorBase& iter, const ScalarType (&types)[N], const F& f, int64_t grain) {
  using R = typename FunctorTraits<F>::result;
  using Arguments = typename FunctorTraits<F>::arguments;
  using Indices = std::make_index_sequence<N - 1>;
  auto loop = [&f](char* const* data, int64_t n) {
    const F mine = f;
    scalar_loop<R>(mine, data, n, static_cast<Arguments*>(nullptr), Indices());
  };
  auto constant = [&f](int which, char* const* data, int64_t n) {
    const F mine = f;
    auto* const arguments = static_cast<Arguments*>(nullptr);
    if (which == 1) return constant_loop<0, R>(mine, data, n, arguments, Indices());
    if (which == 2) return constant_loop<1, R>(mine, data, n, arguments, Indices());
    if constexpr (N > 3) constant_loop<2, R>(mine, data, n, arguments, Indices());
  };
  run_loop(iter, types, loop, grain, constant, kShortRowOfElements);
}

// cpu_kernel for a functor of which one argument is often the same for all elements of a row:
// x * scale.unsqueeze(1). Compiles a loop for each argument, so only for the commonest functors.
template <typename F>
void cpu_kernel_rows(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize) {
  using R = typename FunctorTraits<F>::result;
  run_rows(iter, OperandTypes<R, typename FunctorTraits<F>::arguments>::value, f, grain);
}

// The types that operands have. They must be as wide as the functor's.
template <size_t N>
void stored_types(const TensorIteratorBase& iter, ScalarType (&types)[N]) {
  for (size_t k = 0; k < N; ++k) types[k] = iter.dtype(static_cast<int>(k));
}

// For functors on unsigned integers that are also correct for signed ones of the same width, and
// for bools as bytes: the operands are used as they are.
template <typename F>
void cpu_kernel_bits(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize) {
  using R = typename FunctorTraits<F>::result;
  using Arguments = typename FunctorTraits<F>::arguments;
  constexpr size_t N = FunctorTraits<F>::arity;
  auto loop = [&f](char* const* data, int64_t n) {
    const F mine = f;
    scalar_loop<R>(mine, data, n, static_cast<Arguments*>(nullptr), std::make_index_sequence<N>());
  };
  ScalarType types[N + 1];
  stored_types(iter, types);
  run_loop(iter, types, loop, grain, NoConstant(), kShortRowOfElements);
}
// The same with a loop for each argument, as cpu_kernel_rows.
template <typename F>
void cpu_kernel_bits_rows(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize) {
  ScalarType types[FunctorTraits<F>::arity + 1];
  stored_types(iter, types);
  run_rows(iter, types, f, grain);
}

// f(tag of the unsigned type of this many bytes, up to 8), for cpu_kernel_bits.
template <typename F>
void dispatch_bits(size_t itemsize, const F& f) {
  by_size(itemsize, [&](auto bits) {
    if constexpr (sizeof(bits) <= 8) f(TypeTag<decltype(bits)>());
  });
}

template <typename T, typename F, size_t... I>
void vec_loop(const F& f, char* const* data, int64_t n, std::index_sequence<I...>) {
  T* out = reinterpret_cast<T*>(data[0]);
  const T* in[] = {reinterpret_cast<const T*>(data[I + 1])...};
  constexpr int64_t W = Vec<T>::size;
  if (n < W) {
    if (n > 0) f(Vec<T>::load(in[I], n)...).store(out, n);
    return;
  }
  // The last register overlaps the one before it. It is computed first: `out` may be an operand.
  const int64_t last = n - W;
  const auto end = f(Vec<T>::load(in[I] + last)...);
  for (int64_t i = 0; i < last; i += W) f(Vec<T>::load(in[I] + i)...).store(out + i);
  end.store(out + last);
}

template <typename T, size_t>
using Repeat = T;
template <typename T, size_t... I>
std::tuple<Repeat<T, I>...> repeated(std::index_sequence<I...>);

template <typename F>
void cpu_kernel_vec(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize / 4) {
  using T = typename FunctorTraits<F>::result::value_type;
  constexpr size_t N = FunctorTraits<F>::arity;
  auto loop = [&f](char* const* data, int64_t n) {
    const F mine = f;
    vec_loop<T>(mine, data, n, std::make_index_sequence<N>());
  };
  run_loop(iter, OperandTypes<T, decltype(repeated<T>(std::make_index_sequence<N>()))>::value, loop,
           grain);
}

// --- which types to compute in ------------------------------------------------------------------
// f(tag of the compute type); Half and BFloat16 compute in float.

template <typename F>
void dispatch_floating(ScalarType dtype, const char* op, const F& f) {
  switch (dtype) {
    case kFloat:
    case kHalf:
    case kBFloat16:
      f(TypeTag<float>());
      break;
    case kDouble:
      f(TypeTag<double>());
      break;
    default:
      fail_dispatch_types(op, dtype);
  }
}

template <typename F>
void dispatch_complex(ScalarType dtype, const char* op, const F& f) {
  switch (dtype) {
    case kComplexHalf:
    case kComplexFloat:
      f(TypeTag<c10::complex<float>>());
      break;
    case kComplexDouble:
      f(TypeTag<c10::complex<double>>());
      break;
    default:
      fail_dispatch_types(op, dtype);
  }
}

// Integers without bool. Functions that wrap or only move bits need just dispatch_bits, half as
// many loops.
template <typename F>
void dispatch_integral(ScalarType dtype, const char* op, const F& f) {
  dispatch_types<IntegralTypes, UnsignedTypes>(dtype, op, f);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
