// torch::autograd::grad and backward, hooks, and operators found by name.

#include <gtest/gtest.h>

#include <torch/library.h>
#include <torch/torch.h>

namespace {

torch::Tensor with_grad(const torch::Tensor& x) { return x.clone().requires_grad_(); }

TEST(AutogradGrad, GivesGradients) {
  const torch::Tensor x = with_grad(torch::tensor({1.0, 2.0})), y = with_grad(torch::tensor(3.0));
  const auto grads = torch::autograd::grad({(x * x * y).sum()}, {x, y});
  EXPECT_TRUE(torch::equal(grads[0], torch::tensor({6.0, 12.0})));
  EXPECT_EQ(grads[1].item<double>(), 5);
  EXPECT_FALSE(x.grad().defined());
  const auto weighted = torch::autograd::grad({x * 2}, {x}, {torch::tensor({1.0, 10.0})});
  EXPECT_TRUE(torch::equal(weighted[0], torch::tensor({2.0, 20.0})));
}

TEST(AutogradGrad, OfGradients) {
  const torch::Tensor x = with_grad(torch::tensor(2.0));
  const auto first = torch::autograd::grad({x.pow(3)}, {x}, {}, c10::nullopt, true)[0];
  EXPECT_EQ(torch::autograd::grad({first}, {x})[0].item<float>(), 12);
}

TEST(AutogradGrad, Errors) {
  const torch::Tensor x = with_grad(torch::ones({2})), y = with_grad(torch::ones({2}));
  EXPECT_THROW(torch::autograd::grad({x.detach().sum()}, {x}), c10::Error);
  EXPECT_THROW(torch::autograd::grad({x.sum()}, {x.detach()}), c10::Error);
  EXPECT_THROW(torch::autograd::grad({x * 2}, {x}), c10::Error);
  EXPECT_THROW(torch::autograd::grad({x.sum()}, {y}), c10::Error);
  EXPECT_THROW(torch::autograd::grad({x.sum()}, {}), c10::Error);
  EXPECT_THROW(torch::autograd::backward({x.sum()}, {torch::ones({2})}), c10::Error);
  const auto unused = torch::autograd::grad({x.sum()}, {y}, {}, c10::nullopt, false, true);
  EXPECT_FALSE(unused[0].defined());
}

TEST(AutogradBackward, OfSeveral) {
  const torch::Tensor x = with_grad(torch::ones({2})), y = with_grad(torch::ones({2}));
  torch::autograd::backward({(x * 2).sum(), y * 3}, {torch::Tensor(), torch::ones({2})});
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 2.0)));
  EXPECT_TRUE(torch::equal(y.grad(), torch::full({2}, 3.0)));
  torch::autograd::backward({(x * y).sum()}, {}, true, false, {x});
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 3.0)));
  EXPECT_TRUE(torch::equal(y.grad(), torch::full({2}, 3.0)));
}

TEST(AutogradHooks, SeeAndReplaceGradients) {
  const torch::Tensor x = with_grad(torch::ones({2}));
  torch::Tensor y = x * 2;
  double seen = 0;
  y.register_hook([&](torch::Tensor grad) { seen = grad.sum().item<double>(); });
  y.register_hook([](torch::Tensor grad) { return grad * 10; });
  y.retain_grad();
  y.sum().backward();
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 20.0)));
  EXPECT_TRUE(torch::equal(y.grad(), torch::full({2}, 10.0)));
  EXPECT_EQ(std::string(y.grad_fn()->name()), "MulBackward0");
  EXPECT_FALSE(x.grad_fn());
  EXPECT_THROW(x.detach().register_hook([](torch::Tensor) {}), c10::Error);
}

TEST(AutogradData, IsOutsideOfHistory) {
  const torch::Tensor x = with_grad(torch::ones({2}));
  const torch::Tensor data = x.data();
  EXPECT_FALSE(data.requires_grad());
  data.mul_(3);
  EXPECT_EQ(x.sum().item<float>(), 6);
}

// The sum of two tensors, of which the second may be left out.
struct AddIfThere : torch::autograd::Function<AddIfThere> {
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x,
                               std::optional<torch::Tensor> y, int64_t factor) {
    ctx->saved_data["factor"] = factor;
    return (y ? x + *y : x.clone()) * factor;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const torch::Tensor g = grads[0] * ctx->saved_data["factor"].toInt();
    return {g, ctx->needs_input_grad(1) ? g : torch::Tensor(), torch::Tensor()};
  }
};

TEST(CustomAutogradFunctions, TakeOptionalTensors) {
  const torch::Tensor x = with_grad(torch::ones({2})), y = with_grad(torch::ones({2}));
  AddIfThere::apply(x, std::optional<torch::Tensor>(y), 3).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 3.0)));
  EXPECT_TRUE(torch::equal(y.grad(), torch::full({2}, 3.0)));
  AddIfThere::apply(x, std::optional<torch::Tensor>(), 2).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 5.0)));
}

// An operator with a kernel for each backend, and one at autograd that calls it again.
torch::Tensor muladd_cpu(const torch::Tensor& a, const torch::Tensor& b, double c) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_CHECK(a.dtype() == torch::kFloat);
  TORCH_INTERNAL_ASSERT(a.device().type() == at::DeviceType::CPU);
  torch::Tensor x = a.contiguous(), y = b.contiguous();
  torch::Tensor result = torch::empty(x.sizes(), x.options());
  const float* px = x.data_ptr<float>();
  const float* py = y.data_ptr<float>();
  float* pr = result.data_ptr<float>();
  for (int64_t i = 0; i < result.numel(); i++) pr[i] = px[i] * py[i] + static_cast<float>(c);
  return result;
}

torch::Tensor muladd(const torch::Tensor& a, const torch::Tensor& b, double c) {
  static auto op = torch::Dispatcher::singleton()
                       .findSchemaOrThrow("api_test::muladd", "")
                       .typed<decltype(muladd)>();
  return op.call(a, b, c);
}

struct MulAdd : torch::autograd::Function<MulAdd> {
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor a,
                               torch::Tensor b, double c) {
    at::AutoDispatchBelowADInplaceOrView guard;
    ctx->save_for_backward({a, b});
    return muladd(a, b, c);
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                               torch::autograd::tensor_list grads) {
    auto saved = ctx->get_saved_variables();
    return {grads[0] * saved[1], grads[0] * saved[0], torch::Tensor()};
  }
};

torch::Tensor muladd_autograd(const torch::Tensor& a, const torch::Tensor& b, double c) {
  return MulAdd::apply(a, b, c);
}

TORCH_LIBRARY(api_test, m) { m.def("muladd(Tensor a, Tensor b, float c) -> Tensor"); }
TORCH_LIBRARY_FRAGMENT(api_test, m) {
  m.def("names(str text, int[] list, Tensor? x=None) -> int",
        [](const std::string& text, std::vector<int64_t> list, const std::optional<at::Tensor>& x) {
    return static_cast<int64_t>(text.size() + list.size() + (x ? 100 : 0));
  });
}
TORCH_LIBRARY_IMPL(api_test, CPU, m) { m.impl("muladd", &muladd_cpu); }
TORCH_LIBRARY_IMPL(api_test, Autograd, m) { m.impl("muladd", TORCH_FN(muladd_autograd)); }

// A kernel of its own arithmetic, and no derivative.
TORCH_LIBRARY_FRAGMENT(api_test, m) { m.def("opaque(Tensor a, Tensor b, float c) -> Tensor"); }
TORCH_LIBRARY_IMPL(api_test, CPU, m) { m.impl("opaque", &muladd_cpu); }

TEST(OperatorsByName, WithoutADerivativeWarnInBackward) {
  struct Listener : c10::WarningHandler {
    void process(const c10::Warning& warning) override { heard += warning.message + "\n"; }
    std::string heard;
  } listener;
  c10::WarningUtils::WarningHandlerGuard guard(&listener);
  auto opaque = c10::Dispatcher::singleton()
                    .findSchemaOrThrow("api_test::opaque", "")
                    .typed<decltype(muladd)>();
  const torch::Tensor a = with_grad(torch::tensor({1.0, 2.0})), b = torch::tensor({3.0, 4.0});
  const torch::Tensor y = opaque.call(a, b, 1);
  EXPECT_TRUE(torch::equal(y.detach(), torch::tensor({4.0, 9.0})));
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(listener.heard, "");
  (y.sum() + a.sum()).backward();
  EXPECT_NE(listener.heard.find("api_test::opaque"), std::string::npos) << listener.heard;
  EXPECT_TRUE(torch::equal(a.grad(), torch::ones({2})));
  EXPECT_FALSE(opaque.call(b, b, 1).requires_grad());
}

TEST(OperatorsByName, AreCalledWithTypes) {
  const torch::Tensor a = with_grad(torch::tensor({1.0, 2.0})), b = torch::tensor({3.0, 4.0});
  const torch::Tensor y = muladd(a, b, 1);
  EXPECT_TRUE(torch::equal(y.detach(), torch::tensor({4.0, 9.0})));
  y.sum().backward();
  EXPECT_TRUE(torch::equal(a.grad(), b));
  auto names = c10::Dispatcher::singleton()
                   .findSchemaOrThrow("api_test::names", "")
                   .typed<int64_t(const std::string&, std::vector<int64_t>,
                                  const std::optional<at::Tensor>&)>();
  EXPECT_EQ(names.call("abc", {1, 2}, a), 105);
  EXPECT_THROW(muladd(a, torch::ones({3}), 1), c10::Error);
}

TEST(OperatorsByName, ThatAreNotThereOrOfAnotherSignature) {
  auto& dispatcher = c10::Dispatcher::singleton();
  EXPECT_FALSE(dispatcher.findSchema({"api_test::nothing", ""}).has_value());
  EXPECT_THROW(dispatcher.findSchemaOrThrow("api_test::nothing", ""), c10::Error);
  auto add = dispatcher.findSchemaOrThrow("aten::add", "Tensor");
  EXPECT_EQ(add.schema().arguments.size(), 3u);
  EXPECT_THROW(add.typed<at::Tensor(const at::Tensor&)>(), c10::Error);
  auto typed = add.typed<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&)>();
  EXPECT_EQ(typed.call(torch::tensor(1), torch::tensor(2), 3).item<int>(), 7);
}

}  // namespace
