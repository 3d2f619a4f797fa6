// Comparison, logic and bits: every form of an operator, every kind of type.

#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/bitwise_not.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/logical_xor.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/transpose.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <cmath>

using namespace at;
using namespace torch_test;

namespace {

constexpr ScalarType kAll[] = {kBool, kByte, kChar,     kShort, kInt,
                               kLong, kHalf, kBFloat16, kFloat, kDouble};

TEST(ATest, ComparisonsOfEveryType) {
  for (ScalarType dtype : kAll) {
    const Tensor a = tensor({0, 1, 1, 0}, dtype), b = tensor({0, 0, 1, 1}, dtype);
    EXPECT_TRUE(has(at::eq(a, b), {1, 0, 1, 0})) << toString(dtype);
    EXPECT_TRUE(has(at::ne(a, b), {0, 1, 0, 1})) << toString(dtype);
    EXPECT_TRUE(has(at::lt(a, b), {0, 0, 0, 1})) << toString(dtype);
    EXPECT_TRUE(has(at::le(a, b), {1, 0, 1, 1})) << toString(dtype);
    EXPECT_TRUE(has(at::gt(a, b), {0, 1, 0, 0})) << toString(dtype);
    EXPECT_TRUE(has(at::ge(a, b), {1, 1, 1, 0})) << toString(dtype);
    EXPECT_EQ(at::lt(a, b).scalar_type(), kBool);
  }
}

TEST(ATest, ComparisonsWithNumbersAndNan) {
  const Tensor x = tensor({1, NAN, 3});
  EXPECT_TRUE(has(at::gt(x, 2), {0, 0, 1}));
  EXPECT_TRUE(has(at::ne(x, x), {0, 1, 0}));
  EXPECT_TRUE(has(at::le(x, x), {1, 0, 1}));
  // Compared in the promoted type: 300 does not become 44.
  EXPECT_TRUE(has(at::eq(tensor({44}, kByte), tensor({300}, kInt)), {0}));
  EXPECT_TRUE(has(at::lt(tensor({2}, kInt), 2.5), {1}));
}

TEST(ATest, LogicSeesZeroAndTheRest) {
  for (ScalarType dtype : kAll) {
    const Tensor a = tensor({0, 2, 3, 0}, dtype), b = tensor({0, 0, 5, 7}, dtype);
    EXPECT_TRUE(has(at::logical_and(a, b), {0, 0, 1, 0})) << toString(dtype);
    EXPECT_TRUE(has(at::logical_or(a, b), {0, 1, 1, 1})) << toString(dtype);
    EXPECT_TRUE(has(at::logical_xor(a, b), {0, 1, 0, 1})) << toString(dtype);
    EXPECT_TRUE(has(at::logical_not(a), {1, 0, 0, 1})) << toString(dtype);
  }
  EXPECT_TRUE(has(at::logical_not(tensor({NAN, -0.0})), {0, 1}));
}

TEST(ATest, Bits) {
  for (ScalarType dtype : {kByte, kChar, kShort, kInt, kLong}) {
    const Tensor a = tensor({12, 7}, dtype), b = tensor({10, 1}, dtype);
    EXPECT_TRUE(has(at::bitwise_and(a, b), {8, 1}));
    EXPECT_TRUE(has(at::bitwise_or(a, b), {14, 7}));
    EXPECT_TRUE(has(at::bitwise_xor(a, b), {6, 6}));
    EXPECT_TRUE(has(at::bitwise_left_shift(a, tensor({1, 2}, dtype)), {24, 28}));
  }
  EXPECT_TRUE(has(at::bitwise_not(tensor({0, 5}, kInt)), {-1, -6}));
  EXPECT_TRUE(has(at::bitwise_not(tensor({0, 5}, kByte)), {255, 250}));
  EXPECT_TRUE(has(at::bitwise_not(tensor({0, 1}, kBool)), {1, 0}));
  EXPECT_TRUE(has(at::bitwise_and(tensor({6}, kInt), 3), {2}));
  EXPECT_TRUE(throws<NotImplementedError>([] { at::bitwise_and(tensor({1}), tensor({1})); },
                                          "not implemented for 'Float'"));
}

TEST(ATest, OutputsOfAnotherType) {
  const Tensor a = tensor({1, 2}), b = tensor({2, 2});
  Tensor flags = at::empty({2}, kBool), floats = at::empty({2}), bytes = at::empty({2}, kByte);
  EXPECT_TRUE(has(at::lt_out(flags, a, b), {1, 0}));
  EXPECT_TRUE(has(at::lt_out(floats, a, b), {1, 0}));
  EXPECT_TRUE(has(at::logical_and_out(bytes, a, b), {1, 1}));
  EXPECT_TRUE(throws<Error>([&] { at::maximum_out(bytes, a, b); },
                            "can't be cast to the desired output type Byte"));
}

TEST(ATest, OutputsThatAreStridedOrOfAnotherShape) {
  const Tensor a = tensor({1, 2, 3, 4, 5, 6}, {2, 3}), b = tensor({3, 3, 3});
  Tensor transposed = at::transpose(at::empty({3, 2}, kBool), 0, 1);
  EXPECT_TRUE(has(at::ge_out(transposed, a, b), {0, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(has_strides(transposed, {1, 2}));
  Tensor none = at::empty({0}, kBool);
  EXPECT_TRUE(has_sizes(at::ge_out(none, a, b), {2, 3}));
}

TEST(ATest, InPlaceFormsKeepTheType) {
  Tensor x = tensor({1, 5});
  at::_ops::lt__Scalar::call(x, 3);
  EXPECT_TRUE(has(x, {1, 0}));
  EXPECT_EQ(x.scalar_type(), kFloat);
  Tensor bits = tensor({12}, kInt);
  at::_ops::bitwise_and__Tensor::call(bits, tensor({10}, kInt));
  EXPECT_TRUE(has(bits, {8}));
}

}  // namespace
