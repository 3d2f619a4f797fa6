// Tests of broadcasting in C++ calls.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/broadcast_to.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/expand_as.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/where.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

constexpr const char* kMismatch = "must match the size of tensor b";

TEST(Broadcast, ShapesOfTwo) {
  auto both = [](IntArrayRef a, IntArrayRef b) {
    return std::vector<int64_t>(IntArrayRef(infer_broadcast_sizes(a, b, "op")).vec());
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(both({}, {}), V{});
  EXPECT_EQ(both({}, {2, 3}), (V{2, 3}));
  EXPECT_EQ(both({3}, {2, 1}), (V{2, 3}));
  EXPECT_EQ(both({4, 1, 3}, {2, 1}), (V{4, 2, 3}));
  EXPECT_EQ(both({0}, {1}), V{0});
  EXPECT_EQ(both({1, 1, 1}, {5}), (V{1, 1, 5}));
  EXPECT_TRUE(throws<Error>([&] { both({2}, {3}); }, "at non-singleton dimension 0"));
  EXPECT_TRUE(throws<Error>([&] { both({4, 2, 3}, {3, 3}); }, "dimension 1"));
  EXPECT_TRUE(throws<Error>([&] { both({0}, {2}); }, kMismatch));
}

TEST(Broadcast, ExpandableTo) {
  EXPECT_TRUE(is_expandable_to({}, {2, 3}));
  EXPECT_TRUE(is_expandable_to({1, 3}, {2, 3}));
  EXPECT_FALSE(is_expandable_to({2, 3}, {3}));
  EXPECT_FALSE(is_expandable_to({2}, {3}));
  EXPECT_TRUE(is_expandable_to({1}, {0}));
}

TEST(Broadcast, SumToUndoesIt) {
  const Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_TRUE(has(sum_to(x, {3}), {5, 7, 9}));
  EXPECT_TRUE(has(sum_to(x, {2, 1}), {6, 15}));
  EXPECT_TRUE(has_sizes(sum_to(x, {2, 1}), {2, 1}));
  EXPECT_TRUE(has(sum_to(x, {}), {21}));
  EXPECT_TRUE(has_sizes(sum_to(x, {}), {}));
  EXPECT_TRUE(has_sizes(sum_to(x, {2, 3}), {2, 3}));
}

TEST(Broadcast, ExpandAddsAndStretchesDimensions) {
  const Tensor x = tensor({1, 2}, {2, 1});
  const Tensor wide = at::expand(x, {3, 2, 4});
  EXPECT_TRUE(has_sizes(wide, {3, 2, 4}));
  EXPECT_TRUE(has_strides(wide, {0, 1, 0}));
  EXPECT_TRUE(wide.is_alias_of(x));
  EXPECT_TRUE(has_sizes(at::expand(x, {-1, 5}), {2, 5}));
  EXPECT_TRUE(has_sizes(at::expand(x, {2, 0}), {2, 0}));
  EXPECT_TRUE(has(at::expand_as(x, tensor({0, 0, 0, 0}, {2, 2})), {1, 1, 2, 2}));
  EXPECT_TRUE(has(at::broadcast_to(number(7), {3}), {7, 7, 7}));
  EXPECT_TRUE(throws<Error>([&] { at::expand(x, {3, 4}); },
                            "must match the existing size (2) at non-singleton dimension 0"));
  EXPECT_THROW(at::expand(x, {2}), Error);
  EXPECT_THROW(at::expand(x, {-1, 2, 2}), Error);  // a new dimension has no size to keep
}

TEST(Broadcast, OfTwoTensors) {
  const Tensor row = tensor({1, 2, 3}), column = tensor({10, 20}, {2, 1});
  const Tensor sum = at::add(row, column);
  EXPECT_TRUE(has_sizes(sum, {2, 3}));
  EXPECT_TRUE(has(sum, {11, 12, 13, 21, 22, 23}));
  EXPECT_TRUE(has(at::add(column, row), {11, 12, 13, 21, 22, 23}));
  EXPECT_TRUE(has_sizes(at::add(row, at::empty({0, 3})), {0, 3}));
  EXPECT_TRUE(has_sizes(at::add(row, at::empty({4, 0, 1})), {4, 0, 3}));
  EXPECT_TRUE(throws<Error>([&] { at::add(row, tensor({1, 2})); }, kMismatch));
}

TEST(Broadcast, OfThreeTensors) {
  const Tensor a = tensor({0, 8}, {2, 1}), b = tensor({4, 4, 4}), w = number(0.5);
  EXPECT_TRUE(has(at::lerp(a, b, w), {2, 2, 2, 6, 6, 6}));
  const Tensor condition = tensor({1, 0, 1}, kBool);
  EXPECT_TRUE(has(at::where(condition, a, b), {0, 4, 0, 8, 4, 8}));
  EXPECT_TRUE(throws<Error>([&] { at::where(condition, tensor({1, 2}), b); }, kMismatch));
}

TEST(Broadcast, OutputsAreResizedAndInPlaceOnesAreNot) {
  Tensor out = at::empty({0});
  at::add_out(out, tensor({1, 2}), tensor({1, 2}, {2, 1}));
  EXPECT_TRUE(has_sizes(out, {2, 2}));
  Tensor x = tensor({1, 2});
  at::_ops::mul__Tensor::call(x, tensor({3}));
  EXPECT_TRUE(has(x, {3, 6}));
  EXPECT_TRUE(throws<Error>([&] { at::_ops::mul__Tensor::call(x, tensor({1, 2, 3, 4}, {2, 2})); },
                            "doesn't match the broadcast shape"));
  EXPECT_TRUE(has(x, {3, 6}));
}

TEST(Broadcast, OfMatrixSums) {
  const Tensor a = tensor({1, 0, 0, 1}, {2, 2}), b = tensor({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(has(at::addmm(tensor({10, 20}), a, b), {11, 22, 13, 24}));
  EXPECT_TRUE(has(at::addmm(number(10), a, b), {11, 12, 13, 14}));
  EXPECT_THROW(at::addmm(tensor({1, 2, 3}), a, b), Error);
}

TEST(Broadcast, OfManyTensors) {
  const Tensor all[] = {tensor({1, 2}), tensor({3, 4, 5}, {3, 1}), number(6)};
  const auto out = at::broadcast_tensors(all);
  ASSERT_EQ(out.size(), 3u);
  for (const Tensor& t : out) EXPECT_TRUE(has_sizes(t, {3, 2}));
  EXPECT_TRUE(has(out[1], {3, 3, 4, 4, 5, 5}));
  const Tensor bad[] = {tensor({1, 2}), tensor({1, 2, 3})};
  EXPECT_THROW(at::broadcast_tensors(bad), Error);
}

}  // namespace
