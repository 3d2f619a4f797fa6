// Tests of the 8-bit floating-point types.

#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e4m3fnuz.h>
#include <c10/util/Float8_e5m2.h>
#include <c10/util/Float8_e5m2fnuz.h>
#include <c10/util/Float8_e8m0fnu.h>

#include <c10/test/util/reduced_float_checks.h>

namespace torch_test {

using Types = ::testing::Types<Float8_e4m3fn, Float8_e5m2, Float8_e4m3fnuz, Float8_e5m2fnuz>;
INSTANTIATE_TYPED_TEST_SUITE_P(Float8, ReducedFloatTest, Types);

TEST(Float8, LargestNumbers) {
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8_e4m3fn>::max()), 448.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8_e5m2>::max()), 57344.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8_e4m3fnuz>::max()), 240.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8_e5m2fnuz>::max()), 57344.0f);
}

TEST(Float8, OnlyFnuzTypesLackANegativeZero) {
  EXPECT_EQ(Float8_e4m3fn(-0.0f).x, 0x80);
  EXPECT_EQ(Float8_e5m2(-0.0f).x, 0x80);
  EXPECT_EQ(Float8_e4m3fnuz(-0.0f).x, 0x00);
  EXPECT_EQ(Float8_e5m2fnuz(-0.0f).x, 0x00);
  EXPECT_TRUE(Float8_e4m3fnuz(NAN).isnan() && Float8_e4m3fnuz(NAN).x == 0x80);
}

TEST(Float8E8M0, IsThePowersOfTwo) {
  for (uint32_t pattern = 0; pattern < 255; ++pattern) {
    const float value = from_pattern<Float8_e8m0fnu>(pattern);
    ASSERT_EQ(value, std::ldexp(1.0, static_cast<int>(pattern) - 127));
    // 2^-127 is the tie between 2^-127 and nothing below: it goes to the even pattern.
    ASSERT_EQ(Float8_e8m0fnu(value).x, pattern);
    ASSERT_EQ(Float8_e8m0fnu(-value).x, pattern);
    if (pattern > 0 && pattern < 254) {
      ASSERT_EQ(Float8_e8m0fnu(value * 1.5f).x, pattern + 1);
      ASSERT_EQ(Float8_e8m0fnu(std::nextafterf(value * 1.5f, 0.0f)).x, pattern);
    }
  }
  EXPECT_TRUE(Float8_e8m0fnu(INFINITY).isnan());
  EXPECT_TRUE(Float8_e8m0fnu(NAN).isnan());
  EXPECT_EQ(Float8_e8m0fnu(0.0f).x, 0);
}

}  // namespace torch_test
