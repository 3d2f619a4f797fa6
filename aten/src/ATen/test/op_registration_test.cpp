// TORCH_LIBRARY: definitions, kernels for keys, and what is rejected.

#include <memory>

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

Tensor scale(const Tensor& x, double by) { return at::mul(x, by); }
Tensor twice(const Tensor& x) { return at::add(x, x); }
int g_calls = 0;
Tensor counting(const Tensor& x) {
  ++g_calls;
  return at::mul(x, 3);
}

TORCH_LIBRARY(registration, m) {
  m.def("scale(Tensor x, float by) -> Tensor");
  m.def("twice", TORCH_FN(twice));
}
TORCH_LIBRARY_FRAGMENT(registration, m) { m.def("late.overload(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(registration, CPU, m) {
  m.impl("scale", TORCH_FN(scale));
  m.impl("late.overload", &twice);
}

TEST(OpRegistration, LibraryBlocksRunAtLoad) {
  const OperatorEntry* op = find_operator("registration::scale", "");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(has(call_boxed(*op, {IValue(tensor({1, 2})), IValue(2.0)})[0].toTensor(), {2, 4}));
  const OperatorEntry* late = find_operator("registration::late", "overload");
  ASSERT_NE(late, nullptr);
  EXPECT_TRUE(has(call_boxed(*late, {IValue(tensor({1, 2}))})[0].toTensor(), {2, 4}));
}

TEST(OpRegistration, SchemasAreInferredFromFunctions) {
  const OperatorEntry* op = find_operator("registration::twice", "");
  ASSERT_NE(op, nullptr);
  EXPECT_STREQ(op->schema, "registration::twice(Tensor _0) -> Tensor");
  // Serves every backend.
  for (DispatchKey key : {DispatchKey::CPU, DispatchKey::Meta, DispatchKey::PrivateUse1}) {
    EXPECT_TRUE(has(call_boxed(*op, {IValue(tensor({3}))}, key)[0].toTensor(), {6}));
  }
}

TEST(OpRegistration, KernelsOverrideTheLibrarysOwn) {
  const Tensor x = tensor({-1, 2});
  EXPECT_TRUE(has(at::relu(x), {0, 2}));
  {
    Overridden first("aten::relu", "", DispatchKey::CPU, &counting);
    g_calls = 0;
    EXPECT_TRUE(has(at::relu(x), {-3, 6}));
    EXPECT_EQ(g_calls, 1);
    {
      Overridden second("aten::relu", "", DispatchKey::CPU, &twice);
      EXPECT_TRUE(has(at::relu(x), {-2, 4}));  // the newest wins
    }
    EXPECT_TRUE(has(at::relu(x), {-3, 6}));
  }
  EXPECT_TRUE(has(at::relu(x), {0, 2}));
}

TEST(OpRegistration, KernelsMayLeaveInAnyOrder) {
  const Tensor x = tensor({-1, 2});
  auto first = std::make_unique<Overridden>("aten::relu", "", DispatchKey::CPU, &counting);
  auto second = std::make_unique<Overridden>("aten::relu", "", DispatchKey::CPU, &twice);
  first.reset();
  EXPECT_TRUE(has(at::relu(x), {-2, 4}));
  second.reset();
  EXPECT_TRUE(has(at::relu(x), {0, 2}));
}

TEST(OpRegistration, AutogradKernelsSeePlainTensorsToo) {
  Overridden kernel("aten::relu", "", DispatchKey::AutogradCPU, &counting);
  g_calls = 0;
  EXPECT_TRUE(has(at::relu(tensor({-1, 2})), {-3, 6}));
  EXPECT_EQ(g_calls, 1);
  NoGradGuard without;  // grad mode off: autograd's keys are excluded
  EXPECT_TRUE(has(at::relu(tensor({-1, 2})), {0, 2}));
}

TEST(OpRegistration, CompositeKernelsGiveWayToOnesOfTheKey) {
  Defined f("registration::composite(Tensor x) -> Tensor");
  kernels("registration", DispatchKey::CPU).impl("composite", &twice);
  kernels("registration", DispatchKey::CompositeImplicitAutograd).impl("composite", &counting);
  EXPECT_TRUE(has(call_boxed(*f.op, {IValue(tensor({1}))})[0].toTensor(), {2}));
  EXPECT_TRUE(
      has(call_boxed(*f.op, {IValue(tensor({1}))}, DispatchKey::PrivateUse1)[0].toTensor(), {3}));
}

TEST(OpRegistration, OperatorsAreDefinedOnce) {
  EXPECT_TRUE(throws<Error>([] {
    definitions("registration").def("scale(Tensor x, float by) -> Tensor");
  }, "is defined already"));
  EXPECT_TRUE(throws<Error>([] { definitions("aten").def("relu(Tensor self) -> Tensor"); },
                            "is defined already"));
  EXPECT_THROW(definitions("registration").def("nonsense("), ValueError);
  EXPECT_EQ(find_operator("registration::nonsense", ""), nullptr);
}

TEST(OpRegistration, SignaturesHaveToBeWhatTheSchemaSays) {
  Defined f("registration::checked(Tensor x, int n) -> Tensor");
  torch::Library cpu = kernels("registration", DispatchKey::CPU);
  constexpr const char* kMeans = "the kernel's C++ signature means";
  EXPECT_TRUE(throws<Error>([&] { cpu.impl("checked", &twice); }, kMeans));
  EXPECT_TRUE(
      throws<Error>([&] { cpu.impl("checked", &scale); }, "(Tensor _0, float _1) -> Tensor"));
  EXPECT_TRUE(throws<Error>([&] { cpu.impl("missing", &twice); },
                            "there is no operator registration::missing"));
  EXPECT_TRUE(throws<Error>([&] { definitions("registration").impl("checked", &twice); },
                            "say the dispatch key"));
  EXPECT_TRUE(throws<Error>([&] { definitions("registration").fallback(nullptr); },
                            "say the dispatch key"));
  EXPECT_FALSE(find_kernel(*f.op, DispatchKey::CPU));
  // A definition whose function does not match has no effect.
  EXPECT_TRUE(throws<Error>([] { definitions("registration").def("unfit(int n) -> int", &twice); },
                            kMeans));
  EXPECT_EQ(find_operator("registration::unfit", ""), nullptr);
}

TEST(OpRegistration, KeysHaveToExist) {
  EXPECT_TRUE(throws<Error>([] {
    torch::detail::TorchLibraryInit("IMPL", "registration", "Cpu", "file.cpp", 3,
                                    [](torch::Library&) {});
  }, "no dispatch key is called Cpu"));
}

TEST(OpRegistration, CallsWithoutAKernelSayWhatIsMissing) {
  Overridden other("aten::relu", "", DispatchKey::PrivateUse1, &twice);
  const Tensor x = at::empty({2}, TensorOptions(kMeta));
  EXPECT_TRUE(at::relu(x).is_meta());
  Defined f("registration::bare(Tensor x) -> Tensor");
  EXPECT_FALSE(find_kernel(*f.op, DispatchKey::CPU));
  EXPECT_TRUE(throws<NotImplementedError>([&] {
    report_missing_kernel(*f.op, DispatchKeySet(DispatchKey::CPU));
  }, "registration::bare"));
}

}  // namespace
