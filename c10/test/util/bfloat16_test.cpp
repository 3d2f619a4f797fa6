// Tests of BFloat16.

#include <c10/util/BFloat16.h>

#include <c10/test/util/reduced_float_checks.h>

using c10::BFloat16;

namespace torch_test {

INSTANTIATE_TYPED_TEST_SUITE_P(BFloat16, ReducedFloatTest, BFloat16);

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(BFloat16(1.0f).x, 0x3f80);
  EXPECT_EQ(BFloat16(-1.0f).x, 0xbf80);
  EXPECT_EQ(BFloat16(0x1.01p0f).x, 0x3f80);  // a tie rounds to even
  EXPECT_EQ(BFloat16(0x1.03p0f).x, 0x3f82);
  EXPECT_EQ(BFloat16(3.3895314e38f).x, 0x7f7f);
  EXPECT_EQ(BFloat16(3.4e38f).x, 0x7f80);
  EXPECT_EQ(BFloat16(NAN).x & 0x7fff, 0x7fc0);
  EXPECT_EQ(BFloat16(0x1p-133f).x, 0x0001);
  static_assert(std::numeric_limits<BFloat16>::digits == 8 &&
                std::numeric_limits<BFloat16>::max_exponent == 128);
}

TEST(BFloat16, NanWithALowPayloadStaysNan) {
  // Dropping the lower half of this one would give an infinity.
  const float nan = __builtin_bit_cast(float, 0x7f800001u);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(nan))));
}

}  // namespace torch_test
