#pragma once
// Properties of every float type of 8 and 16 bits: converts each pattern, and every float near a
// value or a rounding boundary.

#include <c10/util/reduced_float.h>

#include <gtest/gtest.h>

#include <cmath>

namespace torch_test {

using namespace c10;

template <class T>
T from_pattern(uint32_t pattern) {
  return T(static_cast<decltype(T::x)>(pattern), from_bits);
}

template <class T>
class ReducedFloatTest : public ::testing::Test {};
TYPED_TEST_SUITE_P(ReducedFloatTest);

// The value by the definition of the format, computed in double.
template <class T>
double value_of(uint32_t pattern) {
  using F = typename T::Format;
  const uint32_t magnitude = pattern & F::kMagnitude;
  const int exponent = static_cast<int>(magnitude >> F::kMantissaBits);
  const uint32_t mantissa = magnitude & ((1u << F::kMantissaBits) - 1);
  const double value = exponent == 0 ? std::ldexp(mantissa, 1 - F::kBias - F::kMantissaBits)
                                     : std::ldexp(mantissa + (1u << F::kMantissaBits),
                                                  exponent - F::kBias - F::kMantissaBits);
  return (pattern & F::kSign) ? -value : value;
}

template <class T>
bool is_finite_pattern(uint32_t pattern) {
  using F = typename T::Format;
  return (pattern & F::kMagnitude) <= F::kMax &&
         !(F::kKind == detail::MiniFloatKind::FNUZ && pattern == F::kSign);
}

TYPED_TEST_P(ReducedFloatTest, EveryPatternHasItsValueAndComesBack) {
  using F = typename TypeParam::Format;
  for (uint32_t pattern = 0; pattern <= (F::kSign | F::kMagnitude); ++pattern) {
    const TypeParam number = from_pattern<TypeParam>(pattern);
    const float value = number;
    if (is_finite_pattern<TypeParam>(pattern)) {
      ASSERT_EQ(value, value_of<TypeParam>(pattern)) << pattern;
      ASSERT_EQ(std::signbit(value), (pattern & F::kSign) != 0) << pattern;
      ASSERT_EQ(TypeParam(value).x, pattern);
    } else if ((pattern & F::kMagnitude) == F::kInfinity &&
               F::kKind == detail::MiniFloatKind::IEEE) {
      ASSERT_TRUE(std::isinf(value));
      ASSERT_EQ(TypeParam(value).x, pattern);
    } else {
      ASSERT_TRUE(std::isnan(value)) << pattern;
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(value))));
    }
  }
}

TYPED_TEST_P(ReducedFloatTest, RoundsToTheNearestAndTiesToEven) {
  using F = typename TypeParam::Format;
  for (uint32_t pattern = 0; pattern < F::kMax; ++pattern) {
    const double low = value_of<TypeParam>(pattern);
    const double high = value_of<TypeParam>(pattern + 1);
    const float middle = static_cast<float>((low + high) / 2);
    const float below = std::nextafterf(middle, 0.0f);
    const float above = std::nextafterf(middle, INFINITY);
    ASSERT_EQ(TypeParam(middle).x, pattern % 2 == 0 ? pattern : pattern + 1) << middle;
    ASSERT_EQ(TypeParam(above).x, pattern + 1) << above;
    if (pattern > 0) {
      ASSERT_EQ(TypeParam(below).x, pattern) << below;
      ASSERT_EQ(TypeParam(-below).x, pattern | F::kSign) << below;
    }
  }
}

TYPED_TEST_P(ReducedFloatTest, OverflowsAsItsKindSays) {
  using F = typename TypeParam::Format;
  for (float big : {3.4e38f, INFINITY}) {
    const TypeParam number(big);
    switch (F::kKind) {
      case detail::MiniFloatKind::IEEE:
        EXPECT_EQ(number.x, F::kInfinity);
        break;
      case detail::MiniFloatKind::FN:
        EXPECT_EQ(number.x, F::kMax);
        break;
      case detail::MiniFloatKind::FNUZ:
        EXPECT_TRUE(std::isnan(static_cast<float>(number)));
        break;
    }
  }
}

TYPED_TEST_P(ReducedFloatTest, ArithmeticGoesByWayOfFloat) {
  TypeParam a(1.5f), b(0.5f);
  EXPECT_EQ(static_cast<float>(a + b), 2.0f);
  EXPECT_EQ(static_cast<float>(a - b), 1.0f);
  EXPECT_EQ(static_cast<float>(a * b), 0.75f);
  EXPECT_EQ(static_cast<float>(a / b), 3.0f);
  EXPECT_EQ(static_cast<float>(-a), -1.5f);
  static_assert(std::is_same_v<decltype(a + 1), TypeParam>);
  static_assert(std::is_same_v<decltype(a + 1.0f), float>);
  static_assert(std::is_same_v<decltype(2.0 * a), double>);
  a += 1;
  EXPECT_EQ(static_cast<float>(a), 2.5f);
  EXPECT_TRUE(b < a);
  static_assert(std::is_trivially_copyable_v<TypeParam> &&
                std::is_trivially_default_constructible_v<TypeParam>);
}

TYPED_TEST_P(ReducedFloatTest, LimitsAreThoseOfTheFormat) {
  using L = std::numeric_limits<TypeParam>;
  using F = typename TypeParam::Format;
  EXPECT_EQ(static_cast<float>(L::max()), value_of<TypeParam>(F::kMax));
  EXPECT_EQ(static_cast<float>(L::lowest()), -value_of<TypeParam>(F::kMax));
  EXPECT_EQ(static_cast<float>(L::epsilon()), std::ldexp(1.0, -F::kMantissaBits));
  EXPECT_EQ(std::ldexp(1.0, L::min_exponent - 1), static_cast<float>(L::min()));
  EXPECT_LT(static_cast<float>(L::max()), std::ldexp(1.0, L::max_exponent));
  EXPECT_GE(static_cast<float>(L::max()), std::ldexp(1.0, L::max_exponent - 1));
  EXPECT_TRUE(std::isnan(static_cast<float>(L::quiet_NaN())));
}

REGISTER_TYPED_TEST_SUITE_P(ReducedFloatTest, EveryPatternHasItsValueAndComesBack,
                            RoundsToTheNearestAndTiesToEven, OverflowsAsItsKindSays,
                            ArithmeticGoesByWayOfFloat, LimitsAreThoseOfTheFormat);

}  // namespace torch_test
