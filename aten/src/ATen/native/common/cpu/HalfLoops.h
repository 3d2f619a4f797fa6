#pragma once
// Loops over halves that are converted in registers. cpu_kernel converts them in pieces, through
// the cache: for functors as cheap as a product, that is half of the time.

#include <array>

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// f for each lane, or on whole vectors where it takes them. f is a copy, whose members GCC may read
// in lanes that do not need them.
template <typename F, typename... V>
C10_ALWAYS_INLINE Vec<float> apply_to_lanes(const F f, V... x) {
  constexpr int kLanes = Vec<float>::size;
  if constexpr (std::is_same_v<typename FunctorTraits<F>::result, Vec<float>>) {
    return f(x...);
  } else {
    // GCC keeps the arrays in registers.
    const auto lanes = [](Vec<float> v) {
      alignas(kVecBytes) std::array<float, kLanes> values;
      v.store(values.data());
      return values;
    };
    alignas(kVecBytes) float out[kLanes];
    [&](const auto&... in) {
    // Unrolled first, some functions of float16 would stay apart, lane by lane.
#pragma GCC unroll 1
      for (int k = 0; k < kLanes; ++k) out[k] = f(in[k]...);
    }(lanes(x)...);
    return Vec<float>::load(out);
  }
}

// Argument number `constant`, if there is one, is the same for all elements: data has a pointer to
// it.
template <typename H, int constant, typename F, size_t... I>
void halves_loop(const F& f, char* const* data, int64_t n, std::index_sequence<I...>) {
  constexpr int64_t W = Vec<float>::size;
  H* out = reinterpret_cast<H*>(data[0]);
  const H* in[] = {reinterpret_cast<const H*>(data[I + 1])...};
  const Vec<float> same(constant < 0 ? 0.f : static_cast<float>(*in[std::max(constant, 0)]));
  // count: nothing for a whole vector, or the elements of a shorter one.
  const auto compute = [&](int64_t i, auto... count) {
    const auto argument = [&]<size_t k>(std::integral_constant<size_t, k>) {
      if constexpr (static_cast<int>(k) == constant) return same;
      else return load_wide(in[k] + i, count...);
    };
    return apply_to_lanes(f, argument(std::integral_constant<size_t, I>())...);
  };
  if (n < W) {
    if (n > 0) store_narrow(compute(0, n), out, n);
    return;
  }
  // The last register overlaps the one before it. It is computed first: `out` may be an operand.
  const int64_t last = n - W;
  const Vec<float> end = compute(last);
  for (int64_t i = 0; i < last; i += W) store_narrow(compute(i), out + i);
  store_narrow(end, out + last);
}

// Runs a loop over operands of type H, if all of them have it.
template <typename H, size_t N, typename L, typename C = NoConstant>
bool run_loop_of(TensorIteratorBase& iter, const L& loop, int64_t grain, const C& constant = {}) {
  ScalarType types[N];
  stored_types(iter, types);
  for (const ScalarType t : types) {
    if (t != CppTypeToScalarType<H>::value) return false;
  }
  run_loop(iter, types, loop, grain, constant);
  return true;
}

enum class Rows { no, yes };

// The loops for H, if all operands have this type. Rows::yes: also those in which one argument is
// the same for all elements.
template <typename H, Rows rows, typename F>
bool halves_kernel(TensorIteratorBase& iter, const F& f, int64_t grain) {
  constexpr size_t N = FunctorTraits<F>::arity;
  using Indices = std::make_index_sequence<N>;
  auto loop = [&f](char* const* data, int64_t n) { halves_loop<H, -1>(f, data, n, Indices()); };
  if constexpr (rows == Rows::yes) {
    auto constant = [&f](int which, char* const* data, int64_t n) {
      if (which == 1) return halves_loop<H, 0>(f, data, n, Indices());
      if (which == 2) return halves_loop<H, 1>(f, data, n, Indices());
      if constexpr (N > 2) halves_loop<H, 2>(f, data, n, Indices());
    };
    return run_loop_of<H, N + 1>(iter, loop, grain, constant);
  } else {
    return run_loop_of<H, N + 1>(iter, loop, grain);
  }
}

// The same for both half types; for other functors than those of floats, nothing.
template <Rows rows, typename F>
bool run_halves(TensorIteratorBase& iter, const F& f, int64_t grain) {
  using R = typename FunctorTraits<F>::result;
  if constexpr (std::is_same_v<R, float> || std::is_same_v<R, Vec<float>>) {
    return halves_kernel<c10::BFloat16, rows>(iter, f, grain) ||
           halves_kernel<c10::Half, rows>(iter, f, grain);
  } else {
    return false;
  }
}

// cpu_kernel, cpu_kernel_vec and cpu_kernel_rows that convert halves in registers. Each compiles a
// loop for each half type, so only for the commonest functors.
template <typename F>
void cpu_kernel_halves(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize) {
  if (!run_halves<Rows::no>(iter, f, grain)) cpu_kernel(iter, f, grain);
}
template <typename F>
void cpu_kernel_vec_halves(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize / 4) {
  if (!run_halves<Rows::no>(iter, f, grain)) cpu_kernel_vec(iter, f, grain);
}
template <typename F>
void cpu_kernel_rows_halves(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize) {
  if (!run_halves<Rows::yes>(iter, f, grain)) cpu_kernel_rows(iter, f, grain);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
