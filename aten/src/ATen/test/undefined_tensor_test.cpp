// Tests of undefined tensors.

#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sum.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

TEST(UndefinedTensor, KnowsThatItIs) {
  Tensor undefined;
  EXPECT_FALSE(undefined.defined());
  EXPECT_EQ(undefined.use_count(), 0u);
  EXPECT_EQ(undefined.unsafeGetTensorImpl(), nullptr);
  EXPECT_TRUE(undefined.is_same(Tensor()));
  EXPECT_EQ(
      undefined.toString().find("undefined") != std::string::npos || !undefined.toString().empty(),
      true);
  Tensor x = tensor({1});
  EXPECT_FALSE(x.is_same(undefined));
  x.reset();
  EXPECT_FALSE(x.defined());
  x = undefined;
  EXPECT_FALSE(x.defined());
}

TEST(UndefinedTensor, OperatorsRefuseIt) {
  const Tensor undefined, x = tensor({1, 2});
  Tensor y = tensor({1, 2});
  EXPECT_THROW(at::add(undefined, x), Error);
  EXPECT_THROW(at::add(x, undefined), Error);
  EXPECT_THROW(at::add(undefined, undefined), Error);
  EXPECT_THROW(at::relu(undefined), Error);
  EXPECT_THROW(at::sum(undefined), Error);
  EXPECT_THROW(at::copy_(y, undefined), Error);
  const Tensor list[] = {x, undefined};
  EXPECT_THROW(at::cat(list), Error);
  EXPECT_TRUE(has(y, {1, 2}));
}

TEST(UndefinedTensor, OptionalsGiveIt) {
  EXPECT_FALSE(value_or_undefined(std::nullopt).defined());
  const std::optional<Tensor> some = tensor({1});
  EXPECT_TRUE(value_or_undefined(some).is_same(*some));
}

}  // namespace
