// Negative dimensions in every operator that takes one.

#include <ATen/ops/cat.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/test/support/tensors.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

TEST(WrapDim, CountsFromTheEnd) {
  for (int64_t rank : {1, 2, 5}) {
    for (int64_t d = 0; d < rank; ++d) {
      EXPECT_EQ(maybe_wrap_dim(d, rank), d);
      EXPECT_EQ(maybe_wrap_dim(d - rank, rank), d);
    }
    EXPECT_TRUE(throws<IndexError>([&] { maybe_wrap_dim(rank, rank); }, "Dimension out of range"));
    EXPECT_TRUE(
        throws<IndexError>([&] { maybe_wrap_dim(-rank - 1, rank); }, "Dimension out of range"));
  }
}

TEST(WrapDim, OfNoDimensionsTakesTwoValues) {
  EXPECT_EQ(maybe_wrap_dim(0, 0), 0);
  EXPECT_EQ(maybe_wrap_dim(-1, 0), 0);
  EXPECT_TRUE(throws<IndexError>([] { maybe_wrap_dim(1, 0); }, "[-1, 0], but got 1"));
  EXPECT_THROW(maybe_wrap_dim(-2, 0), IndexError);
}

TEST(WrapDim, OfSizesAndStridesNeedsADimension) {
  const Tensor zero_dim = number(1), x = tensor({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(throws<IndexError>([&] { zero_dim.size(0); }, "tensor has no dimensions"));
  EXPECT_TRUE(throws<IndexError>([&] { zero_dim.size(-1); }, "tensor has no dimensions"));
  EXPECT_TRUE(throws<IndexError>([&] { zero_dim.stride(0); }, "tensor has no dimensions"));
  EXPECT_TRUE(throws<IndexError>([&] { x.stride(2); }, "[-2, 1], but got 2"));
  EXPECT_EQ(x.stride(-2), 2);
}

TEST(WrapDim, ExtremesAreRefused) {
  EXPECT_THROW(maybe_wrap_dim(INT64_MIN, 3), IndexError);
  EXPECT_THROW(maybe_wrap_dim(INT64_MAX, 3), IndexError);
  EXPECT_TRUE(throws<IndexError>([] { maybe_wrap_dim(4, 2, "select"); }, "select"));
}

TEST(WrapDim, OfOperators) {
  const Tensor x = tensor({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_TRUE(has(at::sum(x, IntArrayRef{-1}), {3, 12}));
  EXPECT_TRUE(has(at::select(x, -1, -1), {2, 5}));
  EXPECT_TRUE(has_sizes(at::transpose(x, -1, 0), {3, 2}));
  EXPECT_TRUE(has_sizes(at::unsqueeze(x, -1), {2, 3, 1}));
  EXPECT_TRUE(has_sizes(at::unsqueeze(x, -3), {1, 2, 3}));
  EXPECT_EQ(at::unbind(x, -1).size(), 3u);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.stride(-2), 3);
  const Tensor pair[] = {x, x};
  EXPECT_TRUE(has_sizes(at::cat(pair, -1), {2, 6}));
  EXPECT_TRUE(has_sizes(at::stack(pair, -1), {2, 3, 2}));
  EXPECT_TRUE(has_sizes(at::stack(pair, -3), {2, 2, 3}));
}

TEST(WrapDim, OperatorsRefuseOthers) {
  const Tensor x = tensor({1, 2}), zero_dim = number(1);
  EXPECT_TRUE(throws<IndexError>([&] { at::sum(x, IntArrayRef{1}); }, "Dimension out of range"));
  EXPECT_TRUE(throws<IndexError>([&] { at::transpose(x, 0, -2); }, "Dimension out of range"));
  EXPECT_TRUE(throws<IndexError>([&] { at::unsqueeze(x, 2); }, "Dimension out of range"));
  EXPECT_TRUE(throws<IndexError>([&] { x.size(1); }, "Dimension out of range"));
  EXPECT_NO_THROW(at::sum(zero_dim, IntArrayRef{-1}));
  EXPECT_THROW(at::sum(zero_dim, IntArrayRef{1}), IndexError);
}

}  // namespace
