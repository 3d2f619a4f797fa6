// Tests of automatic differentiation from C++.

#include <gtest/gtest.h>

#include <torch/torch.h>

#include <torch/csrc/autograd/engine.h>

using namespace torch;

namespace {

Tensor variable(std::initializer_list<double> values) {
  Tensor t = torch::empty({static_cast<int64_t>(values.size())}, kFloat64);
  std::copy(values.begin(), values.end(), t.data_ptr<double>());
  t.set_requires_grad(true);
  return t;
}
bool is(const Tensor& t, std::initializer_list<double> values) {
  return torch::allclose(t, variable(values).detach(), 1e-12, 1e-12);
}

TEST(AutogradAPI, BackwardAddsToTheLeaves) {
  const Tensor x = variable({1, 2, 3}), y = variable({4, 5, 6});
  (x * y).sum().backward();
  EXPECT_TRUE(is(x.grad(), {4, 5, 6}));
  EXPECT_TRUE(is(y.grad(), {1, 2, 3}));
  (x * 2.0).sum().backward();
  EXPECT_TRUE(is(x.grad(), {6, 7, 8}));
  x.mutable_grad().reset();
  EXPECT_FALSE(x.grad().defined());
}

TEST(AutogradAPI, GradientsFlowIn) {
  const Tensor x = variable({1, 2});
  const Tensor y = x.pow(2);
  y.backward(variable({1, 10}).detach());
  EXPECT_TRUE(is(x.grad(), {2, 40}));
  const Tensor z = x * 1.0;
  EXPECT_THROW(z.backward(), c10::Error);  // more than one element
  EXPECT_THROW(z.backward(torch::ones({3}, kFloat64)), c10::Error);
}

TEST(AutogradAPI, GraphsAreFreedUnlessKept) {
  const Tensor x = variable({2});
  const Tensor y = x.pow(3).sum();
  y.backward({}, /*keep_graph=*/true);
  y.backward();
  EXPECT_TRUE(is(x.grad(), {24}));
  try {
    y.backward();
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_NE(error.msg().find("second time"), std::string::npos) << error.msg();
  }
}

TEST(AutogradAPI, GradientsHaveGradients) {
  const Tensor x = variable({2, 3});
  x.pow(3).sum().backward({}, std::nullopt, /*create_graph=*/true);
  const Tensor first = x.grad();
  EXPECT_TRUE(is(first, {12, 27}));
  EXPECT_TRUE(first.requires_grad());
  x.mutable_grad().reset();
  first.sum().backward();
  EXPECT_TRUE(is(x.grad(), {12, 18}));
}

TEST(AutogradAPI, LeavesAndHistories) {
  const Tensor x = variable({1, 2}), plain = torch::ones({2}, kFloat64);
  const Tensor y = x + plain;
  EXPECT_TRUE(x.is_leaf() && plain.is_leaf() && !y.is_leaf());
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE((plain * 2.0).requires_grad());
  EXPECT_FALSE(y.detach().requires_grad());
  EXPECT_TRUE(y.detach().is_alias_of(y));
  EXPECT_THROW(y.set_requires_grad(false), c10::Error);  // not a leaf
  EXPECT_THROW(torch::ones({2}, kLong).set_requires_grad(true), c10::Error);
  EXPECT_THROW(plain.backward(), c10::Error);
}

TEST(AutogradAPI, InPlaceChangesAreCounted) {
  const Tensor x = variable({1, 2});
  Tensor y = x * 1.0;
  const Tensor z = y.pow(2).sum();
  y.add_(1.0);
  try {
    z.backward();  // pow saved the y from before
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_NE(error.msg().find("modified by an inplace operation"), std::string::npos)
        << error.msg();
  }
  Tensor leaf = x;
  EXPECT_THROW(leaf.mul_(2.0), c10::Error);
  NoGradGuard without;
  leaf.mul_(2.0);
  EXPECT_TRUE(is(x.detach(), {2, 4}));
}

TEST(AutogradAPI, ViewsAndTheirBasesShareAHistory) {
  const Tensor x = variable({1, 2, 3, 4});
  Tensor y = x * 2.0;
  y.slice(0, 0, 2).mul_(10.0);
  y.select(0, 3).zero_();
  y.sum().backward();
  EXPECT_TRUE(is(x.grad(), {20, 20, 2, 0}));
}

TEST(AutogradAPI, BroadcastGradientsAreSummed) {
  const Tensor x = variable({1, 2}), factor = variable({3});
  (x * factor).sum().backward();
  EXPECT_TRUE(is(factor.grad(), {3}));
  EXPECT_TRUE(is(x.grad(), {3, 3}));
}

// x^3, with a backward of its own.
struct Cube : torch::autograd::Function<Cube> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, double factor) {
    ctx->save_for_backward({x});
    ctx->saved_data["factor"] = factor;
    EXPECT_FALSE(GradMode::is_enabled());
    return x * x * x * factor;
  }
  static variable_list backward(torch::autograd::AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * 3.0 * x * x * ctx->saved_data["factor"].toDouble(), Tensor()};
  }
};

TEST(CustomAutograd, HasItsOwnBackward) {
  const Tensor x = variable({1, 2});
  const Tensor y = Cube::apply(x, 10.0);
  EXPECT_TRUE(is(y.detach(), {10, 80}));
  y.sum().backward();
  EXPECT_TRUE(is(x.grad(), {30, 120}));
  EXPECT_FALSE(Cube::apply(x.detach(), 1.0).requires_grad());
  NoGradGuard without;
  EXPECT_FALSE(Cube::apply(x, 1.0).requires_grad());
}

TEST(CustomAutograd, IsDifferentiatedTwice) {
  const Tensor x = variable({2});
  Cube::apply(x, 1.0).backward({}, std::nullopt, /*create_graph=*/true);
  const Tensor first = x.grad();
  x.mutable_grad().reset();
  first.backward();
  EXPECT_TRUE(is(x.grad(), {12}));
}

// Gives two results, of which one takes no part; the second of its arguments is changed in place.
struct Both : torch::autograd::Function<Both> {
  static variable_list forward(torch::autograd::AutogradContext* ctx, const Tensor& x, Tensor y) {
    y.add_(x);
    ctx->mark_dirty({y});
    const Tensor count = torch::ones({1}, kFloat64);
    ctx->mark_non_differentiable({count});
    return {y, count};
  }
  static variable_list backward(torch::autograd::AutogradContext* ctx, variable_list grads) {
    EXPECT_TRUE(ctx->needs_input_grad(0));
    EXPECT_TRUE(torch::equal(grads[1], torch::zeros({1}, kFloat64)));  // no part: zeros
    return {grads[0], grads[0]};
  }
};

TEST(CustomAutograd, ChangesInPlaceAndGivesSeveral) {
  const Tensor x = variable({1, 2});
  Tensor y = torch::ones({2}, kFloat64);
  const auto results = Both::apply(x, y);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].is_same(y));
  EXPECT_FALSE(results[1].requires_grad());
  EXPECT_EQ(y._version(), 1u);
  (results[0] * 5.0).sum().backward();
  EXPECT_TRUE(is(x.grad(), {5, 5}));
}

struct WrongCount : torch::autograd::Function<WrongCount> {
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& x, const Tensor& y) {
    return x + y;
  }
  static variable_list backward(torch::autograd::AutogradContext*, variable_list grads) {
    return {grads[0]};
  }
};

TEST(CustomAutograd, HasToGiveAGradientForEachArgument) {
  const Tensor x = variable({1}), y = variable({2});
  EXPECT_THROW(WrongCount::apply(x, y).backward(), c10::Error);
}

TEST(Engine, GivesTheGradientsOfChosenTensors) {
  using namespace torch::autograd;
  const Tensor x = variable({3}), y = variable({4});
  const Tensor z = x * x * y;
  const auto grads = Engine::execute({gradient_edge(z)}, {torch::ones({1}, kFloat64)}, true, false,
                                     {gradient_edge(x), gradient_edge(y)});
  ASSERT_EQ(grads.size(), 2u);
  EXPECT_TRUE(is(grads[0], {24}));
  EXPECT_TRUE(is(grads[1], {9}));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(Engine::is_running());
}

}  // namespace
