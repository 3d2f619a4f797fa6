// The library's own typed kernels, called with a stack.

#include <ATen/ops/add_ops.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

IValueStack call(const char* name, const char* overload, IValueStack stack) {
  const OperatorEntry* op = find_operator(name, overload);
  TORCH_CHECK(op, name);
  op->boxed_dispatch(*op, op->call, {}, stack);
  return stack;
}

TEST(BoxedFromUnboxed, ArgumentsOfEveryKind) {
  const Tensor x = tensor({3, 1, 2});
  EXPECT_TRUE(
      has(call("aten::add", "Tensor", {IValue(x), IValue(x), IValue(2)})[0].toTensor(), {9, 3, 6}));
  EXPECT_TRUE(has(call("aten::sum", "dim_IntList",
                       {IValue(x), IValue(std::vector<int64_t>{0}), IValue(true), IValue()})[0]
                      .toTensor(),
                  {6}));
  EXPECT_TRUE(
      has(call("aten::clamp", "", {IValue(x), IValue(), IValue(2.0)})[0].toTensor(), {2, 1, 2}));
  EXPECT_TRUE(
      has(call("aten::cat", "", {IValue(std::vector<Tensor>{x, x}), IValue(0)})[0].toTensor(),
          {3, 1, 2, 3, 1, 2}));
  EXPECT_TRUE(has(call("aten::full", "",
                       {IValue(std::vector<int64_t>{2}), IValue(7), IValue(kDouble), IValue(),
                        IValue(Device(kCPU)), IValue()})[0]
                      .toTensor(),
                  {7, 7}));
  EXPECT_TRUE(
      has(call("aten::index", "Tensor",
               {IValue(x), IValue(std::vector<std::optional<Tensor>>{tensor({2, 0}, kLong)})})[0]
              .toTensor(),
          {2, 3}));
  EXPECT_TRUE(call("aten::equal", "", {IValue(x), IValue(x)})[0].toBool());
}

TEST(BoxedFromUnboxed, ResultsOfEveryKind) {
  const Tensor x = tensor({3, 1, 2});
  const auto pair = call("aten::max", "dim", {IValue(x), IValue(0), IValue(false)});
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_TRUE(has(pair[1].toTensor(), {0}));
  EXPECT_EQ(
      call("aten::split", "Tensor", {IValue(x), IValue(2), IValue(0)})[0].toTensorVector().size(),
      2u);
  EXPECT_EQ(call("aten::item", "", {IValue(number(2.5))})[0].toScalar().toDouble(), 2.5);
  const Tensor y = tensor({1});
  EXPECT_TRUE(
      call("aten::add_", "Tensor", {IValue(y), IValue(y), IValue(1)})[0].toTensor().is_same(y));
  EXPECT_TRUE(has(y, {2}));
}

TEST(BoxedFromUnboxed, TakesItsOwnArgumentsAlone) {
  // The values below them on the stack belong to the caller.
  const Tensor x = tensor({1});
  const auto stack = call("aten::add", "Tensor", {IValue("mine"), IValue(x), IValue(x), IValue(1)});
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].toStringRef(), "mine");
  EXPECT_TRUE(has(stack[1].toTensor(), {2}));
}

int64_t three() { return 3; }
void nothing(const Tensor&) {}

TEST(BoxedFromUnboxed, SoDoFunctionsOfUsers) {
  Defined f("boxing::three() -> int"), g("boxing::nothing(Tensor x) -> ()");
  kernels("boxing", DispatchKey::CPU).impl("three", &three).impl("nothing", &nothing);
  auto stack = call_boxed(*f.op, {IValue("mine")});
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].toStringRef(), "mine");
  EXPECT_EQ(stack[1].toInt(), 3);
  stack = call_boxed(*g.op, {IValue("mine"), IValue(tensor({1}))});
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_EQ(stack[0].toStringRef(), "mine");
}

TEST(BoxedFromUnboxed, RefusesWrongStacks) {
  const Tensor x = tensor({1});
  EXPECT_TRUE(throws<Error>([&] { call("aten::add", "Tensor", {IValue(x), IValue(x)}); },
                            "a boxed call got 2 arguments, expected 3"));
  EXPECT_TRUE(throws<TypeError>([&] {
    call("aten::add", "Tensor", {IValue(x), IValue("y"), IValue(1)});
  }, "expected a value of type Tensor, got str"));
  EXPECT_THROW(call("aten::add", "Tensor", {IValue(x), IValue(x), IValue(x)}), TypeError);
  EXPECT_THROW(call("aten::relu", "", {IValue()}), Error);  // None is an undefined tensor
}

}  // namespace
