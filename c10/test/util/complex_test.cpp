// Tests of c10::complex.

#include <c10/util/complex_math.h>

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>

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

TYPED_TEST(ComplexTest, CompoundAssignmentAndSigns) {
  using T = TypeParam;
  complex<T> z(1, 2);
  z += complex<T>(1, 1);
  EXPECT_EQ(z, complex<T>(2, 3));
  z -= T(1);
  EXPECT_EQ(z, complex<T>(1, 3));
  z *= complex<T>(0, 1);
  EXPECT_EQ(z, complex<T>(-3, 1));
  z /= complex<T>(0, 1);
  EXPECT_EQ(z, complex<T>(1, 3));
  EXPECT_EQ(-z, complex<T>(-1, -3));
  EXPECT_EQ(+z, z);
  z = T(5);
  EXPECT_EQ(z, complex<T>(5, 0));
  z.real(1);
  z.imag(-1);
  EXPECT_EQ(z, complex<T>(1, -1));
  EXPECT_NE(z, complex<T>(1, 1));
}

TYPED_TEST(ComplexTest, IsTrueUnlessZero) {
  using T = TypeParam;
  EXPECT_FALSE(complex<T>());
  EXPECT_TRUE(complex<T>(1, 0));
  EXPECT_TRUE(complex<T>(0, 1));
  EXPECT_TRUE(complex<T>(std::numeric_limits<T>::quiet_NaN(), 0));
}

TEST(Complex, WidensImplicitlyAndPrints) {
  complex<double> wide = complex<float>(1, 2);
  EXPECT_EQ(wide, complex<double>(1, 2));
  static_assert(!std::is_convertible_v<complex<double>, complex<float>>);
  static_assert(complex<float>(1, 2) * 2.0f == complex<float>(2, 4));
  EXPECT_EQ(to_string(wide), "(1.000000+2.000000j)");
}

}  // namespace
