// Tests of Scalar.

#include <c10/core/Scalar.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <limits>

using namespace c10;
using torch_test::throws;

namespace {

using Z = c10::complex<double>;
constexpr const char* kOverflow = "cannot be converted";

TEST(Scalar, KnowsItsKind) {
  const Scalar number(1.5), integer(2), truth(true), z(Z(1, 2)), big(uint64_t(1) << 63);
  EXPECT_TRUE(number.isFloatingPoint() && !number.isIntegral(true) && !number.isComplex() &&
              !number.isBoolean());
  EXPECT_TRUE(integer.isIntegral(false) && !integer.isFloatingPoint() && !integer.isBoolean());
  EXPECT_TRUE(truth.isBoolean() && truth.isIntegral(true) && !truth.isIntegral(false));
  EXPECT_TRUE(z.isComplex() && !z.isFloatingPoint());
  EXPECT_TRUE(big.isIntegral(false));
  EXPECT_EQ(number.type(), kDouble);
  EXPECT_EQ(integer.type(), kLong);
  EXPECT_EQ(truth.type(), kBool);
  EXPECT_EQ(z.type(), kComplexDouble);
  EXPECT_EQ(big.type(), kUInt64);
  EXPECT_EQ(Scalar(uint64_t(7)).type(), kLong);  // fits
  EXPECT_EQ(Scalar(1.5f).type(), kDouble);
  EXPECT_EQ(Scalar(Half(1.5f)).type(), kDouble);
  EXPECT_EQ(Scalar(c10::complex<float>(1, 2)).type(), kComplexDouble);
  EXPECT_EQ(Scalar().type(), kLong);
  EXPECT_EQ(Scalar().toLong(), 0);
}

template <typename T>
void expect_limits_survive() {
  for (T value : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T(0), T(1)}) {
    EXPECT_EQ(Scalar(value).to<T>(), value);
  }
}

TEST(Scalar, LimitsOfEveryTypeSurvive) {
  expect_limits_survive<uint8_t>();
  expect_limits_survive<int8_t>();
  expect_limits_survive<int16_t>();
  expect_limits_survive<int32_t>();
  expect_limits_survive<int64_t>();
  expect_limits_survive<uint16_t>();
  expect_limits_survive<uint32_t>();
  expect_limits_survive<uint64_t>();
  expect_limits_survive<float>();
  expect_limits_survive<double>();
}

TEST(Scalar, RefusesWhatATypeCannotHold) {
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(256).to<uint8_t>(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(-256).to<uint8_t>(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(128).to<int8_t>(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(-129).to<int8_t>(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(int64_t(1) << 31).toInt(); }, "2147483648"));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(1e300).toFloat(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(9223372036854775808.0).toLong(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(NAN).toLong(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(INFINITY).to<int16_t>(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(-1.5).to<uint8_t>(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(uint64_t(1) << 63).toInt(); }, kOverflow));
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(UINT64_MAX).toLong(); }, "18446744073709551615"));
  EXPECT_TRUE(Scalar(UINT64_MAX).toBool());
  EXPECT_EQ(Scalar(-9223372036854775808.0).toLong(), INT64_MIN);
}

TEST(Scalar, ConvertsAsNumbersDo) {
  EXPECT_EQ(Scalar(-1).to<uint8_t>(), 255);  // wraps, as a - b with unsigned types does
  EXPECT_EQ(Scalar(2.9).toLong(), 2);
  EXPECT_EQ(Scalar(-2.9).toLong(), -2);
  EXPECT_TRUE(Scalar(0.5).toBool());
  EXPECT_FALSE(Scalar(0.0).toBool());
  EXPECT_TRUE(Scalar(NAN).toBool());
  EXPECT_EQ(Scalar(true).toDouble(), 1.0);
  EXPECT_EQ(Scalar(uint64_t(1) << 63).toDouble(), 9223372036854775808.0);
  EXPECT_EQ(Scalar(uint64_t(1) << 63).to<uint64_t>(), uint64_t(1) << 63);
  // Infinities and NaN are numbers of every float type.
  EXPECT_EQ(Scalar(INFINITY).toFloat(), INFINITY);
  EXPECT_TRUE(std::isnan(Scalar(NAN).toFloat()));
}

TEST(Scalar, ComplexNumbersAreRealWithoutAnImaginaryPart) {
  EXPECT_EQ(Scalar(Z(3, 0)).toDouble(), 3.0);
  EXPECT_EQ(Scalar(Z(3, 0)).toLong(), 3);
  EXPECT_TRUE(throws<Error>([] { (void)Scalar(Z(3, 1)).toDouble(); }, kOverflow));
  EXPECT_EQ(Scalar(Z(3, -1)).toComplexDouble(), Z(3, -1));
  EXPECT_EQ(Scalar(3).toComplexDouble(), Z(3, 0));
  EXPECT_EQ(Scalar(Z(3, 1)).cast<double>(), 3.0);
  EXPECT_EQ(Scalar(Z(3, 1)).conj().toComplexDouble(), Z(3, -1));
  EXPECT_EQ(Scalar(5).conj().toLong(), 5);
}

TEST(Scalar, CastNeverThrows) {
  EXPECT_EQ(Scalar(300).cast<uint8_t>(), 44);
  EXPECT_EQ(Scalar(1e300).cast<float>(), INFINITY);
  EXPECT_TRUE(Scalar(NAN).cast<bool>());
  EXPECT_EQ(static_cast<float>(Scalar(1.5).cast<BFloat16>()), 1.5f);
  EXPECT_EQ(static_cast<float>(Scalar(7).cast<Half>()), 7.0f);
  (void)Scalar(NAN).cast<int64_t>();
  (void)Scalar(-1e30).cast<int8_t>();
}

TEST(Scalar, Negates) {
  EXPECT_EQ((-Scalar(2)).toLong(), -2);
  EXPECT_EQ((-Scalar(1.5)).toDouble(), -1.5);
  EXPECT_TRUE(std::signbit((-Scalar(0.0)).toDouble()));
  EXPECT_EQ((-Scalar(Z(1, -2))).toComplexDouble(), Z(-1, 2));
  EXPECT_EQ((-Scalar(INT64_MIN)).toLong(), INT64_MIN);  // wraps, without undefined behaviour
  EXPECT_TRUE(throws<Error>([] { (void)-Scalar(true); }, "negative"));
}

TEST(Scalar, LogAndEqual) {
  EXPECT_DOUBLE_EQ(Scalar(M_E).log().toDouble(), 1.0);
  EXPECT_DOUBLE_EQ(Scalar(Z(-1, 0)).log().toComplexDouble().imag(), M_PI);
  EXPECT_TRUE(Scalar(2).equal(2.0) && Scalar(true).equal(1) && Scalar(Z(2, 0)).equal(2));
  EXPECT_FALSE(Scalar(Z(2, 1)).equal(2));
  EXPECT_FALSE(Scalar(NAN).equal(NAN));
}

TEST(Scalar, Prints) {
  EXPECT_EQ(to_string(Scalar(3)), "3");
  EXPECT_EQ(to_string(Scalar(-0.5)), "-0.5");
  EXPECT_EQ(to_string(Scalar(true)), "True");
  EXPECT_EQ(to_string(Scalar(uint64_t(1) << 63)), "9223372036854775808");
  EXPECT_EQ(to_string(Scalar(Z(1, -2))), "(1-2j)");
  EXPECT_EQ(c10::str("got ", Scalar(2)), "got 2");
}

}  // namespace
