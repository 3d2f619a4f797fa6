#pragma once
// Logarithms and exponentials of doubles whose results are pairs of doubles, for powers: the
// rounding of an exponent is an error as large as the exponent. By tables of eight numbers and
// Taylor series (P. Tang, "Table-driven implementation of the exponential function" and "of the
// logarithm function", ACM TOMS 15 and 16, 1989 and 1990). As Doubles they are those of
// BinaryPowers.h, with errors of 1e-13, for results in float32.

#include <type_traits>

#include <ATen/native/common/cpu/BinaryPowers.h>
#include <ATen/native/common/cpu/ChosenRows.h>
#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/TwoDoubles.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Columns: c, a short number near 1 / (1 + (i + 1/2) / 8), and -log(c) as a pair.
constexpr double kLogColumns[3][8] = {
    {0x1.e2p-1, 0x1.bp-1, 0x1.86p-1, 0x1.64p-1, 0x1.48p-1, 0x1.3p-1, 0x1.1ap-1, 0x1.08p-1},
    {0x1.eea31c006b87cp-5, 0x1.5bf406b543db2p-3, 0x1.16b5ccbacfb73p-2, 0x1.741d876c67bb1p-2,
     0x1.c7ff9c74554c9p-2, 0x1.0ae76e2d054fap-1, 0x1.315da4434068bp-1, 0x1.5322e26867857p-1},
    {-0x1.3e4fc93b7b66cp-59, -0x1.1f5b44c0df7e7p-61, 0x1.66fbd28b40935p-56, 0x1.84a4ee3059583p-56,
     0x1.223eadb651b4ap-57, 0x1.0d710fcfc4e0dp-55, 0x1.6c3a5f12642c9p-57, 0x1.988ba4aea614dp-56}};
// 2^(i / 8) as a pair.
constexpr double kRootColumns[2][8] = {
    {0x1.0p+0, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0,
     0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0},
    {0.0, -0x1.19041b9d78a76p-55, 0x1.6f46ad23182e4p-55, 0x1.d4397afec42e2p-56,
     -0x1.bdd3413b26456p-54, 0x1.6e9f156864b27p-54, 0x1.7a1cd345dcc81p-54, 0x1.2ed02d75b3707p-55}};

// 1/3, -1/4, ... and 1/2!, 1/3!, ..., the highest power first.
constexpr double kLogTerms[] = {1.0 / 15,  -1.0 / 14, 1.0 / 13, -1.0 / 12, 1.0 / 11,
                                -1.0 / 10, 1.0 / 9,   -1.0 / 8, 1.0 / 7,   -1.0 / 6,
                                1.0 / 5,   -1.0 / 4,  1.0 / 3};
constexpr double kExpTerms[] = {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                1.0 / 120,    1.0 / 24,    1.0 / 6,    1.0 / 2};

C10_ALWAYS_INLINE TwoDoubles log_as_pair(Doubles x) {
  using Mask = Doubles::Mask;
  const Mask bits = Mask(x.v);
  // The exponent as a double: 2^52 plus it, less 2^52.
  const Doubles exponent =
      Doubles(Doubles::V((bits >> 52) | Mask(Doubles(4503599627370496.0).v))) - 4503599627371519.0;
  const Doubles mantissa = Doubles::V((bits & 0xfffffffffffffLL) | Mask(Doubles(1.0).v));
  const Mask i = (bits >> 49) & 7;
  const ChosenRows<kRowsOf<kLogColumns>> rows(i);
  const auto scaled = exact_product(mantissa, rows[0]);
  const Doubles high = scaled.product - 1.0;
  constexpr double kLn2High = 0x1.62e42fefa2p-1, kLn2Low = 0x1.9ef35793c7673p-41;
  const auto square = exact_product(high, high);
  const Doubles rest = square.product * high * polynomial(high, kLogTerms) - square.error * 0.5 +
                       scaled.error * (Doubles(1.0) - high);
  const TwoDoubles whole = TwoDoubles(exponent * kLn2High) + TwoDoubles(rows[1]);
  const TwoDoubles sum = whole + TwoDoubles::of(high, square.product * -0.5);
  return TwoDoubles::of(sum.high, sum.low + (exponent * kLn2Low + (rows[2] + rest)));
}

// log(x) for finite x that are not subnormal.
template <typename Number>
C10_ALWAYS_INLINE Number log_as(Doubles x) {
  if constexpr (std::is_same_v<Number, TwoDoubles>) return log_as_pair(x);
  else return binary_logarithm(x) * M_LN2;
}

// exp(x) for |x| < 690.
C10_ALWAYS_INLINE Doubles exp_of(Doubles x) { return binary_exponential(x * M_LOG2E); }

C10_ALWAYS_INLINE TwoDoubles exp_of(TwoDoubles x) {
  typedef uint64_t Bits __attribute__((vector_size(sizeof(Doubles))));  // their sum may wrap
  const Doubles high = rounded(x);
  const Nearest n(high * (8 * M_LOG2E));
  const Doubles r = (high - n.value * 0x1.62e42fefap-4) - n.value * 0x1.cf79abc9e3b3ap-43 + x.low;
  const ChosenRows<kRowsOf<kRootColumns>> rows(n.bits);
  const Doubles root = rows[0], p = r + r * r * polynomial(r, kExpTerms);
  const TwoDoubles sum = TwoDoubles::of(root, root * p + rows[1]);
  // 2^(n / 8) as the bits of its exponent.
  const Doubles power(
      Doubles::V(Bits(Doubles(1.0).v) + ((Bits(n.bits) << 49) & ~0xfffffffffffffULL)));
  TwoDoubles result(sum.high * power);
  result.low = sum.low * power;
  return result;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
