// a + b and similar operators.

#include <ATen/TensorOperators.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

TEST(Operators, OfTwoTensors) {
  const Tensor a = tensor({6, 8}), b = tensor({3, 2});
  EXPECT_TRUE(has(a + b, {9, 10}));
  EXPECT_TRUE(has(a - b, {3, 6}));
  EXPECT_TRUE(has(a * b, {18, 16}));
  EXPECT_TRUE(has(a / b, {2, 4}));
  EXPECT_TRUE(has(-a, {-6, -8}));
  EXPECT_TRUE(has(a + b * a - a / b, {22, 20}));
}

TEST(Operators, OfATensorAndANumber) {
  const Tensor a = tensor({6, 8});
  EXPECT_TRUE(has(a + 2, {8, 10}));
  EXPECT_TRUE(has(a - 2, {4, 6}));
  EXPECT_TRUE(has(a * 0.5, {3, 4}));
  EXPECT_TRUE(has(a / 2, {3, 4}));
  EXPECT_TRUE(has(2 + a, {8, 10}));
  EXPECT_TRUE(has(2 - a, {-4, -6}));
  EXPECT_TRUE(has(0.5 * a, {3, 4}));
  EXPECT_TRUE(has(24 / a, {4, 3}));
}

TEST(Operators, PromoteAndBroadcast) {
  const Tensor i = tensor({1, 2}, kInt), column = tensor({10, 20}, {2, 1});
  EXPECT_TRUE(has(i + column, {11, 12, 21, 22}));
  EXPECT_EQ((i + column).scalar_type(), kFloat);
  EXPECT_EQ((i / i).scalar_type(), kFloat);  // a true division
  EXPECT_EQ((i * 2).scalar_type(), kInt);
}

TEST(Operators, RefuseWhatTheirFunctionsRefuse) {
  const Tensor flags = tensor({1, 0}, kBool);
  EXPECT_TRUE(throws<Error>([&] { flags - flags; }, "Subtraction"));
  EXPECT_TRUE(throws<Error>([&] { -flags; }, "Negation"));
  EXPECT_THROW(flags + Tensor(), Error);
}

}  // namespace
