#include <c10/core/TensorImpl.h>
#include <c10/util/Exception.h>

#include <gtest/gtest.h>

using namespace c10;

namespace {

intrusive_ptr<TensorImpl> make(IntArrayRef sizes, IntArrayRef strides) {
  auto impl = make_intrusive<TensorImpl>(Storage::allocate(4096, GetAllocator(kCPU)),
                                         DispatchKey::CPU, kFloat, kCPU);
  impl->set_sizes_and_strides(sizes, strides);
  return impl;
}

TEST(TensorImpl, KnowsItsLayout) {
  EXPECT_TRUE(make({2, 3}, {3, 1})->is_contiguous());
  EXPECT_FALSE(make({2, 3}, {1, 2})->is_contiguous());
  EXPECT_TRUE(make({2, 3}, {1, 2})->is_non_overlapping_and_dense());
  EXPECT_FALSE(make({2, 3}, {0, 1})->is_non_overlapping_and_dense());
  EXPECT_TRUE(make({2, 3}, {7, 1})->dim() == 2 &&
              !make({2, 3}, {7, 1})->is_non_overlapping_and_dense());
  EXPECT_TRUE(
      make({1, 3}, {77, 1})->is_contiguous());  // the stride of a dimension of 1 does not matter
  EXPECT_TRUE(make({0, 3}, {9, 9})->is_contiguous());
  auto nhwc = make({2, 3, 4, 5}, {60, 1, 15, 3});
  EXPECT_TRUE(nhwc->is_contiguous(MemoryFormat::ChannelsLast));
  EXPECT_FALSE(nhwc->is_contiguous());
  EXPECT_TRUE(nhwc->is_strides_like(MemoryFormat::ChannelsLast));
}

TEST(TensorImpl, HoldsManyDimensions) {
  auto impl = make({1, 2, 1, 2, 1, 2, 1}, {8, 4, 4, 2, 2, 1, 1});
  EXPECT_EQ(impl->numel(), 8);
  EXPECT_EQ(impl->sizes()[5], 2);
  impl->set_sizes_contiguous({3, 4});
  EXPECT_EQ(impl->strides()[0], 4);
}

TEST(TensorImpl, CopiesShareTheVersion) {
  auto a = make({2}, {1});
  auto b = a->shallow_copy();
  a->bump_version();
  EXPECT_EQ(b->version(), 1u);
  b->set_version_of_its_own();
  a->bump_version();
  EXPECT_EQ(b->version(), 0u);
}

TEST(Sizes, OverflowIsRefused) {
  EXPECT_THROW(checked_numel({int64_t(1) << 40, int64_t(1) << 40}, "empty"), Error);
  EXPECT_THROW(checked_numel({-1}, "empty"), Error);
  EXPECT_THROW(checked_nbytes({2}, {INT64_MAX}, 0, 4, "as_strided"), Error);
  EXPECT_EQ(checked_nbytes({2, 3}, {10, 1}, 1, 4, "as_strided"), 4u * 14);
  EXPECT_EQ(checked_nbytes({0, 3}, {10, 1}, 1, 4, "as_strided"), 0u);
}

}  // namespace
