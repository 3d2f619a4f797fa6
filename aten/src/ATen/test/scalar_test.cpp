// Numbers next to tensors: their conversion, and their effect on the result's type.

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/full.h>
#include <ATen/ops/item.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sub.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

#include <cmath>

using namespace at;
using namespace torch_test;

namespace {

TEST(TensorScalar, TensorsOfANumber) {
  EXPECT_TRUE(has(at::scalar_tensor(2.5), {2.5}));
  EXPECT_EQ(at::scalar_tensor(2).scalar_type(), kFloat);  // the default type, as in PyTorch
  EXPECT_EQ(at::scalar_tensor(2, kLong).scalar_type(), kLong);
  EXPECT_EQ(at::full({2}, 7).scalar_type(), kLong);
  EXPECT_EQ(at::full({2}, 7.0).scalar_type(), kFloat);
  EXPECT_EQ(at::full({2}, true).scalar_type(), kBool);
  EXPECT_EQ(at::full({2}, c10::complex<double>(1, 2)).scalar_type(), kComplexFloat);
  EXPECT_TRUE(has(at::full({2}, 7), {7, 7}));
}

TEST(TensorScalar, ItemsHaveTheTensorsKind) {
  for (ScalarType dtype : {kByte, kChar, kShort, kInt, kLong}) {
    EXPECT_EQ(at::item(number(7, dtype)).type(), kLong);
    EXPECT_EQ(at::item(number(7, dtype)).toLong(), 7);
  }
  for (ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble}) {
    EXPECT_EQ(at::item(number(0.5, dtype)).type(), kDouble);
    EXPECT_EQ(at::item(number(0.5, dtype)).toDouble(), 0.5);
  }
  EXPECT_TRUE(at::item(number(1, kBool)).isBoolean());
  EXPECT_TRUE(at::item(number(1, kComplexFloat)).isComplex());
  EXPECT_EQ(at::item(at::full({}, INT64_MAX, kLong)).toLong(), INT64_MAX);
  EXPECT_EQ(at::item(at::full({}, UINT64_MAX, kUInt64)).to<uint64_t>(), UINT64_MAX);
}

TEST(TensorScalar, NumbersDoNotWidenTheirKind) {
  const Tensor half = tensor({1}, kHalf), bytes = tensor({1}, kByte), flags = tensor({1}, kBool),
               floats = tensor({1});
  EXPECT_EQ(at::add(half, 1e-3).scalar_type(), kHalf);
  EXPECT_EQ(at::add(half, 1).scalar_type(), kHalf);
  EXPECT_EQ(at::mul(bytes, 3).scalar_type(), kByte);
  EXPECT_EQ(at::mul(bytes, 0.5).scalar_type(), kFloat);  // a higher kind: the default type
  EXPECT_EQ(at::mul(flags, 3).scalar_type(), kLong);
  EXPECT_EQ(at::mul(flags, true).scalar_type(), kBool);
  EXPECT_EQ(at::add(floats, c10::complex<double>(0, 1)).scalar_type(), kComplexFloat);
  EXPECT_EQ(at::div(bytes, 2).scalar_type(), kFloat);
}

TEST(TensorScalar, AlphaHasToFitTheType) {
  const Tensor i = tensor({1, 2}, kInt), b = tensor({1, 0}, kBool);
  EXPECT_TRUE(has(at::add(i, i, 3), {4, 8}));
  EXPECT_TRUE(throws<Error>([&] {
    at::add(i, i, 0.5);
  }, "For integral input tensors, argument alpha must not be a floating point number"));
  EXPECT_TRUE(throws<Error>([&] { at::add(i, i, true); },
                            "Boolean alpha only supported for Boolean results"));
  EXPECT_NO_THROW(at::add(b, b, true));
  EXPECT_TRUE(throws<Error>([&] { at::sub(b, b); }, "Subtraction"));
}

TEST(TensorScalar, FillsConvert) {
  Tensor bytes = at::empty({2}, kByte), floats = at::empty({2});
  EXPECT_TRUE(has(at::fill_(bytes, 200), {200, 200}));
  EXPECT_TRUE(throws<Error>([&] { at::fill_(bytes, 256); }, "without overflow"));
  EXPECT_TRUE(has(at::fill_(floats, 1.5), {1.5, 1.5}));
  EXPECT_TRUE(has(at::fill_(floats, NAN), {NAN, NAN}));
  EXPECT_THROW(at::fill_(floats, c10::complex<double>(1, 1)), Error);
}

TEST(TensorScalar, OperatorsTakeThemOnBothSides) {
  const Tensor x = tensor({1, 2});
  EXPECT_TRUE(has(x + 1, {2, 3}));
  EXPECT_TRUE(has(1 - x, {0, -1}));
  EXPECT_TRUE(has(2 * x, {2, 4}));
  EXPECT_TRUE(has(x / 2, {0.5, 1}));
  EXPECT_TRUE(has(2 / x, {2, 1}));
}

}  // namespace
