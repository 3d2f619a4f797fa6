// Tests of pow in all combinations of types.

#include <ATen/ops/empty.h>
#include <ATen/ops/float_power.h>
#include <ATen/ops/full.h>
#include <ATen/ops/pow.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <cmath>
#include <limits>

using namespace at;
using namespace torch_test;

namespace {

// Zero, ones, both signs, halves, large, infinite: the special cases of pow.
const std::vector<double> kBases = {0,    -0.0, 1,    -1,       2,         -2, 0.5,
                                    -0.5, 3.7,  1e10, INFINITY, -INFINITY, NAN};
const std::vector<double> kExponents = {0,   -0.0, 1,   -1, 2,        -2,        3,  -3,
                                        0.5, -0.5, 1.5, 10, INFINITY, -INFINITY, NAN};

Tensor all_of(const std::vector<double>& list, ScalarType dtype) {
  Tensor t = at::empty({static_cast<int64_t>(list.size())}, kDouble);
  std::copy(list.begin(), list.end(), t.data_ptr<double>());
  Tensor out = at::empty(t.sizes(), dtype);
  return at::pow_out(out, t, 1), out;
}

template <typename T>
void expect_like_std() {
  const ScalarType dtype = c10::CppTypeToScalarType<T>::value;
  const Tensor bases = all_of(kBases, dtype), exponents = all_of(kExponents, dtype);
  for (double e : kExponents) {
    if (std::fabs(e) == 0.5) continue;  // see SquareRoots
    std::vector<double> expected;
    for (double b : kBases) expected.push_back(std::pow(static_cast<T>(b), static_cast<T>(e)));
    EXPECT_TRUE(near(at::pow(bases, e), expected)) << "exponent " << e;
    EXPECT_TRUE(near(at::pow(bases, at::full(bases.sizes(), e, dtype)), expected))
        << "exponents " << e;
  }
  for (double b : kBases) {
    std::vector<double> expected;
    for (double e : kExponents) expected.push_back(std::pow(static_cast<T>(b), static_cast<T>(e)));
    EXPECT_TRUE(near(at::pow(Scalar(b), exponents), expected)) << "base " << b;
  }
}

TEST(Pow, OfFloatsIsThatOfTheCLibrary) {
  expect_like_std<float>();
  expect_like_std<double>();
}

// As in PyTorch, the number 0.5 means sqrt, which returns NaN for -inf and keeps the sign of -0; a
// tensor of 0.5 does not.
TEST(Pow, SquareRoots) {
  const Tensor x = tensor({4, -0.0, -INFINITY, INFINITY}), half = at::full({4}, 0.5);
  const Tensor root = at::pow(x, 0.5), inverse = at::pow(x, -0.5);
  EXPECT_TRUE(has(root, {2, 0, NAN, INFINITY}));
  EXPECT_TRUE(std::signbit(values(root)[1]));
  EXPECT_TRUE(has(inverse, {0.5, -INFINITY, NAN, 0}));
  EXPECT_TRUE(has(at::pow(x, half), {2, 0, INFINITY, INFINITY}));
  EXPECT_FALSE(std::signbit(values(at::pow(x, half))[1]));
}

TEST(Pow, OfIntegersWraps) {
  const Tensor x = tensor({-3, -1, 0, 1, 2, 5}, kInt);
  EXPECT_TRUE(has(at::pow(x, 0), {1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(has(at::pow(x, 1), {-3, -1, 0, 1, 2, 5}));
  EXPECT_TRUE(has(at::pow(x, 3), {-27, -1, 0, 1, 8, 125}));
  EXPECT_TRUE(has(at::pow(tensor({2, 3}, kByte), 9), {0, 227}));
  EXPECT_TRUE(has(at::pow(tensor({2}, kLong), 62), {4611686018427387904.0}));
  EXPECT_TRUE(has(at::pow(tensor({3}, kLong), 64),
                  {static_cast<double>(static_cast<int64_t>(8733086111712066817ull))}));
  EXPECT_EQ(at::pow(x, 2).scalar_type(), kInt);
  EXPECT_EQ(at::pow(x, 2.0).scalar_type(), kFloat);
}

TEST(Pow, IntegersToNegativePowers) {
  const Tensor x = tensor({-1, 1, 2}, kInt);
  EXPECT_TRUE(throws<Error>([&] { at::pow(x, -1); },
                            "Integers to negative integer powers are not allowed"));
  // With a tensor of exponents the values are not inspected: non-integers become 0.
  EXPECT_TRUE(
      has(at::pow(tensor({-1, 1, 2, -1}, kInt), tensor({-1, -1, -1, -2}, kInt)), {-1, 1, 0, 1}));
  EXPECT_TRUE(has(at::pow(x, -1.0), {-1, 1, 0.5}));
}

TEST(Pow, PromotesItsOperands) {
  EXPECT_EQ(at::pow(tensor({1}, kInt), tensor({1}, kLong)).scalar_type(), kLong);
  EXPECT_EQ(at::pow(tensor({1}, kInt), tensor({1}, kHalf)).scalar_type(), kHalf);
  EXPECT_EQ(at::pow(2, tensor({1}, kInt)).scalar_type(), kInt);
  EXPECT_EQ(at::pow(2.0, tensor({1}, kInt)).scalar_type(), kFloat);
  EXPECT_EQ(at::pow(tensor({1}, kHalf), 2.5).scalar_type(), kHalf);
  EXPECT_TRUE(has(at::pow(tensor({2, 3}), tensor({1, 2}, {2, 1})), {2, 3, 4, 9}));
}

TEST(Pow, OfReducedTypesRoundsOnce) {
  for (ScalarType dtype : {kHalf, kBFloat16}) {
    EXPECT_TRUE(has(at::pow(tensor({2, -2, 0.5}, dtype), 3), {8, -8, 0.125}));
    EXPECT_TRUE(has(at::pow(tensor({4, 16}, dtype), 0.5), {2, 4}));
  }
}

TEST(Pow, InPlaceAndIntoOutputs) {
  Tensor x = tensor({2, 3});
  at::_ops::pow__Scalar::call(x, 2);
  EXPECT_TRUE(has(x, {4, 9}));
  at::_ops::pow__Tensor::call(x, tensor({0.5, 0}));
  EXPECT_TRUE(has(x, {2, 1}));
  Tensor out = at::empty({0}, kDouble);
  at::pow_out(out, tensor({3, 4}), 2);
  EXPECT_TRUE(has(out, {9, 16}));
  Tensor integers = tensor({2}, kInt);
  EXPECT_TRUE(throws<Error>([&] { at::_ops::pow__Scalar::call(integers, 0.5); }, "can't be cast"));
}

TEST(Pow, OfComplexNumbers) {
  const Tensor i = at::full({1}, c10::complex<double>(0, 1), kComplexDouble);
  EXPECT_TRUE(near(at::pow(i, 2), {-1, 0}, 1e-12));
  EXPECT_TRUE(near(at::pow(i, i), {std::exp(-M_PI / 2), 0}, 1e-12));
}

TEST(FloatPower, IsDouble) {
  EXPECT_EQ(at::float_power(tensor({2}, kInt), 2).scalar_type(), kDouble);
  EXPECT_TRUE(has(at::float_power(tensor({2}, kInt), -1), {0.5}));
}

}  // namespace
