// Tests of the stride flags of tensors.

#include <algorithm>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

bool dense(const Tensor& t) { return t.is_non_overlapping_and_dense(); }

TEST(StrideProperties, DenseInAnyOrder) {
  const Tensor x = at::empty({2, 3, 4});
  std::vector<int64_t> order{0, 1, 2};
  do {
    const Tensor p = at::permute(x, order);
    EXPECT_TRUE(dense(p)) << c10::str(order);
    EXPECT_EQ(p.is_contiguous(), order == (std::vector<int64_t>{0, 1, 2})) << c10::str(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(StrideProperties, GapsAndOverlapsAreNotDense) {
  const Tensor x = at::empty({4, 6});
  EXPECT_FALSE(dense(at::slice(x, 1, 0, 3)));
  EXPECT_FALSE(dense(at::slice(x, 1, 0, 6, 2)));
  EXPECT_FALSE(dense(at::select(x, 1, 0)));
  EXPECT_TRUE(dense(at::slice(x, 0, 1, 3)));  // whole rows
  EXPECT_TRUE(dense(at::select(x, 0, 2)));
  EXPECT_FALSE(dense(at::expand(at::empty({1, 3}), {2, 3})));
  EXPECT_TRUE(dense(at::expand(at::empty({1, 3}), {1, 3})));
  EXPECT_FALSE(dense(at::as_strided(x, {3, 3}, {1, 1})));
}

TEST(StrideProperties, DimensionsOfOneDoNotMatter) {
  EXPECT_TRUE(at::empty_strided({2, 1, 3}, {3, 999, 1}).is_contiguous());
  EXPECT_TRUE(at::empty_strided({1, 1}, {7, 5}).is_contiguous());
  EXPECT_TRUE(at::unsqueeze(at::transpose(at::empty({1, 3}), 0, 1), 0).is_contiguous());
  EXPECT_FALSE(at::empty_strided({2, 1, 3}, {1, 999, 2}).is_contiguous());
  EXPECT_TRUE(dense(at::empty_strided({2, 1, 3}, {1, 999, 2})));
}

TEST(StrideProperties, EmptyTensorsAreContiguous) {
  EXPECT_TRUE(at::empty_strided({2, 0}, {77, 5}).is_contiguous());
  EXPECT_TRUE(dense(at::empty({0})));
  EXPECT_TRUE(at::empty({}).is_contiguous());
}

TEST(StrideProperties, ViewsComputeThem) {
  const Tensor x = at::empty({2, 3, 4});
  EXPECT_TRUE(has_strides(x, {12, 4, 1}));
  EXPECT_TRUE(has_strides(at::transpose(x, 0, 2), {1, 4, 12}));
  EXPECT_TRUE(has_strides(at::select(x, 1, 2), {12, 1}));
  EXPECT_EQ(at::select(x, 1, 2).storage_offset(), 8);
  EXPECT_TRUE(has_strides(at::slice(x, 2, 1, 4, 2), {12, 4, 2}));
  EXPECT_EQ(at::slice(x, 2, 1, 4, 2).storage_offset(), 1);
  EXPECT_TRUE(has_strides(at::squeeze(at::unsqueeze(x, 1), 1), {12, 4, 1}));
}

TEST(StrideProperties, AsStridedStaysInTheStorage) {
  const Tensor x = tensor({0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(has(at::as_strided(x, {2, 2}, {3, 1}, 1), {1, 2, 4, 5}));
  EXPECT_TRUE(has(at::as_strided(x, {}, {}, 5), {5}));
  EXPECT_TRUE(
      throws<Error>([&] { at::as_strided(x, {2, 2}, {3, 1}, 3); }, "out of bounds for storage"));
  EXPECT_TRUE(throws<Error>([&] { at::as_strided(x, {7}, {1}); }, "out of bounds"));
  EXPECT_THROW(at::as_strided(x, {2}, {-1}), Error);
  EXPECT_THROW(at::as_strided(x, {2}, {1, 1}), Error);
  EXPECT_THROW(at::as_strided(x, {2}, {1}, -1), Error);
  EXPECT_THROW(at::as_strided(x, {2, INT64_MAX}, {INT64_MAX, 2}), Error);
}

}  // namespace
