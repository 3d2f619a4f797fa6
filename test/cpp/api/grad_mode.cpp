// Tests of grad mode and inference mode from C++.

#include <gtest/gtest.h>

#include <torch/torch.h>

using namespace torch;

namespace {

Tensor leaf() { return torch::ones({2}, TensorOptions().requires_grad(true)); }

TEST(GradMode, GuardsDecideWhetherHistoryIsKept) {
  const Tensor x = leaf();
  EXPECT_TRUE((x * 2.0).requires_grad());
  {
    NoGradGuard without;
    EXPECT_FALSE((x * 2.0).requires_grad());
    {
      AutoGradMode with(true);
      EXPECT_TRUE((x * 2.0).requires_grad());
    }
    EXPECT_FALSE((x * 2.0).requires_grad());
    EXPECT_TRUE(leaf().requires_grad());  // leaves may be made all the same
  }
  EXPECT_TRUE((x * 2.0).requires_grad());
}

TEST(InferenceMode, TensorsMadeInItStayOutside) {
  Tensor made;
  {
    InferenceMode guard;
    made = torch::ones({2});
    EXPECT_TRUE(made.is_inference());
    EXPECT_FALSE((leaf() * 2.0).requires_grad());
    made.add_(1.0);
  }
  EXPECT_FALSE(torch::ones({2}).is_inference());
  EXPECT_THROW(made.add_(1.0), c10::Error);
  const Tensor x = leaf();
  EXPECT_THROW(x * made, c10::Error);  // would have to be saved for backward
  EXPECT_TRUE((x + made).requires_grad());
}

TEST(InferenceMode, OrdinaryTensorsMayBeUsedInIt) {
  Tensor x = torch::ones({2});
  {
    InferenceMode guard;
    EXPECT_FALSE(x.is_inference());
    x.mul_(3.0);
    const Tensor view = x.view({2, 1});
    EXPECT_FALSE(view.is_inference());
  }
  x.set_requires_grad(true);
  (x * 2.0).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 2.0)));
}

}  // namespace
