// The registry: definitions, overrides, fallbacks, boxed calls.

#include <ATen/ATen.h>
#include <ATen/core/library.h>

#include <gtest/gtest.h>

using namespace at;

namespace {

int g_calls = 0;
Tensor counting_relu(const Tensor& self) {
  ++g_calls;
  return at::clamp_min(self, 0);
}
Tensor scale(const Tensor& x, double by) { return at::mul(x, at::full({}, by)); }

TEST(Dispatcher, OverridesComeAndGo) {
  OperatorEntry* op = find_operator("aten::relu", "");
  ASSERT_NE(op, nullptr);
  Override kernel;
  kernel.state = reinterpret_cast<void*>(&counting_relu);
  kernel.unboxed =
      reinterpret_cast<void*>(&torch::detail::Traits<Tensor (*)(const Tensor&)>::unboxed);
  int64_t handle = register_override(*op, DispatchKey::CPU, kernel);
  at::relu(at::ones({2}));
  EXPECT_EQ(g_calls, 1);
  unregister_override(*op, handle);
  at::relu(at::ones({2}));
  EXPECT_EQ(g_calls, 1);
}

TEST(Dispatcher, UsersAutogradKernelSeesPlainTensors) {
  OperatorEntry* op = find_operator("aten::relu", "");
  Override kernel;
  kernel.state = reinterpret_cast<void*>(&counting_relu);
  kernel.unboxed =
      reinterpret_cast<void*>(&torch::detail::Traits<Tensor (*)(const Tensor&)>::unboxed);
  g_calls = 0;
  int64_t handle = register_override(*op, DispatchKey::AutogradCPU, kernel);
  at::relu(at::ones({2}));
  EXPECT_EQ(g_calls, 1);
  unregister_override(*op, handle);
}

TEST(Dispatcher, DefinesAndCallsBoxed) {
  torch::Library lib("DEF", "testing", DispatchKey::CPU, __FILE__, __LINE__);
  lib.def("scale(Tensor x, float by) -> Tensor");
  lib.impl("scale", &scale);
  OperatorEntry* op = find_operator("testing::scale", "");
  ASSERT_NE(op, nullptr);
  IValueStack stack{IValue(at::ones({2})), IValue(3.0)};
  const Override* kernel = find_override(*op, DispatchKeySet(DispatchKey::CPU));
  ASSERT_NE(kernel, nullptr);
  kernel->boxed(kernel->state, *op, DispatchKeySet(DispatchKey::CPU), stack);
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_TRUE(at::equal(stack[0].toTensor(), at::full({2}, 3.0)));
  EXPECT_THROW(lib.impl("scale", &counting_relu), c10::Error);  // another signature
  EXPECT_THROW(lib.def("scale(Tensor x, float by) -> Tensor"), c10::Error);
  remove_operator(op);
}

TEST(Dispatcher, GeneratedOperatorsCanBeCalledBoxed) {
  OperatorEntry* op = find_operator("aten::add", "Tensor");
  IValueStack stack{IValue(at::ones({2})), IValue(at::ones({2})), IValue(int64_t(2))};
  op->boxed_dispatch(*op, op->call, {}, stack);
  EXPECT_TRUE(at::equal(stack[0].toTensor(), at::full({2}, 3.0)));
}

TEST(Dispatcher, SchemasParse) {
  FunctionSchema s = parse_schema(
      "ns::f.o(Tensor(a!) self, int[2] size=[1, 2], *, str? s=None, Tensor?[] l) -> (Tensor(a!), "
      "int n)");
  EXPECT_EQ(s.name, "ns::f");
  EXPECT_EQ(s.overload, "o");
  ASSERT_EQ(s.arguments.size(), 4u);
  EXPECT_TRUE(s.arguments[0].type.mutates);
  EXPECT_EQ(s.arguments[1].default_value, "[1, 2]");
  EXPECT_TRUE(s.arguments[2].kwarg_only && s.arguments[2].type.optional);
  EXPECT_TRUE(s.arguments[3].type.element_optional);
  EXPECT_EQ(s.returns[1].name, "n");
  for (const char* bad : {"", "f", "f(", "f() ->", "f(Tensor) -> Tensor", "f(Tensor x -> Tensor",
                          "f() -> Tensor x y"}) {
    EXPECT_THROW(parse_schema(bad), c10::ValueError) << bad;
  }
}

}  // namespace
