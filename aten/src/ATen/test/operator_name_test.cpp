// Operators by name.

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/ops/add_ops.h>
#include <ATen/test/support/tensors.h>

#include <algorithm>
#include <set>

using namespace at;

namespace {

TEST(OperatorName, FindsNamesWithTheirOverload) {
  EXPECT_EQ(find_operator("aten::add", "Tensor"), &_ops::add_Tensor::entry);
  EXPECT_EQ(find_operator("aten::add_", "Tensor"), &_ops::add__Tensor::entry);
  EXPECT_EQ(find_operator("aten::add", "out"), &_ops::add_out::entry);
  EXPECT_NE(find_operator("aten::relu", ""), nullptr);
}

TEST(OperatorName, OthersAreNotFound) {
  for (auto [name, overload] : {std::pair("aten::add", ""),
                                {"aten::add", "tensor"},
                                {"add", "Tensor"},
                                {"aten::add.Tensor", ""},
                                {"", ""},
                                {"aten::", "Tensor"},
                                {"aten::ad", "dTensor"}}) {
    EXPECT_EQ(find_operator(name, overload), nullptr) << name << " " << overload;
  }
}

TEST(OperatorName, KnowsTheOverloadsOfAName) {
  const auto names = overload_names("aten::add");
  for (const char* overload : {"Tensor", "Scalar", "out"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), overload), 1) << overload;
  }
  EXPECT_TRUE(overload_names("aten::no_such").empty());
}

TEST(OperatorName, EachNameIsThereOnce) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const OperatorEntry* op : all_operators()) {
    EXPECT_TRUE(seen.emplace(op->name, op->overload).second) << op->name << "." << op->overload;
    EXPECT_EQ(find_operator(op->name, op->overload), op);
  }
}

TEST(OperatorName, ComesAndGoes) {
  OperatorEntry* op = define_operator("naming::f.first(Tensor x) -> Tensor");
  OperatorEntry* second = define_operator("naming::f(Tensor x) -> Tensor");
  EXPECT_EQ(find_operator("naming::f", "first"), op);
  EXPECT_EQ(find_operator("naming::f", ""), second);
  EXPECT_EQ(overload_names("naming::f"), (std::vector<std::string>{"first", ""}));
  remove_operator(op);
  EXPECT_EQ(find_operator("naming::f", "first"), nullptr);
  EXPECT_EQ(overload_names("naming::f"), std::vector<std::string>{""});
  remove_operator(second);
  EXPECT_TRUE(overload_names("naming::f").empty());
}

}  // namespace
