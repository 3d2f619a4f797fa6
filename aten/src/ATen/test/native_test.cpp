// Composite operators compared with their definitions.

#include <ATen/ops/add.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/split.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/t.h>
#include <ATen/ops/tensor_split.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

TEST(Native, SplitsCatBack) {
  const Tensor x = at::rand({7, 4, 3});
  for (int64_t d : {0, 1, 2, -1}) {
    for (int64_t size : {1, 2, 3, 10}) {
      const auto parts = at::split(x, size, d);
      EXPECT_EQ(static_cast<int64_t>(parts.size()), (x.size(d) + size - 1) / size);
      EXPECT_TRUE(at::equal(at::cat(parts, d), x));
      EXPECT_TRUE(parts[0].is_alias_of(x));
      EXPECT_TRUE(at::equal(at::cat(at::chunk(x, size, d), d), x));
      EXPECT_TRUE(at::equal(at::cat(at::tensor_split(x, size, d), d), x));
    }
  }
  EXPECT_TRUE(at::equal(at::cat(at::split_with_sizes(x, {3, 0, 4}), 0), x));
  EXPECT_TRUE(throws<Error>([&] { at::split_with_sizes(x, {3, 3}); },
                            "split_with_sizes expects split_sizes to sum exactly to 7"));
  EXPECT_THROW(at::split(x, 0), Error);
  EXPECT_THROW(at::split(x, -1), Error);
  EXPECT_THROW(at::chunk(x, 0), Error);
}

TEST(Native, ChunkSizes) {
  auto sizes = [](int64_t n, int64_t chunks) {
    std::vector<int64_t> found;
    for (const Tensor& t : at::chunk(at::empty({n}), chunks)) found.push_back(t.size(0));
    return found;
  };
  EXPECT_EQ(sizes(7, 3), (std::vector<int64_t>{3, 3, 1}));
  EXPECT_EQ(sizes(6, 4), (std::vector<int64_t>{2, 2, 2}));
  std::vector<int64_t> even;
  for (const Tensor& t : at::tensor_split(at::empty({7}), 3)) even.push_back(t.size(0));
  EXPECT_EQ(even, (std::vector<int64_t>{3, 2, 2}));
}

TEST(Native, StackIsCatOfUnsqueezed) {
  const std::vector<Tensor> list = {at::rand({2, 3}), at::rand({2, 3}), at::rand({2, 3})};
  for (int64_t d : {0, 1, 2, -1}) {
    std::vector<Tensor> wider;
    for (const Tensor& t : list) wider.push_back(at::unsqueeze(t, d));
    const Tensor stacked = at::stack(list, d);
    EXPECT_TRUE(at::equal(stacked, at::cat(wider, d)));
    const auto back = at::unbind(stacked, d);
    ASSERT_EQ(back.size(), 3u);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(back[i], list[i]));
  }
  const Tensor bad[] = {at::rand({2}), at::rand({3})};
  EXPECT_TRUE(throws<Error>([&] { at::stack(bad); }, "stack expects each tensor to be equal size"));
  EXPECT_THROW(at::stack(TensorList()), Error);
  EXPECT_THROW(at::cat(TensorList()), Error);
}

TEST(Native, CatPromotesAndChecks) {
  const Tensor mixed[] = {tensor({1}, kInt), tensor({0.5})};
  EXPECT_EQ(at::cat(mixed).scalar_type(), kFloat);
  EXPECT_TRUE(has(at::cat(mixed), {1, 0.5}));
  const Tensor bad[] = {at::rand({2, 3}), at::rand({2, 4})};
  EXPECT_TRUE(
      throws<Error>([&] { at::cat(bad, 0); }, "Sizes of tensors must match except in dimension 0"));
  EXPECT_NO_THROW(at::cat(bad, 1));
  const Tensor ranks[] = {at::rand({2}), at::rand({2, 1})};
  EXPECT_THROW(at::cat(ranks), Error);
}

TEST(Native, MatmulIsTheProductForTheDimensionsItGets) {
  const Tensor v = at::rand({3}), w = at::rand({3}), a = at::rand({2, 3}), b = at::rand({3, 4}),
               batch = at::rand({5, 2, 3});
  auto same = [](const Tensor& x, const Tensor& y) { return at::allclose(x, y); };
  EXPECT_TRUE(same(at::matmul(v, w), at::dot(v, w)));
  EXPECT_TRUE(same(at::matmul(a, v), at::mv(a, v)));
  EXPECT_TRUE(same(at::matmul(v, b), at::mv(at::t(b), v)));
  EXPECT_TRUE(same(at::matmul(a, b), at::mm(a, b)));
  EXPECT_TRUE(
      same(at::matmul(batch, at::expand(b, {5, 3, 4})), at::bmm(batch, at::expand(b, {5, 3, 4}))));
  const Tensor product = at::matmul(batch, b);
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_TRUE(same(at::select(product, 0, i), at::mm(at::select(batch, 0, i), b)));
  EXPECT_TRUE(has_sizes(at::matmul(at::rand({1, 6, 2, 3}), at::rand({5, 1, 3, 4})), {5, 6, 2, 4}));
  EXPECT_TRUE(has_sizes(at::matmul(batch, v), {5, 2}));
  EXPECT_TRUE(has(at::matmul(at::empty({2, 0}), at::empty({0, 2})), {0, 0, 0, 0}));
}

TEST(Native, MatmulChecksItsShapes) {
  EXPECT_TRUE(throws<Error>([] { at::matmul(at::rand({2, 3}), at::rand({2, 3})); },
                            "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"));
  EXPECT_TRUE(throws<Error>([] { at::matmul(number(1), at::rand({2})); },
                            "both arguments to matmul need to be at least 1D"));
  EXPECT_THROW(at::matmul(at::rand({2}), at::rand({3})), Error);
  EXPECT_THROW(at::matmul(at::rand({2, 3}), at::rand({3}, kDouble)), Error);
  EXPECT_THROW(at::mm(at::rand({2}), at::rand({2, 2})), Error);
  EXPECT_THROW(at::bmm(at::rand({2, 3, 4}), at::rand({3, 4, 5})), Error);
}

TEST(Native, PermutationsOfDimensions) {
  const Tensor x = at::rand({2, 3, 4});
  EXPECT_TRUE(at::equal(at::permute(x, {2, 0, 1}), at::movedim(x, 2, 0)));
  EXPECT_TRUE(at::equal(at::transpose(at::transpose(x, 0, 2), 0, 2), x));
  EXPECT_TRUE(throws<Error>([&] { at::permute(x, {0, 0, 1}); }, "permute"));
  EXPECT_THROW(at::permute(x, {0, 1}), Error);
  EXPECT_THROW(at::t(x), Error);
  EXPECT_TRUE(has_sizes(at::squeeze(at::rand({1, 2, 1}), IntArrayRef{0, 2}), {2}));
  EXPECT_TRUE(has_sizes(at::squeeze(at::rand({2, 1}), 0), {2, 1}));
}

TEST(Native, ReshapeCopiesOnlyWhereItMust) {
  const Tensor x = at::rand({2, 6});
  EXPECT_TRUE(at::reshape(x, {3, 4}).is_alias_of(x));
  const Tensor transposed = at::t(x);
  EXPECT_FALSE(at::reshape(transposed, {12}).is_alias_of(x));
  EXPECT_TRUE(at::reshape(transposed, {2, 3, 2}).is_alias_of(x));
  EXPECT_TRUE(
      throws<Error>([&] { at::reshape(x, {-1, -1}); }, "only one dimension can be inferred"));
  EXPECT_TRUE(throws<Error>([&] { at::reshape(x, {5, -1}); }, "invalid for input of size 12"));
  EXPECT_THROW(at::reshape(x, {-2, 6}), Error);
}

TEST(Native, WhereGivesPlacesOrValues) {
  const Tensor x = tensor({1, 0, 3, 0}, {2, 2});
  const auto indices = at::where(x);
  ASSERT_EQ(indices.size(), 2u);
  EXPECT_TRUE(has(indices[0], {0, 1}));
  EXPECT_TRUE(has(indices[1], {0, 0}));
  const Tensor condition = tensor({1, 0}, kBool);
  EXPECT_TRUE(has(at::where(condition, tensor({1, 2}), Scalar(7)), {1, 7}));
  EXPECT_EQ(at::where(condition, tensor({1, 2}, kInt), tensor({0.5, 0.5})).scalar_type(), kFloat);
  EXPECT_THROW(at::where(tensor({1.0, 0.0}), tensor({1, 2}), tensor({3, 4})), Error);
}

}  // namespace
