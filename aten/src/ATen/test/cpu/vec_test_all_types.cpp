// Vec<float> and Vec<double> with the flags of one CPU capability; one program per capability that
// is built.

#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/common/cpu/VecMath.h>

#include <ATen/native/common/DispatchStub.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

using namespace at::native;

namespace {

template <typename T>
class VecTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (g_cpu_capability < CPUCapability::CPU_CAPABILITY) {
      GTEST_SKIP() << "this machine has no " << cpu_capability_name(CPUCapability::CPU_CAPABILITY);
    }
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VecTest, Types);

template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

// Zeros, subnormals, both signs, limits, infinities, NaN, and ordinary numbers; a multiple of any
// register size.
template <typename T>
std::vector<T> corners() {
  using L = std::numeric_limits<T>;
  std::vector<T> all = {0,        T(-0.0),     1,           -1,        T(0.5),
                        T(-0.75), 2,           -3,          T(1e-5),   T(-1e-5),
                        10,       T(-17.25),   L::min(),    -L::min(), L::denorm_min(),
                        L::max(), L::lowest(), kInf<T>,     -kInf<T>,  kNaN<T>,
                        T(100.5), T(1e10),     L::epsilon()};
  while (all.size() < 64) all.push_back(static_cast<T>(all.size()) / 7 - 4);
  return all;
}

// fn(Vec) and reference(T) agree for each element; NaN with NaN.
template <typename T, typename F, typename R>
void expect_each(const F& fn, const R& reference, const std::vector<T>& inputs = corners<T>()) {
  for (size_t i = 0; i + Vec<T>::size <= inputs.size(); i += Vec<T>::size) {
    T got[Vec<T>::size];
    Vec<T>(fn(Vec<T>::load(&inputs[i]))).store(got);
    for (int64_t k = 0; k < Vec<T>::size; ++k) {
      const T x = inputs[i + static_cast<size_t>(k)], expected = reference(x);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got[k])) << x << " gives " << got[k];
      } else {
        EXPECT_EQ(got[k], expected) << x;
        EXPECT_EQ(std::signbit(got[k]), std::signbit(expected)) << x;
      }
    }
  }
}

TYPED_TEST(VecTest, HasTheWidthOfTheCapability) {
  EXPECT_EQ(Vec<TypeParam>::size * static_cast<int64_t>(sizeof(TypeParam)), kVecBytes);
  EXPECT_EQ(sizeof(Vec<TypeParam>), static_cast<size_t>(kVecBytes));
}

TYPED_TEST(VecTest, LoadsAndStoresParts) {
  using T = TypeParam;
  constexpr int64_t W = Vec<T>::size;
  for (int64_t offset : {0, 1, 3}) {
    for (int64_t n = 0; n <= W; ++n) {
      std::vector<T> from(W + 8, T(9)), to(W + 8, T(-1));
      for (int64_t i = 0; i < W; ++i) from[offset + i] = static_cast<T>(i + 1);
      const Vec<T> part = n == W ? Vec<T>::load(&from[offset]) : Vec<T>::load(&from[offset], n);
      T all[W];
      part.store(all);
      for (int64_t i = 0; i < W; ++i) ASSERT_EQ(all[i], i < n ? static_cast<T>(i + 1) : T(0));
      if (n == W) part.store(&to[offset]);
      else Vec<T>(T(7)).store(&to[offset], n);
      for (int64_t i = 0; i < W + 8; ++i) {
        const bool inside = i >= offset && i < offset + n;
        ASSERT_EQ(to[i], !inside ? T(-1) : n == W ? static_cast<T>(i - offset + 1) : T(7));
      }
    }
  }
}

// A part at the very end of a page: the memory behind it must not be touched. The sanitizers detect
// it.
TYPED_TEST(VecTest, PartsTouchNothingBeyondTheirEnd) {
  using T = TypeParam;
  for (int64_t n = 0; n < Vec<T>::size; ++n) {
    std::unique_ptr<T[]> exact(new T[static_cast<size_t>(n)]);
    for (int64_t i = 0; i < n; ++i) exact[i] = T(2);
    const Vec<T> x = Vec<T>::load(exact.get(), n);
    (x + x).store(exact.get(), n);
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(exact[i], T(4));
  }
}

TYPED_TEST(VecTest, Arithmetic) {
  using T = TypeParam;
  for (T y : {T(3), T(-0.5), T(0), T(-0.0), kInf<T>, kNaN<T>}) {
    const Vec<T> v(y);
    expect_each<T>([&](Vec<T> x) { return x + v; }, [&](T x) { return x + y; });
    expect_each<T>([&](Vec<T> x) { return x - v; }, [&](T x) { return x - y; });
    expect_each<T>([&](Vec<T> x) { return x * v; }, [&](T x) { return x * y; });
    expect_each<T>([&](Vec<T> x) { return x / v; }, [&](T x) { return x / y; });
    expect_each<T>([&](Vec<T> x) { return x += v; }, [&](T x) { return x + y; });
    expect_each<T>([&](Vec<T> x) { return x *= v; }, [&](T x) { return x * y; });
  }
  expect_each<T>([](Vec<T> x) { return -x; }, [](T x) { return -x; });
  expect_each<T>([](Vec<T> x) { return abs(x); }, [](T x) { return std::fabs(x); });
}

TYPED_TEST(VecTest, ComparisonsAndSelection) {
  using T = TypeParam;
  const Vec<T> yes(T(1)), no(T(0));
  for (T y : {T(0), T(2), kInf<T>, kNaN<T>}) {
    const Vec<T> v(y);
    expect_each<T>([&](Vec<T> x) { return where(x < v, yes, no); }, [&](T x) { return T(x < y); });
    expect_each<T>([&](Vec<T> x) { return where(x <= v, yes, no); },
                   [&](T x) { return T(x <= y); });
    expect_each<T>([&](Vec<T> x) { return where(x > v, yes, no); }, [&](T x) { return T(x > y); });
    expect_each<T>([&](Vec<T> x) { return where(x >= v, yes, no); },
                   [&](T x) { return T(x >= y); });
    expect_each<T>([&](Vec<T> x) { return where(x == v, yes, no); },
                   [&](T x) { return T(x == y); });
    expect_each<T>([&](Vec<T> x) { return where(x != v, yes, no); },
                   [&](T x) { return T(x != y); });
    // The second operand if either is NaN.
    expect_each<T>([&](Vec<T> x) { return min(x, v); }, [&](T x) { return x < y ? x : y; });
    expect_each<T>([&](Vec<T> x) { return max(x, v); }, [&](T x) { return x > y ? x : y; });
  }
}

TYPED_TEST(VecTest, ExactFunctions) {
  using T = TypeParam;
  expect_each<T>([](Vec<T> x) { return sqrt(x); }, [](T x) { return std::sqrt(x); });
  expect_each<T>([](Vec<T> x) { return floor(x); }, [](T x) { return std::floor(x); });
  expect_each<T>([](Vec<T> x) { return trunc(x); }, [](T x) { return std::trunc(x); });
}

// Distance in units of the last place of the expected value.
template <typename T>
double ulps(T got, long double expected) {
  const T rounded = static_cast<T>(expected);
  if (std::isnan(rounded) || std::isinf(rounded) || std::isnan(got) || std::isinf(got)) {
    return (std::isnan(rounded) && std::isnan(got)) || got == rounded ? 0 : 1e9;
  }
  const T next = std::nextafter(std::fabs(rounded), kInf<T>);
  const long double step = next - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - expected) / step);
}

template <typename T, typename F, typename R>
void expect_accurate(const char* name, const F& fn, const R& reference, double low, double high,
                     double bound = 1.6) {
  std::vector<T> inputs;
  for (int i = 0; i < 512; ++i) inputs.push_back(static_cast<T>(low + (high - low) * i / 511));
  for (size_t i = 0; i < inputs.size(); i += Vec<T>::size) {
    T got[Vec<T>::size];
    fn(Vec<T>::load(&inputs[i])).store(got);
    for (int64_t k = 0; k < Vec<T>::size; ++k) {
      const T x = inputs[i + static_cast<size_t>(k)];
      ASSERT_LE(ulps<T>(got[k], reference(static_cast<long double>(x))), bound)
          << name << " of " << x << " is " << got[k];
    }
  }
}

TYPED_TEST(VecTest, FunctionsAreWithinTheirBounds) {
  using T = TypeParam;
#define CHECK_FUNCTION(name, low, high)                       \
  expect_accurate<T>(#name, [](Vec<T> x) { return name(x); }, \
                     [](long double x) { return std::name(x); }, low, high)
  CHECK_FUNCTION(exp, -80, 80);
  CHECK_FUNCTION(exp2, -120, 120);
  CHECK_FUNCTION(expm1, -20, 60);
  CHECK_FUNCTION(log, 1e-3, 1e6);
  CHECK_FUNCTION(log2, 1e-3, 1e6);
  CHECK_FUNCTION(log10, 1e-3, 1e6);
  CHECK_FUNCTION(log1p, -0.99, 1e4);
  CHECK_FUNCTION(sin, -30, 30);
  CHECK_FUNCTION(cos, -30, 30);
  CHECK_FUNCTION(tan, -30, 30);
  CHECK_FUNCTION(asin, -1, 1);
  CHECK_FUNCTION(acos, -1, 1);
  CHECK_FUNCTION(atan, -50, 50);
  CHECK_FUNCTION(sinh, -20, 20);
  CHECK_FUNCTION(cosh, -20, 20);
  CHECK_FUNCTION(tanh, -5, 5);
  CHECK_FUNCTION(asinh, -100, 100);
  CHECK_FUNCTION(acosh, 1, 100);
  CHECK_FUNCTION(atanh, -0.999, 0.999);
  CHECK_FUNCTION(erf, -4, 4);
  CHECK_FUNCTION(erfc, -4, 4);
#undef CHECK_FUNCTION
}

TYPED_TEST(VecTest, FunctionsOfTwo) {
  using T = TypeParam;
  for (T y : {T(-2.5), T(0.5), T(3)}) {
    const Vec<T> v(y);
    expect_accurate<T>("pow", [&](Vec<T> x) { return pow(x, v); },
                       [&](long double x) { return std::pow(x, (long double)y); }, 0.01, 50);
    expect_accurate<T>("atan2", [&](Vec<T> x) { return atan2(x, v); },
                       [&](long double x) { return std::atan2(x, (long double)y); }, -5, 5);
    expect_accurate<T>("hypot", [&](Vec<T> x) { return hypot(x, v); },
                       [&](long double x) { return std::hypot(x, (long double)y); }, -5, 5);
    expect_accurate<T>("fmod", [&](Vec<T> x) { return fmod(x, v); },
                       [&](long double x) { return std::fmod(x, (long double)y); }, -50, 50, 0);
  }
}

TYPED_TEST(VecTest, FunctionsAtTheEdges) {
  using T = TypeParam;
  auto one = [](Vec<T> x) {
    T out[Vec<T>::size];
    x.store(out);
    return out[0];
  };
  const Vec<T> inf(kInf<T>), minus_inf(-kInf<T>), nan(kNaN<T>), zero(T(0)), minus_one(T(-1));
  EXPECT_EQ(one(exp(minus_inf)), 0);
  EXPECT_EQ(one(exp(inf)), kInf<T>);
  EXPECT_EQ(one(log(zero)), -kInf<T>);
  EXPECT_TRUE(std::isnan(one(log(minus_one))));
  EXPECT_EQ(one(log1p(minus_one)), -kInf<T>);
  EXPECT_EQ(one(tanh(inf)), 1);
  EXPECT_EQ(one(erf(minus_inf)), -1);
  EXPECT_EQ(one(pow(nan, zero)), 1);
  EXPECT_EQ(one(pow(zero, minus_one)), kInf<T>);
  for (const Vec<T>& x : {exp(nan), log(nan), sin(nan), sin(inf), sqrt(minus_one), tanh(nan),
                          erf(nan), pow(nan, minus_one)}) {
    EXPECT_TRUE(std::isnan(one(x)));
  }
}

TYPED_TEST(VecTest, SumsOfRuns) {
  using T = TypeParam;
  for (int64_t n : {0, 1, 3, 15, 16, 17, 63, 64, 65, 1000}) {
    std::unique_ptr<T[]> x(new T[static_cast<size_t>(n)]), y(new T[static_cast<size_t>(n)]);
    T sum = 0, squares = 0, dot = 0;
    for (int64_t i = 0; i < n; ++i) {
      x[i] = static_cast<T>(i % 13);
      y[i] = static_cast<T>(i % 5);
      sum += x[i];
      squares += (x[i] - 2) * (x[i] - 2);
      dot += x[i] * y[i];
    }
    EXPECT_EQ(sum_of<T>(x.get(), n), sum) << n;
    EXPECT_EQ(sum_of_squares<T>(x.get(), n, T(2)), squares) << n;
    EXPECT_EQ(dot_of<T>(x.get(), y.get(), n), dot) << n;
  }
}

using VecMath = VecTest<float>;

TEST_F(VecMath, IsCloseToTheRealFunctions) {
  for (int i = -8700; i <= 8800; ++i) {
    const float x = static_cast<float>(i) / 100;
    const double e = exp(Vec<float>(x)).v[0], t = tanh(Vec<float>(x)).v[0],
                 s = logistic(Vec<float>(x)).v[0];
    ASSERT_NEAR(e / std::exp(static_cast<double>(x)), 1, 4e-7) << x;
    ASSERT_NEAR(t, std::tanh(static_cast<double>(x)),
                4e-7 * std::fabs(std::tanh(static_cast<double>(x))))
        << x;
    ASSERT_NEAR(s, 1 / (1 + std::exp(-static_cast<double>(x))),
                4e-7 / (1 + std::exp(-static_cast<double>(x))))
        << x;
  }
}

TEST_F(VecMath, KeepsNanAndSaturates) {
  EXPECT_TRUE(std::isnan(exp(Vec<float>(NAN)).v[0]));
  EXPECT_TRUE(std::isnan(tanh(Vec<float>(NAN)).v[0]));
  EXPECT_TRUE(std::isnan(logistic(Vec<float>(NAN)).v[0]));
  EXPECT_EQ(tanh(Vec<float>(INFINITY)).v[0], 1);
  EXPECT_EQ(tanh(Vec<float>(-INFINITY)).v[0], -1);
  EXPECT_EQ(logistic(Vec<float>(INFINITY)).v[0], 1);
  EXPECT_NEAR(logistic(Vec<float>(-INFINITY)).v[0], 0, 1e-30);
  EXPECT_EQ(tanh(Vec<float>(0.0f)).v[0], 0);
}

// The conversions of this capability's instructions match those in bit arithmetic.
TEST_F(VecMath, HalfConversionsAreTheSameInInstructions) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const c10::Half h(static_cast<uint16_t>(bits), c10::from_bits);
    const float value = h, expected = c10::Half::Format::to_float(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    ASSERT_EQ(value, expected) << bits;
    for (float x : {value, std::nextafter(value, INFINITY), std::nextafter(value, -INFINITY),
                    value * 1.0004f}) {
      ASSERT_EQ(c10::Half(x).x, c10::Half::Format::from_float(x)) << x;
    }
  }
}

}  // namespace
