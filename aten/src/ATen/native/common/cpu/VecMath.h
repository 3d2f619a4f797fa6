#pragma once
// Functions of Vec that are accurate to a few units in the last place over their whole range:
// SLEEF's where those suffice, and other formulas for the numbers where they overflow or cancel.
// Such numbers are rare, so the branch to the other formula is hardly ever taken.

#include <cmath>
#include <limits>

#include <ATen/native/common/cpu/ArcFunctions.h>
#include <ATen/native/common/cpu/DoubleLogarithm.h>
#include <ATen/native/common/cpu/Exponential.h>
#include <ATen/native/common/cpu/FloatLogarithm.h>
#include <ATen/native/common/cpu/NearestPiece.h>
#include <ATen/native/common/cpu/NormalTail.h>
#include <ATen/native/common/cpu/Trigonometry.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr double kLn2 = 0.69314718055994530942;

// --- where SLEEF's functions overflow ------------------------------------------------------------

inline Vec<double> log1p(Vec<double> x) {
  Vec<double> y = sleef::log1p(x);
  const auto large = x > 1e30;
  return C10_UNLIKELY(any(large)) ? where(large, log(x), y) : y;
}
// log(2x), for x so large that x^2 + 1 rounds to x^2.
inline Vec<double> asinh(Vec<double> x) {
  Vec<double> y = sleef::asinh(x);
  const auto large = abs(x) > 1e9;
  return C10_UNLIKELY(any(large)) ? where(large, copysign(log(abs(x)) + kLn2, x), y) : y;
}
inline Vec<double> acosh(Vec<double> x) {
  Vec<double> y = sleef::acosh(x);
  const auto large = x > 1e9;
  return C10_UNLIKELY(any(large)) ? where(large, log(x) + kLn2, y) : y;
}
Vec<float> asinh(Vec<float> x);  // inverse_hyperbolic_kernel.cpp
Vec<float> acosh(Vec<float> x);
// e^x / 2 in two factors that do not overflow.
template <typename T>
constexpr T kLargeExponent = T(sizeof(T) == 4 ? 80 : 700);
template <typename T>
Vec<T> sinh(Vec<T> x) {
  Vec<T> y = sleef::sinh(x);
  const auto large = abs(x) > kLargeExponent<T>;
  if (C10_LIKELY(!any(large))) return y;
  Vec<T> e = exp(abs(x) * T(0.5));
  return where(large, copysign(e * T(0.5) * e, x), y);
}
template <typename T>
Vec<T> cosh(Vec<T> x) {
  Vec<T> y = sleef::cosh(x);
  const auto large = abs(x) > kLargeExponent<T>;
  if (C10_LIKELY(!any(large))) return y;
  Vec<T> e = exp(abs(x) * T(0.5));
  return where(large, e * T(0.5) * e, y);
}

// SLEEF's is infinite within 1e-12 of the largest number. SLEEF handles zeros: they are frequent.
template <typename T>
Vec<T> checked_pow(Vec<T> x, Vec<T> y) {
  Vec<T> z = sleef::pow(x, y);
  const T inf = std::numeric_limits<T>::infinity();
  const auto large = (abs(z) == inf) & (abs(x) < inf) & (abs(y) < inf) & (x != T(0));
  if (C10_LIKELY(!any(large))) return z;
  for (int64_t i = 0; i < Vec<T>::size; ++i) {
    if (large[i]) z.v[i] = std::pow(x.v[i], y.v[i]);
  }
  return z;
}
inline Vec<double> pow(Vec<double> x, Vec<double> y) { return checked_pow(x, y); }
Vec<float> pow(Vec<float> x, Vec<float> y);  // float_power_kernel.cpp
template <typename T>
Vec<T> pow(Vec<T> x, T y) {
  return pow(x, Vec<T>(y));
}

// --- logistic functions --------------------------------------------------------------------------

// 1 + e^-x for x within the limit of kLargeExponent, which others are set to.
template <typename T>
C10_ALWAYS_INLINE Vec<T> one_plus_exp_of_minus(Vec<T> x) {
  const Vec<T> limit(kLargeExponent<T>);
  // NaN stays: it is the second argument of both.
  return Vec<T>(T(1)) + exp_within_range(-min(limit, max(-limit, x)));
}

// 1 / (1 + e^-x), which is e^x where e^-x overflows.
template <typename T>
C10_ALWAYS_INLINE Vec<T> logistic(Vec<T> x) {
  const Vec<T> y = Vec<T>(T(1)) / one_plus_exp_of_minus(x);
  const auto overflows = x < -kLargeExponent<T>;
  return C10_LIKELY(!any(overflows)) ? y : where(overflows, exp(x), y);
}

// x e^x, computed without underflow of e^x.
template <typename T>
Vec<T> times_exp(Vec<T> x) {
  Vec<T> e = exp(x * T(0.5));
  return x * e * e;
}

// log(x / (1 - x)). Near 1/2 the logarithm is as small as the quotient's rounding error, which is
// computed and added back.
template <typename T>
Vec<T> log_odds(Vec<T> x) {
  Vec<T> one(T(1)), rest = one - x, ratio = x / rest;
  auto product = exact_product(ratio, rest);
  // x - ratio * (rest + rounding error of rest), over x, which is about 1/2 here.
  Vec<T> missing = (x - product.product) - product.error - ratio * ((one - rest) - x);
  return log(ratio) + where(abs(x - T(0.5)) < T(0.25), missing * T(2), T(0));
}

// sin(pi x) / (pi x). x is reduced to near 0 before it is multiplied by pi, which is exact.
template <typename T>
Vec<T> normalized_sinc(Vec<T> x) {
  using V = typename Vec<T>::V;
  using Mask = typename Vec<T>::Mask;
  // The sum has no room for a fraction, and its lowest bit holds the parity of the rounded
  // number.
  const T max_fraction = T(sizeof(T) == 4 ? 8388608.0 : 4503599627370496.0);
  Vec<T> room = copysign(Vec<T>(max_fraction), x), sum = x + room;
  Vec<T> fraction = where(abs(x) < max_fraction, x - (sum - room), x - x);
  Vec<T> y = sin(fraction * T(M_PI)) / (x * T(M_PI));
  y = Vec<T>(V(Mask(y.v) ^ (Mask(sum.v) << (8 * sizeof(T) - 1))));
  return where(x == T(0), T(1), y);
}

// --- the normal distribution ---------------------------------------------------------------------

// The sum of c[k] x^(N - 1 - k), halves first: a chain of log N steps. powers[k] is x^(2^k).
template <size_t N, typename T>
C10_ALWAYS_INLINE Vec<T> sum_of_powers(const Vec<T>* powers, const T* c) {
  if constexpr (N == 1) {
    return Vec<T>(c[0]);
  } else {
    constexpr int kLog = N > 16 ? 4 : N > 8 ? 3 : N > 4 ? 2 : N > 2 ? 1 : 0;
    constexpr size_t kLow = size_t(1) << kLog;
    return sum_of_powers<N - kLow>(powers, c) * powers[kLog] +
           sum_of_powers<kLow>(powers, c + (N - kLow));
  }
}
template <typename T, size_t N>
C10_ALWAYS_INLINE Vec<T> polynomial(Vec<T> x, const T (&c)[N]) {
  static_assert(N <= 32, "five powers are enough for 32 terms");
  Vec<T> powers[5];
  powers[0] = x;
  powers[1] = powers[0] * powers[0];
  powers[2] = powers[1] * powers[1];
  powers[3] = powers[2] * powers[2];
  powers[4] = powers[3] * powers[3];
  return sum_of_powers<N>(powers, c);
}

// The same, rounded less often: the last terms are added one after the other.
template <typename T, size_t N>
C10_ALWAYS_INLINE Vec<T> accurate_polynomial(Vec<T> x, const T (&c)[N]) {
  constexpr size_t kLast = 4, kFirst = N - kLast;
  T first[kFirst];
  for (size_t k = 0; k < kFirst; ++k) first[k] = c[k];
  Vec<T> sum = polynomial(x, first);
  for (size_t k = kFirst; k < N; ++k) sum = sum * x + Vec<T>(c[k]);
  return sum;
}

// tanh(x) / x is 1 + s P(s) with s = x^2, for |x| < 0.6: P interpolates at Chebyshev points, with
// errors of 3e-10 and 5e-19.
C10_ALWAYS_INLINE Vec<float> tanh_terms(Vec<float> square) {
  static constexpr float kTerms[] = {0.00237076564f,  -0.008410070802f, 0.021788322f,
                                     -0.05396155178f, 0.1333331287f,    -0.3333333323f};
  return polynomial(square, kTerms);
}
C10_ALWAYS_INLINE Vec<double> tanh_terms(Vec<double> square) {
  static constexpr double kTerms[] = {
      6.934046420988953385e-6,   -0.00003208661403793599053, 0.00009332432233847447191,
      -0.0002379520138392499467, 0.000589768099468826773,    -0.001455795885573463443,
      0.003592124250008692387,   -0.008863235292803289392,   0.02186948852736810841,
      -0.05396825396808530622,   0.1333333333333320628,      -0.3333333333333333317};
  return polynomial(square, kTerms);
}

template <typename T>
C10_ALWAYS_INLINE Vec<T> tanh(Vec<T> x) {
  const Vec<T> one(T(1)), size = abs(x), square = x * x;
  // Beyond this the result is 1.
  const Vec<T> e = exp_within_range(min(Vec<T>(T(sizeof(T) == 4 ? 10 : 20)), size) * T(-2));
  const Vec<T> near = size + size * (square * tanh_terms(square));
  return copysign(where(size < T(0.6), near, one - (e + e) / (one + e)), x);
}
#if defined(__AVX512F__)
#include <ATen/native/common/cpu/tanh_coefficients.h>

C10_ALWAYS_INLINE Vec<float> tanh(Vec<float> x) {
  const Vec<float> size = abs(x), near = min(Vec<float>(7.75f), size);
  const Vec<float> below_one = nearest_piece(kTanh, size, near).value;
  // From 9.011 on the result rounds to 1.
  return copysign(where(size > 9.011f, Vec<float>(1.0f), below_one), x);
}
#endif

// The ratio of the normal distribution's tail beyond |x| to exp(-x^2 / 2). Of floats up to 17:
// t P(u) with t = 1 / (1 + |x| / 3.75) and u from -1 to 1 (`tools.fit scaled_normal_tail`).
C10_ALWAYS_INLINE Vec<float> scaled_tail(Vec<float> size) {
  static constexpr float kTerms[] = {0x1.8cf6e4p-16f,  0x1.20feb4p-17f, -0x1.74226cp-12f,
                                     -0x1.31a0d6p-11f, 0x1.0dfe18p-8f,  0x1.ab008ap-6f,
                                     0x1.4444cap-4f,   0x1.4749c2p-3f,  0x1.da9e9cp-3f};
  const Vec<float> t = Vec<float>(1.0f) / (size * (1 / 3.75f) + 1.0f);
  return t * horner(Vec<float>(t * 0x1.387878p+1f - 0x1.70f0f0p+0f), kTerms);
}
// Of doubles up to 40: t P(2t - 1) with t = 1 / (1 + |x| / 4). The coefficients of P are those of
// its truncated Chebyshev series.
C10_ALWAYS_INLINE Vec<double> scaled_tail(Vec<double> size) {
  static constexpr double kTerms[] = {
      8.508280771623736619e-11,  2.999445507813273648e-11,  -9.326612704670925696e-10,
      1.468406691246797674e-10,  5.356900960863088971e-9,   -4.461231943245354055e-9,
      -2.17166175399947319e-8,   3.994349035559805122e-8,   6.81157423778646802e-8,
      -2.561962754138193351e-7,  -1.574591834623092263e-7,  1.480402761480994339e-6,
      1.791646910298780248e-7,   -8.786277975709412821e-6,  -4.770615878536427632e-7,
      0.00005777375434069356449, 0.00003333607735295813598, -0.0004077046168524771153,
      -0.0008699230917619934076, 0.001885047241846578139,   0.01509914372272946806,
      0.04663046448990915304,    0.09678435018555372937,    0.1519741604929730749,
      0.188821282603937873};
  Vec<double> t = Vec<double>(1.0) / (size * 0.25 + 1.0);
  return t * accurate_polynomial(t + t - 1.0, kTerms);
}

// |x|, or where the tail beyond is 0, if that is less.
template <typename T>
C10_ALWAYS_INLINE Vec<T> limited_size(Vec<T> x) {
  return min(Vec<T>(T(sizeof(T) == 4 ? 17 : 40)), abs(x));
}

// exp(-x^2 / 2)
template <typename T>
C10_ALWAYS_INLINE Vec<T> normal_bell(Vec<T> x) {
  const Vec<T> size = limited_size(x);
  const auto exponent = exact_product(size, size * T(-0.5));
  return exp_of_negative(exponent.product, exponent.error);
}

// The bell, and the ratio of the tail beyond |x| to it.
template <typename T>
struct Normal {
  Vec<T> bell, tail;
  C10_ALWAYS_INLINE explicit Normal(Vec<T> x)
      : bell(normal_bell(x)), tail(scaled_tail(limited_size(x))) {}
  // The integral up to x.
  C10_ALWAYS_INLINE Vec<T> integral(Vec<T> x) const {
    Vec<T> beyond = tail * bell;
    return where(x > T(0), Vec<T>(T(1)) - beyond, beyond);
  }
};

// erf(x) / x - 1 in x^2, for |x| <= 1: interpolated at Chebyshev points, with relative errors of
// 4e-11 and 1e-18.
C10_ALWAYS_INLINE Vec<float> error_ratio(Vec<float> square) {
  static constexpr float kTerms[] = {-9.667044571e-6f, 0.0001126595903f, -0.0008484080406f,
                                     0.005221031808f,  -0.02686543073f,  0.112837825f,
                                     -0.3761263847f,   0.1283791671f};
  return accurate_polynomial(square, kTerms);
}
C10_ALWAYS_INLINE Vec<double> error_ratio(Vec<double> square) {
  static constexpr double kTerms[] = {
      5.957176147748911404e-11, -1.137284885679167367e-9,  1.465977527404743581e-8,
      -1.635031270105469501e-7, 1.646100048412136803e-6,   -0.00001492559526683118157,
      0.0001205533111164271092, -0.0008548326980833789905, 0.005223977624818014467,
      -0.02686617064507679325,  0.1128379167095487867,     -0.3761263890318374806,
      0.1283791670955125739};
  return accurate_polynomial(square, kTerms);
}

// (1 + 2x) exp(x^2) erfc(x) for x >= 0, in (x - K) / (x + K) (M. M. Shepherd and J. G. Laframboise,
// "Chebyshev approximation of (1 + 2x) exp(x^2) erfc(x)", Mathematics of Computation 36, 1981). It
// is nearly constant, so errors of its argument do not grow.
C10_ALWAYS_INLINE Vec<float> error_tail(Vec<float> x) {
  static constexpr float kTerms[] = {2.686109285e-5f, -0.0003622954924f, -0.00124995839f,
                                     0.001273455174f, 0.008635760434f,   -0.008045565182f,
                                     -0.05420453925f, 0.1640534215f,     -0.1660314027f,
                                     -0.09276391145f, 1.276978393f};
  return accurate_polynomial((x - 2.0f) / (x + 2.0f), kTerms);
}
C10_ALWAYS_INLINE Vec<double> error_tail(Vec<double> x) {
  static constexpr double kTerms[] = {
      -1.820609868030868334e-9,   -1.367098986334738244e-8, -7.71541861441783013e-9,
      1.153494374575415729e-7,    6.270727157198310878e-8,  -8.351619688696847075e-7,
      3.013504994487539477e-7,    5.717887284632185202e-6,  -0.00001122478913515470071,
      -0.00002440316924497407495, 0.0001506222439483029924, -0.0001992555075561495214,
      -0.0007577733414133300446,  0.005031969755895426114,  -0.01619773405911500708,
      0.03716751556249286597,     -0.06633036581152938409,  0.09373283499679411589,
      -0.1010390660363521317,     0.0680970542547373239,    0.0153796521026207413,
      -0.1396211168405628935,     1.232995118625552507};
  return accurate_polynomial((x - 4.0) / (x + 4.0), kTerms);
}

// The complement of the error function.
template <typename T>
C10_ALWAYS_INLINE Vec<T> complementary_error(Vec<T> x) {
  const Vec<T> one(T(1));
  // Beyond this the result is 0.
  const Vec<T> size = min(Vec<T>(T(sizeof(T) == 4 ? 10.5 : 28)), abs(x));
  auto square = exact_product(size, size);
  const Vec<T> bell = exp_of_negative(-square.product, -square.error);
  const Vec<T> beyond = error_tail(size) * bell / (size + size + one);
  const Vec<T> far = where(x < T(0), Vec<T>(T(2)) - beyond, beyond);
  return where(size < T(0.5), one - (x + x * error_ratio(x * x)), far);
}

// The tail beyond |x| by a shorter way, which there is for some numbers; false for others.
template <typename T>
bool only_tail([[maybe_unused]] Vec<T> x, [[maybe_unused]] Vec<T>& tail) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    // Beyond its end it does not count: 1 - tail is 1.
    constexpr float kLast = kEndOfNormalTail - 0x1p-21f;
    if (!all_greater(x, -kEndOfNormalTail)) return false;
    tail = near_normal_tail(min(Vec<float>(kLast), abs(x)));
    return true;
  }
#endif
  return false;
}

// The distribution at x, or at 10 for larger numbers: the integral is 1 already, and the bell does
// not become subnormal.
template <typename T>
C10_ALWAYS_INLINE Normal<T> normal_up_to_one(Vec<T> x) {
  return Normal<T>(min(Vec<T>(T(10)), x));
}

// The normal distribution's integral up to x.
template <typename T>
C10_ALWAYS_INLINE Vec<T> normal_integral(Vec<T> x) {
  Vec<T> tail;
  if (!only_tail(x, tail)) return normal_up_to_one(x).integral(x);
  return where(x > T(0), Vec<T>(T(1)) - tail, tail);
}

// For large numbers slopes of activations are 0 or 1, and a square or a product would overflow.
template <typename T>
C10_ALWAYS_INLINE Vec<T> not_far_out(Vec<T> x) {
  const Vec<T> end(T(1e4));
  return max(-end, min(end, x));
}

// The derivative of x times that integral.
template <typename T>
C10_ALWAYS_INLINE Vec<T> gelu_slope(Vec<T> in) {
  constexpr T kHeight = T(0.39894228040143267794);  // 1 / sqrt(2 pi)
  const Vec<T> one(T(1)), x = not_far_out(in);
  Vec<T> tail;
  if (only_tail(x, tail)) return where(x > T(0), one - tail, tail) + x * normal_bell(x) * kHeight;
  const auto n = normal_up_to_one(x);
  return n.integral(x) + x * n.bell * kHeight;
}

// x times the integral.
template <typename T>
C10_ALWAYS_INLINE Vec<T> gelu(Vec<T> x) {
  const Vec<T> one(T(1));
  Vec<T> tail;
  if (only_tail(x, tail)) return x * where(x > T(0), one - tail, tail);
  const auto n = normal_up_to_one(x);
  const Vec<T> beyond = n.tail * n.bell;
  return x * where(x > T(0), one - beyond, beyond);
}

// The same for numbers above -kEndOfNormalTailOfHalves, as accurate as results that are rounded to
// halves need.
C10_ALWAYS_INLINE Vec<float> gelu_of_halves(Vec<float> x) {
#if defined(__AVX512F__)
  // No branch, so that constants stay in registers.
  const Vec<float> size = abs(x), zero(0.0f), one(1.0f);
  const Vec<float> tail =
      where(size < kEndOfNormalTailOfHalves, near_normal_tail_of_halves(size).value, zero);
  return x * where(x > zero, one - tail, tail);
#else
  return gelu(x);
#endif
}

// The derivative of gelu, for numbers above -kLastSlopeOfHalves: beyond, that of the polynomial has
// too few digits.
constexpr float kLastSlopeOfHalves = 4.0f;
C10_ALWAYS_INLINE Vec<float> gelu_slope_of_halves([[maybe_unused]] Vec<float> x) {
#if defined(__AVX512F__)
  const Vec<float> size = abs(x), zero(0.0f), one(1.0f);
  const auto inside = size < kEndOfNormalTailOfHalves;
  const ValueAndSlope near = near_normal_tail_of_halves(size);
  const Vec<float> tail = where(inside, near.value, zero);
  // The bell is the tail's derivative with the other sign.
  return where(x > zero, one - tail, tail) - where(inside, x * near.slope, zero);
#else
  return gelu_slope(x);
#endif
}

// gelu with the integral approximated as (1 + tanh y) / 2 = 1 / (1 + e^-2y), y = b (x + k x^3).
// Where that is small, its exponent needs more digits than the type has: it is computed in two
// parts, from -|x|.
template <typename T>
C10_ALWAYS_INLINE Vec<T> tanh_gelu(Vec<T> x) {
  // 2 sqrt(2 / pi), and the two numbers' remainders beyond a double.
  constexpr double kTwoB = 1.5957691216057308, kTwoBRest = -9.96930880910912e-17, kK = 0.044715,
                   kKRest = 2.196021142708560e-18;
  constexpr T kLine = static_cast<T>(kTwoB), kCubic = static_cast<T>(kK);
  constexpr T kLineRest = static_cast<T>(kTwoB - static_cast<double>(kLine) + kTwoBRest),
              kCubicRest = static_cast<T>(kK - static_cast<double>(kCubic) + kKRest);
  constexpr T kLast = T(sizeof(T) == 4 ? -12 : -22);  // beyond this the result is 0
  Vec<T> one(T(1)), a = max(Vec<T>(kLast), -abs(x));
  auto square = exact_product(a, a), cubic = exact_product(square.product, Vec<T>(kCubic)),
       line = exact_product(a, Vec<T>(kLine));
  Vec<T> sum = cubic.product + one, back = sum - one;
  Vec<T> sum_rest = (one - (sum - back)) + (cubic.product - back) + cubic.error +
                    square.error * kCubic + square.product * kCubicRest;
  auto z = exact_product(line.product, sum);
  Vec<T> rest = z.error + line.product * sum_rest + (line.error + a * kLineRest) * sum;
  // The square root of e^z, so that a small x e^z keeps its digits.
  Vec<T> root = exp_of_negative(z.product * T(0.5)), e = root * root;
  Vec<T> scale = x / (e + one), below = scale * root * (root + root * rest);
  // x / (1 + e) is accurate for positive numbers: the rounding error of e is negligible next to 1.
  return where(x > T(0), scale, where(x < kLast, x * T(0), below));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
