#pragma once
// Loops over complex numbers whose real and imaginary parts are in registers of their own.
//
//   cpu_kernel_parts<float>(iter, [](Vec<float> re, Vec<float> im) { return hypot(re, im); });
//
// cpu_kernel_to_complex makes complex numbers of real ones.

#include <algorithm>
#include <type_traits>

#include <ATen/native/common/cpu/Interleaved.h>
#include <ATen/native/common/cpu/Loops.h>
#include <c10/util/complex.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct ComplexVec {
  Vec<T> re, im;
};

template <typename T>
ComplexVec<T> load_parts(const T* from) {
  constexpr int W = Vec<T>::size;
  const typename InterleavedVec<T>::V in[2] = {Vec<T>::load(from).v, Vec<T>::load(from + W).v};
  return {Vec<T>(every_kth<T, 2>(in, 0)), Vec<T>(every_kth<T, 2>(in, 1))};
}
template <typename T>
void store_parts(ComplexVec<T> z, T* to) {
  const typename InterleavedVec<T>::V rows[2] = {z.re.v, z.im.v};
  Vec<T>(in_turns<T, 2>(rows, 0)).store(to);
  Vec<T>(in_turns<T, 2>(rows, 1)).store(to + Vec<T>::size);
}

// out = f(re, im): a Vec, for real results, or a ComplexVec.
template <typename T, typename F>
void parts_loop(const F& f, char* const* data, int64_t n) {
  constexpr int64_t W = Vec<T>::size;
  const T* in = reinterpret_cast<const T*>(data[1]);
  T* out = reinterpret_cast<T*>(data[0]);
  using R = decltype(f(Vec<T>(), Vec<T>()));
  constexpr int64_t kParts = std::is_same_v<R, ComplexVec<T>> ? 2 : 1;
  const auto compute = [&f](const T* from, T* to) {
    const ComplexVec<T> z = load_parts(from);
    if constexpr (kParts == 2) store_parts(f(z.re, z.im), to);
    else f(z.re, z.im).store(to);
  };
  int64_t i = 0;
  for (; i + W <= n; i += W) compute(in + 2 * i, out + kParts * i);
  if (i < n) {
    alignas(kVecBytes) T from[2 * W] = {}, to[kParts * W];
    std::copy_n(in + 2 * i, 2 * (n - i), from);
    compute(from, to);
    std::copy_n(to, kParts * (n - i), out + kParts * i);
  }
}

template <typename T, typename F>
void cpu_kernel_parts(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize / 4) {
  using R = decltype(f(Vec<T>(), Vec<T>()));
  using Out = std::conditional_t<std::is_same_v<R, ComplexVec<T>>, c10::complex<T>, T>;
  const ScalarType types[2] = {CppTypeToScalarType<Out>::value,
                               CppTypeToScalarType<c10::complex<T>>::value};
  auto loop = [&f](char* const* data, int64_t n) { parts_loop<T>(f, data, n); };
  run_loop(iter, types, loop, grain);
}

// out = f(a, b): complex numbers, a ComplexVec, from real ones.
template <typename T, typename F>
void cpu_kernel_to_complex(TensorIteratorBase& iter, const F& f, int64_t grain = kGrainSize / 4) {
  constexpr ScalarType real = CppTypeToScalarType<T>::value;
  const ScalarType types[3] = {CppTypeToScalarType<c10::complex<T>>::value, real, real};
  auto loop = [&f](char* const* data, int64_t n) {
    constexpr int64_t W = Vec<T>::size;
    const T* a = reinterpret_cast<const T*>(data[1]);
    const T* b = reinterpret_cast<const T*>(data[2]);
    T* out = reinterpret_cast<T*>(data[0]);
    int64_t i = 0;
    for (; i + W <= n; i += W)
      store_parts(f(Vec<T>::load(a + i), Vec<T>::load(b + i)), out + 2 * i);
    if (i < n) {
      alignas(kVecBytes) T rest[2 * W];
      store_parts(f(Vec<T>::load(a + i, n - i), Vec<T>::load(b + i, n - i)), rest);
      std::copy_n(rest, 2 * (n - i), out + 2 * i);
    }
  };
  run_loop(iter, types, loop, grain);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
