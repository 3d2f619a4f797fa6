// Tensors of the 16-bit float types: kernels agree with c10's conversions.

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/test/support/tensors.h>

#include <cmath>
#include <cstring>

using namespace at;
using namespace torch_test;

namespace {

template <typename T>
class HalfTensor : public ::testing::Test {
 public:
  static constexpr ScalarType kType = c10::CppTypeToScalarType<T>::value;
  // A tensor with each of the 65,536 patterns.
  static Tensor every_pattern() {
    Tensor t = at::empty({65536}, kType);
    auto* to = static_cast<uint16_t*>(t.data_ptr());
    for (int i = 0; i < 65536; ++i) to[i] = static_cast<uint16_t>(i);
    return t;
  }
};
using Types = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfTensor, Types);

TYPED_TEST(HalfTensor, ConvertsEveryPatternToFloatAndBack) {
  const Tensor all = TestFixture::every_pattern(), wide = at::to(all, kFloat),
               back = at::to(wide, TestFixture::kType);
  const TypeParam* from = all.template data_ptr<TypeParam>();
  const float* floats = wide.data_ptr<float>();
  const TypeParam* again = back.template data_ptr<TypeParam>();
  for (int i = 0; i < 65536; ++i) {
    const float expected = from[i];
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(floats[i]) && std::isnan(static_cast<float>(again[i]))) << i;
    } else {
      ASSERT_EQ(std::memcmp(&floats[i], &expected, sizeof(float)), 0) << i;
      ASSERT_EQ(again[i].x, from[i].x) << i;
    }
  }
}

TYPED_TEST(HalfTensor, RoundsFloatsAsTheTypeDoes) {
  // Numbers around the ties of this type, of both signs, in a vector long enough for every kernel.
  std::vector<float> numbers;
  for (int i = 0; i < 4000; ++i) {
    const float tie = std::ldexp(1.0f + static_cast<float>(2 * i + 1) / 4096, i % 30 - 16);
    for (float x : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY), -tie})
      numbers.push_back(x);
  }
  for (float x : {65504.0f, 65519.0f, 65520.0f, 1e30f, 3.4e38f, 0x1p-24f, 0x1p-25f, 0x1p-133f,
                  0x1p-134f, 0.0f, -0.0f})
    numbers.push_back(x);
  Tensor floats = at::empty({static_cast<int64_t>(numbers.size())});
  std::copy(numbers.begin(), numbers.end(), floats.data_ptr<float>());
  const Tensor rounded = at::to(floats, TestFixture::kType);
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(rounded.template data_ptr<TypeParam>()[i].x, TypeParam(numbers[i]).x) << numbers[i];
  }
}

TYPED_TEST(HalfTensor, ArithmeticIsThatOfFloatRoundedOnce) {
  const Tensor all = TestFixture::every_pattern();
  const Tensor sum = at::add(all, all), product = at::mul(all, all);
  for (int i = 0; i < 65536; ++i) {
    const float x = all.template data_ptr<TypeParam>()[i];
    if (std::isnan(x)) continue;
    ASSERT_EQ(sum.template data_ptr<TypeParam>()[i].x, TypeParam(x + x).x) << i;
    ASSERT_EQ(product.template data_ptr<TypeParam>()[i].x, TypeParam(x * x).x) << i;
  }
}

TYPED_TEST(HalfTensor, NanIsSeen) {
  const Tensor all = TestFixture::every_pattern();
  const int64_t mantissa = std::is_same_v<TypeParam, Half> ? 1023 : 127;
  EXPECT_TRUE(has(at::sum(at::isnan(all)), {2.0 * static_cast<double>(mantissa)}));
}

TEST(Half, ConvertsBetweenTheTwo) {
  EXPECT_TRUE(has(at::to(tensor({1, 0.5, 65504}, kHalf), kBFloat16), {1, 0.5, 65536}));
  EXPECT_TRUE(has(at::to(tensor({1, 1e10}, kBFloat16), kHalf), {1, INFINITY}));
  EXPECT_TRUE(has(at::to(tensor({2.5, -3.5}, kHalf), kInt), {2, -3}));
  EXPECT_TRUE(has(at::to(tensor({2049}, kInt), kHalf), {2048}));
}

}  // namespace
