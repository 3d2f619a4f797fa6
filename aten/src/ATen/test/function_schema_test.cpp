// Operator schemas as text and as data.

#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

TEST(FunctionSchema, HasEveryPart) {
  const FunctionSchema s = parse_schema(
      "ns::f.o(Tensor(a!) self, int[2] size=[1, 2], *, str? s=None, Tensor?[] l) -> (Tensor(a!), "
      "int n)");
  EXPECT_EQ(s.name, "ns::f");
  EXPECT_EQ(s.overload, "o");
  ASSERT_EQ(s.arguments.size(), 4u);
  EXPECT_EQ(s.arguments[0].type.alias, "a");
  EXPECT_TRUE(s.arguments[0].type.mutates);
  EXPECT_FALSE(s.arguments[0].has_default || s.arguments[0].kwarg_only);
  EXPECT_TRUE(s.arguments[1].type.is_list);
  EXPECT_EQ(s.arguments[1].type.list_size, 2);
  EXPECT_EQ(s.arguments[1].default_value, "[1, 2]");
  EXPECT_TRUE(s.arguments[2].kwarg_only && s.arguments[2].type.optional &&
              s.arguments[2].has_default);
  EXPECT_TRUE(s.arguments[3].type.element_optional && !s.arguments[3].type.optional);
  ASSERT_EQ(s.returns.size(), 2u);
  EXPECT_TRUE(s.returns[0].type.mutates);
  EXPECT_EQ(s.returns[1].name, "n");
}

TEST(FunctionSchema, TypesPrintAsTheyWereWritten) {
  for (const char* type :
       {"Tensor", "Tensor?", "Tensor(a)", "Tensor(a!)", "Tensor[]", "Tensor?[]", "Tensor(a!)[]",
        "int[2]", "int[]?", "float", "Scalar?", "str", "bool[3]", "SymInt[1]?"}) {
    const FunctionSchema s = parse_schema(c10::str("f(", type, " x) -> ()"));
    ASSERT_EQ(s.arguments.size(), 1u);
    EXPECT_EQ(s.arguments[0].type.str(), type);
    EXPECT_TRUE(s.returns.empty());
  }
}

TEST(FunctionSchema, DefaultsAreText) {
  const FunctionSchema s = parse_schema(
      "f(float a=1e-05, str b='x, y', int[] c=[], bool d=True, str e=\"(\") -> Tensor");
  ASSERT_EQ(s.arguments.size(), 5u);
  EXPECT_EQ(s.arguments[0].default_value, "1e-05");
  EXPECT_EQ(s.arguments[1].default_value, "'x, y'");
  EXPECT_EQ(s.arguments[2].default_value, "[]");
  EXPECT_EQ(s.arguments[4].default_value, "\"(\"");
}

TEST(FunctionSchema, OtherTextIsRefused) {
  for (const char* bad :
       {"", "f", "f(", "f()", "f() ->", "f() - Tensor", "f(Tensor) -> Tensor",
        "f(Tensor x -> Tensor", "f() -> Tensor x y", "f(Tensor x,, Tensor y) -> Tensor",
        ":f() -> Tensor", "a:f() -> Tensor", "f.() -> Tensor", "f(int[ x) -> Tensor",
        "f(Tensor(a x) -> Tensor", "f(str s='x) -> Tensor"}) {
    EXPECT_TRUE(throws<ValueError>([&] { parse_schema(bad); }, "operator schema: expected")) << bad;
  }
}

TEST(FunctionSchema, OfEveryOperatorParses) {
  const auto all = all_operators();
  EXPECT_GT(all.size(), 1000u);
  for (const OperatorEntry* op : all) {
    const FunctionSchema& s = schema_of(*op);
    ASSERT_EQ(s.name, op->name);
    ASSERT_EQ(s.overload, op->overload);
    ASSERT_EQ(&s, &schema_of(*op));  // parsed once
  }
}

}  // namespace
