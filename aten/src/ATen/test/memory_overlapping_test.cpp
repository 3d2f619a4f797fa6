// Writes to tensors in which an address occurs twice, or that share some addresses with an input.

#include <ATen/ops/add.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/bitwise_not.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_put_.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/view.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

constexpr const char* kOverlap = "unsupported operation";

struct MemoryOverlap : ::testing::Test {
  Tensor wide = at::expand(tensor({1}), {3});  // three elements at one address
  Tensor plain = tensor({1, 2, 3});
};

TEST_F(MemoryOverlap, OutputsWithThemselves) {
  EXPECT_TRUE(throws<Error>([&] { at::_ops::add__Tensor::call(wide, plain, 1); }, kOverlap));
  EXPECT_TRUE(throws<Error>([&] { at::add_out(wide, plain, plain); }, kOverlap));
  EXPECT_TRUE(throws<Error>([&] { at::copy_(wide, plain); }, kOverlap));
  EXPECT_TRUE(throws<Error>([&] { at::cumsum_out(wide, plain, 0); }, kOverlap));
  const Tensor parts[] = {tensor({1}), tensor({2, 3})};
  EXPECT_TRUE(throws<Error>([&] { at::cat_out(wide, parts); }, kOverlap));
}

TEST_F(MemoryOverlap, IndexedWritesWithThemselves) {
  const Tensor index = tensor({0, 1, 2}, kLong), mask = tensor({1, 0, 1}, kBool);
  EXPECT_TRUE(
      throws<Error>([&] { at::_ops::scatter__src::call(wide, 0, index, plain); }, kOverlap));
  EXPECT_TRUE(
      throws<Error>([&] { at::_ops::index_add_::call(wide, 0, index, plain, 1); }, kOverlap));
  EXPECT_TRUE(throws<Error>([&] { at::_ops::masked_fill__Scalar::call(wide, mask, 5); }, kOverlap));
  EXPECT_TRUE(throws<Error>([&] { at::gather_out(wide, plain, 0, index); }, kOverlap));
}

TEST_F(MemoryOverlap, OutputsWithPartOfAnInput) {
  Tensor x = tensor({1, 2, 3, 4});
  const Tensor head = at::slice(x, 0, 0, 3);
  Tensor tail = at::slice(x, 0, 1, 4);
  EXPECT_TRUE(throws<Error>([&] { at::add_out(tail, head, plain); }, kOverlap));
  EXPECT_TRUE(throws<Error>([&] { at::_ops::add__Tensor::call(tail, head, 1); }, kOverlap));
  const Tensor square = tensor({1, 2, 3, 4}, {2, 2});
  Tensor transposed = at::transpose(square, 0, 1);
  EXPECT_TRUE(throws<Error>([&] { at::add_out(transposed, square, square); }, kOverlap));
  EXPECT_TRUE(has(x, {1, 2, 3, 4}));
  EXPECT_TRUE(has(square, {1, 2, 3, 4}));
}

TEST_F(MemoryOverlap, WholeInputsAreFine) {
  Tensor x = tensor({1, 2, 3});
  at::add_out(x, x, x);
  EXPECT_TRUE(has(x, {2, 4, 6}));
  Tensor same = at::view(x, IntArrayRef{3});
  at::add_out(same, x, x);
  EXPECT_TRUE(has(x, {4, 8, 12}));
  at::copy_(x, same);
  EXPECT_TRUE(has(x, {4, 8, 12}));
}

TEST_F(MemoryOverlap, NeighboursInOneStorageAreFine) {
  Tensor x = tensor({1, 2, 3, 4});
  Tensor tail = at::slice(x, 0, 2, 4);
  const Tensor head = at::slice(x, 0, 0, 2);
  at::add_out(tail, head, head);
  EXPECT_TRUE(has(x, {1, 2, 2, 4}));
  // Interleaved, but without a shared element.
  Tensor odd = at::slice(x, 0, 1, 4, 2);
  at::copy_(odd, at::slice(x, 0, 0, 4, 2));
  EXPECT_TRUE(has(x, {1, 1, 2, 2}));
}

TEST_F(MemoryOverlap, InputsMayOverlapThemselves) {
  EXPECT_TRUE(has(at::add(wide, plain), {2, 3, 4}));
  EXPECT_TRUE(has(at::add(at::as_strided(plain, {2, 2}, {1, 1}), 0), {1, 2, 2, 3}));
}

}  // namespace
