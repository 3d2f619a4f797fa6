#pragma once
// Loops over complex numbers for the functions of ComplexMath.h: blocks of numbers are taken apart
// into arrays of doubles, whatever their type is, so that a function is compiled once. Numbers that
// it does not cover are computed by a scalar function.
//
//   complex_math_kernel<complex_math::exp>(iter, "exp", kExponential, [](auto z) { return exp(z);
//   });

#include <algorithm>
#include <cmath>

#include <ATen/native/common/RealOf.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/ComplexMath.h>
#include <ATen/native/common/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The numbers that a function covers: each part is zero or between these sizes.
struct PartLimits {
  double min, max_re, max_im;
  bool has_zero = true;  // both parts may be zero
  bool covers(double re, double im) const {
    const double x = std::fabs(re), y = std::fabs(im);
    return (x <= max_re) & (y <= max_im) & ((x >= min) | (x == 0)) & ((y >= min) | (y == 0)) &
           (has_zero | (x != 0) | (y != 0));
  }
};
// Squares neither overflow nor underflow.
constexpr PartLimits kAlgebraic{0x1p-500, 0x1p500, 0x1p500},
    kNonzero{0x1p-500, 0x1p500, 0x1p500, false};
// e^x, or e^y, does not overflow.
constexpr PartLimits kExponential{0, 700, 1e15}, kTurnedExponential{0, 1e15, 700};
// The rounding error of y log 2 is a small angle.
constexpr PartLimits kPowerOfTwo{0, 1000, 1e6};
// sin(pi z) and z^2 do not overflow.
constexpr PartLimits kSinc{0x1p-500, 0x1p50, 200, false};

// Numbers in parts. The arrays are longer than a block, so that registers are full.
struct ComplexBlock {
  static constexpr int64_t kSize = 128;
  alignas(kVecBytes) double re[kSize], im[kSize];

  template <typename T>
  void read(const T* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) re[i] = from[2 * i], im[i] = from[2 * i + 1];
    for (int64_t i = n; i % Vec<double>::size != 0; ++i) re[i] = im[i] = 0.5;
  }
  void fill(double x, double y) {
    std::fill_n(re, kSize, x);
    std::fill_n(im, kSize, y);
  }
  template <typename T>
  void write(T* to, int64_t n) const {
    for (int64_t i = 0; i < n; ++i)
      to[2 * i] = static_cast<T>(re[i]), to[2 * i + 1] = static_cast<T>(im[i]);
  }
  complex_math::Z at(int64_t i) const {
    return {Vec<double>::load(re + i), Vec<double>::load(im + i)};
  }
  void set(int64_t i, complex_math::Z z) {
    z.re.store(re + i);
    z.im.store(im + i);
  }
  template <typename T>
  c10::complex<T> number(int64_t i) const {
    return {static_cast<T>(re[i]), static_cast<T>(im[i])};
  }
  bool is_nan(int64_t i) const { return (re[i] != re[i]) | (im[i] != im[i]); }
};

// Calls f(i) for the first n numbers that are not covered, or whose result is NaN.
template <typename Covers, typename F>
void for_rare_numbers(const ComplexBlock& result, int64_t n, const Covers& covers, const F& f) {
  unsigned found = 0;
  for (int64_t i = 0; i < n; ++i) found |= !covers(i) | result.is_nan(i);
  if (C10_LIKELY(found == 0)) return;
  for (int64_t i = 0; i < n; ++i)
    if (!covers(i) || result.is_nan(i)) f(i);
}

// For numbers that a block's formula does not cover.
template <typename T>
using ScalarFunction = c10::complex<T> (*)(c10::complex<T>);
template <typename T>
using ScalarPower = c10::complex<T> (*)(c10::complex<T>, c10::complex<T>);

using UnaryOfBlock = void (*)(const ComplexBlock& in, ComplexBlock& out, int64_t n);
template <complex_math::Z (*f)(complex_math::Z)>
void unary_of_block(const ComplexBlock& in, ComplexBlock& out, int64_t n) {
  for (int64_t i = 0; i < n; i += Vec<double>::size) out.set(i, f(in.at(i)));
}

// Functions are pointers, so that there is one loop for all of them.
template <typename T>
void complex_blocks(char* const* data, int64_t n, UnaryOfBlock f, const PartLimits& limits,
                    ScalarFunction<T> scalar) {
  const T* in = reinterpret_cast<const T*>(data[1]);
  T* out = reinterpret_cast<T*>(data[0]);
  ComplexBlock z, y;
  for (int64_t first = 0; first < n; first += ComplexBlock::kSize) {
    const int64_t m = std::min(ComplexBlock::kSize, n - first);
    z.read(in + 2 * first, m);
    f(z, y, m);
    T* to = out + 2 * first;
    y.write(to, m);
    for_rare_numbers(y, m, [&](int64_t i) { return limits.covers(z.re[i], z.im[i]); },
                     [&](int64_t i) {
      const c10::complex<T> result = scalar(z.number<T>(i));
      to[2 * i] = result.real(), to[2 * i + 1] = result.imag();
    });
  }
}

// As complex_blocks, for z^power. The powers are the third operand, or all `power`.
template <typename T>
void complex_powers(char* const* data, int64_t n, const c10::complex<T>* power,
                    ScalarPower<T> scalar) {
  const T* in = reinterpret_cast<const T*>(data[1]);
  T* out = reinterpret_cast<T*>(data[0]);
  ComplexBlock z, powers, y;
  if (power) powers.fill(power->real(), power->imag());
  for (int64_t first = 0; first < n; first += ComplexBlock::kSize) {
    const int64_t m = std::min(ComplexBlock::kSize, n - first);
    z.read(in + 2 * first, m);
    if (!power) powers.read(reinterpret_cast<const T*>(data[2]) + 2 * first, m);
    for (int64_t i = 0; i < m; i += Vec<double>::size)
      y.set(i, complex_math::pow(z.at(i), powers.at(i)));
    T* to = out + 2 * first;
    y.write(to, m);
    for_rare_numbers(y, m, [&](int64_t i) {
      return kNonzero.covers(z.re[i], z.im[i]) & std::isfinite(powers.re[i]) &
             std::isfinite(powers.im[i]);
    }, [&](int64_t i) {
      const c10::complex<T> result = scalar(z.number<T>(i), powers.number<T>(i));
      to[2 * i] = result.real(), to[2 * i + 1] = result.imag();
    });
  }
}

// Complex numbers of both sizes; scalar(z), a lambda without captures, computes one that f does not
// cover.
template <complex_math::Z (*f)(complex_math::Z), typename S>
void complex_math_kernel(TensorIteratorBase& iter, const char* op, const PartLimits& limits,
                         const S& scalar) {
  dispatch_complex(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    constexpr ScalarType kType = CppTypeToScalarType<T>::value;
    const ScalarType types[2] = {kType, kType};
    const ScalarFunction<Real<T>> one = scalar;
    const auto loop = [&](char* const* data, int64_t n) {
      complex_blocks<Real<T>>(data, n, &unary_of_block<f>, limits, one);
    };
    run_loop(iter, types, loop, kGrainSize / 16);
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
