// Operators from C++: values, views, autograd, errors.

#define TORCH_TENSOR_METHODS
#include <ATen/ATen.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <gtest/gtest.h>

using namespace at;

namespace {

TEST(Basic, AddsWithPromotionAndBroadcast) {
  Tensor a = at::ones({2, 3}, kInt), b = at::full({3}, 0.5);
  Tensor c = a.add(b);
  EXPECT_EQ(c.scalar_type(), kFloat);
  EXPECT_EQ(c.sizes(), IntArrayRef({2, 3}));
  EXPECT_TRUE(at::equal(c, at::full({2, 3}, 1.5)));
}

TEST(Basic, ViewsShareMemoryAndVersion) {
  Tensor a = at::zeros({4, 4});
  Tensor row = a.select(0, 1);
  row.fill_(2);
  EXPECT_EQ(a.sum().item().toDouble(), 8.0);
  EXPECT_EQ(a._version(), 1u);
  EXPECT_TRUE(row.is_view());
}

TEST(Basic, OutAndInplaceForms) {
  Tensor a = at::ones({3}), out = at::empty({0});
  at::add_out(out, a, a);
  EXPECT_EQ(out.numel(), 3);
  a.mul_(out);
  EXPECT_TRUE(at::equal(a, at::full({3}, 2.0)));
}

TEST(Basic, MetaKnowsShapesOnly) {
  Tensor m = at::empty({2, 3}, TensorOptions(kFloat).device(kMeta));
  Tensor r = at::add(m, m);
  EXPECT_TRUE(r.is_meta());
  EXPECT_EQ(r.sizes(), IntArrayRef({2, 3}));
}

TEST(Basic, BackwardThroughAnInplaceChangeOfAView) {
  Tensor x = at::ones({4});
  x.set_requires_grad(true);
  Tensor y = x.mul(at::full({}, 2.0));
  Tensor head = at::slice(y, 0, 0, 2);
  head.mul_(at::full({}, 3.0));
  Tensor loss = y.sum();
  loss.backward();
  EXPECT_TRUE(at::equal(x.grad(), at::cat({at::full({2}, 6.0), at::full({2}, 2.0)})));
}

TEST(Basic, ErrorsSayWhatCame) {
  Tensor a = at::ones({2}), b = at::ones({3});
  try {
    a.add(b);
    FAIL();
  } catch (const c10::Error& e) {
    EXPECT_NE(e.msg().find("must match the size"), std::string::npos) << e.msg();
  }
}

}  // namespace
