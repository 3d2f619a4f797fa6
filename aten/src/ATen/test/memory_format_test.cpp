// Tests of memory formats of results.

#include <ATen/ops/add.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/resize_.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/to.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

constexpr auto kLast = MemoryFormat::ChannelsLast, kLast3d = MemoryFormat::ChannelsLast3d,
               kPlain = MemoryFormat::Contiguous, kPreserve = MemoryFormat::Preserve;

TEST(MemoryFormat, StridesOfEach) {
  EXPECT_EQ(IntArrayRef(contiguous_strides({2, 3, 4, 5})).vec(),
            (std::vector<int64_t>{60, 20, 5, 1}));
  EXPECT_EQ(IntArrayRef(channels_last_strides({2, 3, 4, 5})).vec(),
            (std::vector<int64_t>{60, 1, 15, 3}));
  EXPECT_EQ(IntArrayRef(channels_last_strides({2, 3, 4, 5, 6})).vec(),
            (std::vector<int64_t>{360, 1, 90, 18, 3}));
  EXPECT_EQ(IntArrayRef(contiguous_strides({2, 0, 3})).vec(),
            (std::vector<int64_t>{3, 3, 1}));  // 0 counts as 1
  EXPECT_TRUE(IntArrayRef(contiguous_strides({})).empty());
  EXPECT_TRUE(throws<Error>([] { strides_for({2, 3}, kLast); },
                            "required rank 4 tensor to use channels_last format"));
  EXPECT_TRUE(throws<Error>([] { strides_for({1, 2, 3, 4}, kLast3d); }, "required rank 5"));
  EXPECT_THROW(strides_for({2}, kPreserve), Error);
}

TEST(MemoryFormat, FactoriesFollowIt) {
  EXPECT_TRUE(has_strides(at::empty({2, 3, 4, 5}, {}, kLast), {60, 1, 15, 3}));
  EXPECT_TRUE(at::empty({2, 3, 4, 5, 6}, {}, kLast3d).is_contiguous(kLast3d));
  EXPECT_TRUE(throws<Error>([] { at::empty({2, 3}, {}, kLast); }, "rank 4"));
}

TEST(MemoryFormat, ConversionsKeepTheElements) {
  const Tensor x =
      at::permute(tensor({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {1, 3, 2, 2}), {0, 1, 3, 2});
  for (const Tensor& y :
       {at::contiguous(x, kLast), at::clone(x, kLast), at::to(x, kDouble, false, true, kLast)}) {
    EXPECT_TRUE(y.is_contiguous(kLast));
    EXPECT_EQ(values(y), values(x));
    EXPECT_EQ(y.suggest_memory_format(), kLast);
    EXPECT_EQ(values(at::contiguous(y)), values(x));
  }
}

TEST(MemoryFormat, ContiguousGivesTheTensorItselfWhereItFits) {
  const Tensor x = at::empty({2, 3, 4, 5}), y = at::empty({2, 3, 4, 5}, {}, kLast);
  EXPECT_TRUE(at::contiguous(x).is_same(x));
  EXPECT_TRUE(at::contiguous(y, kLast).is_same(y));
  EXPECT_FALSE(at::contiguous(y).is_same(y));
  EXPECT_THROW(at::contiguous(x, kPreserve), Error);
}

TEST(MemoryFormat, PreserveKeepsDenseStrides) {
  const Tensor dense = at::empty_strided({2, 3, 4}, {1, 8, 2});
  EXPECT_TRUE(has_strides(at::clone(dense), {1, 8, 2}));
  EXPECT_TRUE(has_strides(at::empty_like(dense), {1, 8, 2}));
  EXPECT_TRUE(has_strides(at::clone(dense, kPlain), {12, 4, 1}));
  // Tensors with gaps become dense.
  EXPECT_TRUE(at::clone(at::slice(dense, 1, 0, 2)).is_non_overlapping_and_dense());
}

TEST(MemoryFormat, GoesThroughOperators) {
  const Tensor x = at::empty({2, 3, 4, 5}, {}, kLast), plain = at::empty({2, 3, 4, 5});
  EXPECT_TRUE(at::exp(x).is_contiguous(kLast));
  EXPECT_TRUE(at::add(x, x).is_contiguous(kLast));
  EXPECT_TRUE(at::add(x, number(1)).is_contiguous(kLast));
  EXPECT_TRUE(at::add(x, tensor({1, 2, 3}, {3, 1, 1})).is_contiguous(kLast));
  EXPECT_TRUE(at::add(x, plain).is_contiguous(kLast));  // the first operand decides
  EXPECT_TRUE(at::add(plain, x).is_contiguous());
}

TEST(MemoryFormat, SuggestsWhatStridesSay) {
  EXPECT_EQ(at::empty({2, 3, 4, 5}).suggest_memory_format(), kPlain);
  EXPECT_EQ(at::empty({2, 3, 4, 5, 6}, {}, kLast3d).suggest_memory_format(), kLast3d);
  EXPECT_EQ(at::empty({2, 3}).suggest_memory_format(), kPlain);
  // A part of a channels-last image is still channels-last.
  EXPECT_EQ(at::slice(at::empty({2, 3, 4, 5}, {}, kLast), 2, 1, 3).suggest_memory_format(), kLast);
}

TEST(MemoryFormat, ResizeTakesIt) {
  Tensor x = at::empty({0});
  at::resize_(x, {2, 3, 4, 5}, kLast);
  EXPECT_TRUE(x.is_contiguous(kLast));
  at::resize_(x, {2, 3});
  EXPECT_TRUE(x.is_contiguous());
}

}  // namespace
