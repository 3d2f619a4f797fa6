// Operators from C++: values, views, autograd, errors.

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/full.h>
#include <ATen/ops/item.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <gtest/gtest.h>

using namespace at;

namespace {

TEST(Basic, AddsWithPromotionAndBroadcast) {
  Tensor a = at::ones({2, 3}, kInt), b = at::full({3}, 0.5);
  Tensor c = at::add(a, b);
  EXPECT_EQ(c.scalar_type(), kFloat);
  EXPECT_EQ(c.sizes(), IntArrayRef({2, 3}));
  EXPECT_TRUE(at::equal(c, at::full({2, 3}, 1.5)));
}

TEST(Basic, ViewsShareMemoryAndVersion) {
  Tensor a = at::zeros({4, 4});
  Tensor row = at::select(a, 0, 1);
  at::fill_(row, 2);
  EXPECT_EQ(at::item(at::sum(a)).toDouble(), 8.0);
  EXPECT_EQ(a._version(), 1u);
  EXPECT_TRUE(row.is_view());
}

TEST(Basic, OutAndInplaceForms) {
  Tensor a = at::ones({3}), out = at::empty({0});
  at::add_out(out, a, a);
  EXPECT_EQ(out.numel(), 3);
  at::mul_out(a, a, out);
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
  Tensor y = at::mul(x, at::full({}, 2.0));
  Tensor head = at::slice(y, 0, 0, 2);
  at::fill_(head, 3.0);
  Tensor loss = at::sum(y);
  loss.backward();
  EXPECT_TRUE(at::equal(x.grad(), at::cat({at::zeros({2}), at::full({2}, 2.0)})));
}

TEST(Basic, ErrorsSayWhatCame) {
  Tensor a = at::ones({2}), b = at::ones({3});
  try {
    at::add(a, b);
    FAIL();
  } catch (const c10::Error& e) {
    EXPECT_NE(e.msg().find("must match the size"), std::string::npos) << e.msg();
  }
}

}  // namespace
