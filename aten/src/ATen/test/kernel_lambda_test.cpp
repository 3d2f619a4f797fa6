// Lambdas as kernels.

#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

TORCH_LIBRARY(lambdas, m) {
  m.def("triple", [](const Tensor& x) { return at::mul(x, 3); });
  m.def("shift(int a, int by=1) -> int");
}
TORCH_LIBRARY_IMPL(lambdas, CPU, m) {
  m.impl("shift", [](int64_t a, int64_t by) -> int64_t { return a << by; });
}

TEST(KernelLambda, DefinesAnOperator) {
  const OperatorEntry* op = find_operator("lambdas::triple", "");
  ASSERT_NE(op, nullptr);
  EXPECT_STREQ(op->schema, "lambdas::triple(Tensor _0) -> Tensor");
  EXPECT_TRUE(has(call_boxed(*op, {IValue(tensor({1, 2}))})[0].toTensor(), {3, 6}));
}

TEST(KernelLambda, ImplementsAnOperator) {
  const OperatorEntry* op = find_operator("lambdas::shift", "");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(call_boxed(*op, {IValue(3), IValue(2)})[0].toInt(), 12);
}

TEST(KernelLambda, HasToFitTheSchema) {
  EXPECT_TRUE(throws<Error>([] {
    kernels("lambdas", DispatchKey::PrivateUse1).impl("shift", [](int64_t a) { return a; });
  }, "the kernel's C++ signature means (int _0) -> int"));
}

TEST(KernelLambda, ResultsMayBeSeveral) {
  definitions("lambdas").def("both",
                             [](const Tensor& x) { return std::make_tuple(x, at::mul(x, 2)); });
  OperatorEntry* op = find_operator("lambdas::both", "");
  const auto results = call_boxed(*op, {IValue(tensor({5}))});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(has(results[1].toTensor(), {10}));
  remove_operator(op);
}

}  // namespace
