// Tests of Half.

#include <c10/util/Half.h>

#include <c10/test/util/reduced_float_checks.h>

using c10::Half;

namespace torch_test {

INSTANTIATE_TYPED_TEST_SUITE_P(Half, ReducedFloatTest, Half);

TEST(Half, HasTheKnownPatterns) {
  EXPECT_EQ(Half(0.0f).x, 0x0000);
  EXPECT_EQ(Half(-0.0f).x, 0x8000);
  EXPECT_EQ(Half(1.0f).x, 0x3c00);
  EXPECT_EQ(Half(-2.0f).x, 0xc000);
  EXPECT_EQ(Half(65504.0f).x, 0x7bff);
  EXPECT_EQ(Half(65519.0f).x, 0x7bff);  // rounds down to the maximum
  EXPECT_EQ(Half(65520.0f).x, 0x7c00);  // halfway to 2^16: rounds to even, which is infinity
  EXPECT_EQ(Half(0x1p-24f).x, 0x0001);
  EXPECT_EQ(Half(0x1p-25f).x, 0x0000);  // a tie with zero
  EXPECT_EQ(Half(0x1.8p-25f).x, 0x0001);
  EXPECT_EQ(Half(0x1p-14f).x, 0x0400);
  EXPECT_EQ(Half(NAN).x & 0x7fff, 0x7e00);
  static_assert(sizeof(Half) == 2 && alignof(Half) == 2);
}

TEST(Half, ConvertsAtCompileTime) {
  constexpr Half third(1.0f / 3);
  static_assert(third.x == 0x3555);
  static_assert(static_cast<float>(third) == 0.333251953125f);
  static_assert(std::numeric_limits<Half>::digits == 11 &&
                std::numeric_limits<Half>::max_exponent == 16);
}

}  // namespace torch_test
