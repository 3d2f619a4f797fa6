// Tests of mathematical functions of complex numbers.

#include <c10/util/complex_math.h>

#include <gtest/gtest.h>

#include <complex>

namespace {

using c10::complex;

template <class T>
class ComplexMathTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexMathTest, Types);

template <class T>
void expect_near(complex<T> got, std::complex<T> expected) {
  const T tolerance = std::is_same_v<T, float> ? T(2e-6) : T(1e-14);
  EXPECT_NEAR(got.real(), expected.real(), tolerance * (1 + std::abs(expected)));
  EXPECT_NEAR(got.imag(), expected.imag(), tolerance * (1 + std::abs(expected)));
}

TYPED_TEST(ComplexMathTest, FunctionsAreThoseOfStdComplex) {
  using T = TypeParam;
  for (T a : {T(-1.5), T(0.25), T(2)}) {
    for (T b : {T(-0.75), T(0), T(1.25)}) {
      complex<T> z(a, b);
      std::complex<T> s(a, b);
      expect_near<T>(exp(z), std::exp(s));
      expect_near<T>(log(z), std::log(s));
      expect_near<T>(sqrt(z), std::sqrt(s));
      expect_near<T>(sin(z), std::sin(s));
      expect_near<T>(cos(z), std::cos(s));
      expect_near<T>(tan(z), std::tan(s));
      expect_near<T>(sinh(z), std::sinh(s));
      expect_near<T>(cosh(z), std::cosh(s));
      expect_near<T>(tanh(z), std::tanh(s));
      expect_near<T>(asin(z), std::asin(s));
      expect_near<T>(acos(z), std::acos(s));
      expect_near<T>(atan(z), std::atan(s));
      expect_near<T>(asinh(z), std::asinh(s));
      expect_near<T>(acosh(z), std::acosh(s));
      expect_near<T>(atanh(z), std::atanh(s));
      expect_near<T>(expm1(z), std::exp(s) - T(1));
      expect_near<T>(log1p(z), std::log(s + T(1)));
      expect_near<T>(log2(z), std::log(s) / std::log(T(2)));
      expect_near<T>(c10::polar(abs(z), arg(z)), s);
      EXPECT_NEAR(abs(z), std::abs(s), 1e-6);
    }
  }
}

TYPED_TEST(ComplexMathTest, Log1pAndExpm1KeepSmallNumbers) {
  using T = TypeParam;
  const T tiny = std::numeric_limits<T>::epsilon() / 8;
  EXPECT_EQ(log1p(complex<T>(tiny, 0)).real(), tiny);
  EXPECT_EQ(expm1(complex<T>(tiny, 0)).real(), tiny);
}

TYPED_TEST(ComplexMathTest, PowersAreThoseOfStdComplex) {
  using T = TypeParam;
  for (T a : {T(-1.5), T(0.25), T(2)}) {
    for (T b : {T(-0.75), T(0), T(1.25)}) {
      const complex<T> x(a, b), y(T(0.5), T(1.5));
      const std::complex<T> sx(a, b), sy(T(0.5), T(1.5));
      expect_near<T>(pow(x, y), std::pow(sx, sy));
      expect_near<T>(pow(y, x), std::pow(sy, sx));
      expect_near<T>(pow(x, T(2)), sx * sx);
      expect_near<T>(pow(T(2), x), std::pow(std::complex<T>(2), sx));
    }
  }
}

TYPED_TEST(ComplexMathTest, PartsAndAbsoluteValue) {
  using T = TypeParam;
  const complex<T> z(3, -4);
  EXPECT_EQ(real(z), T(3));
  EXPECT_EQ(imag(z), T(-4));
  EXPECT_EQ(conj(z), complex<T>(3, 4));
  EXPECT_EQ(norm(z), T(25));
  EXPECT_EQ(abs(z), T(5));
  EXPECT_EQ(arg(complex<T>(-1, 0)), T(M_PI));
  EXPECT_EQ(arg(complex<T>(0, -2)), T(-M_PI / 2));
  // No overflow or underflow in intermediate results.
  const T big = std::numeric_limits<T>::max() / 2;
  EXPECT_TRUE(std::isfinite(abs(complex<T>(big, big))));
  EXPECT_GT(abs(complex<T>(std::numeric_limits<T>::min(), 0)), T(0));
}

TYPED_TEST(ComplexMathTest, BranchCutsFollowTheSignOfZero) {
  using T = TypeParam;
  EXPECT_EQ(sqrt(complex<T>(-4, T(0.0))), complex<T>(0, 2));
  EXPECT_EQ(sqrt(complex<T>(-4, T(-0.0))), complex<T>(0, -2));
  EXPECT_EQ(log(complex<T>(-1, T(0.0))).imag(), T(M_PI));
  EXPECT_EQ(log(complex<T>(-1, T(-0.0))).imag(), T(-M_PI));
}

TYPED_TEST(ComplexMathTest, ClassifiesByEitherPart) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  EXPECT_TRUE(isnan(complex<T>(0, nan)) && isnan(complex<T>(nan, 0)) && !isnan(complex<T>(inf, 0)));
  EXPECT_TRUE(isinf(complex<T>(-inf, 0)) && isinf(complex<T>(nan, inf)) &&
              !isinf(complex<T>(1, 2)));
  EXPECT_TRUE(isfinite(complex<T>(1, 2)) && !isfinite(complex<T>(1, inf)) &&
              !isfinite(complex<T>(nan, 1)));
}

}  // namespace
