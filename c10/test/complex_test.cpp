#include <c10/util/complex_math.h>

#include <gtest/gtest.h>

#include <complex>
#include <cstring>

namespace {

using c10::complex;

template <class T>
class ComplexTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexTest, Types);

template <class T>
void expect_near(complex<T> got, std::complex<T> expected) {
  const T tolerance = std::is_same_v<T, float> ? T(2e-6) : T(1e-14);
  EXPECT_NEAR(got.real(), expected.real(), tolerance * (1 + std::abs(expected)));
  EXPECT_NEAR(got.imag(), expected.imag(), tolerance * (1 + std::abs(expected)));
}

TYPED_TEST(ComplexTest, HasTheLayoutOfStdComplex) {
  complex<TypeParam> z(1, -2);
  std::complex<TypeParam> same;
  static_assert(sizeof(z) == sizeof(same));
  std::memcpy(static_cast<void*>(&same), &z, sizeof(same));
  EXPECT_EQ(same, std::complex<TypeParam>(1, -2));
  EXPECT_EQ(static_cast<std::complex<TypeParam>>(z), same);
  EXPECT_EQ(complex<TypeParam>(same), z);
}

TYPED_TEST(ComplexTest, ArithmeticIsThatOfStdComplex) {
  using T = TypeParam;
  const T parts[] = {-3, T(-0.5), 0, T(0.25), 2};
  for (T a : parts) {
    for (T b : parts) {
      complex<T> x(a, b);
      std::complex<T> sx(a, b);
      for (T c : parts) {
        complex<T> y(c, T(1.5));
        std::complex<T> sy(c, T(1.5));
        expect_near<T>(x + y, sx + sy);
        expect_near<T>(x - y, sx - sy);
        expect_near<T>(x * y, sx * sy);
        expect_near<T>(x / y, sx / sy);
        expect_near<T>(x + c, sx + c);
        expect_near<T>(c * x, c * sx);
        expect_near<T>(pow(y, x), std::pow(sy, sx));
      }
    }
  }
}

TYPED_TEST(ComplexTest, DivisionNeitherOverflowsNorUnderflows) {
  using T = TypeParam;
  const T big = std::numeric_limits<T>::max() / 16;
  complex<T> one = complex<T>(big, big) / complex<T>(big, big);
  expect_near<T>(one, std::complex<T>(1, 0));
  EXPECT_TRUE(isinf(complex<T>(1, 0) / complex<T>(0, 0)));
}

TYPED_TEST(ComplexTest, FunctionsAreThoseOfStdComplex) {
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

TYPED_TEST(ComplexTest, Log1pAndExpm1KeepSmallNumbers) {
  using T = TypeParam;
  const T tiny = std::numeric_limits<T>::epsilon() / 8;
  EXPECT_EQ(log1p(complex<T>(tiny, 0)).real(), tiny);
  EXPECT_EQ(expm1(complex<T>(tiny, 0)).real(), tiny);
}

TEST(Complex, WidensImplicitlyAndPrints) {
  complex<double> wide = complex<float>(1, 2);
  EXPECT_EQ(wide, complex<double>(1, 2));
  static_assert(!std::is_convertible_v<complex<double>, complex<float>>);
  static_assert(complex<float>(1, 2) * 2.0f == complex<float>(2, 4));
  EXPECT_EQ(to_string(wide), "(1.000000+2.000000j)");
}

}  // namespace
