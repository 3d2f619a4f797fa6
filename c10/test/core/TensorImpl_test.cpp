// Tests of TensorImpl.

#include <c10/core/TensorImpl.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

#include <gtest/gtest.h>

using namespace c10;
using torch_test::throws;

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

TEST(TensorImpl, StartsWithOneEmptyDimension) {
  TensorImpl impl(Storage(), DispatchKey::CPU, kDouble, kCPU);
  EXPECT_EQ(impl.dim(), 1);
  EXPECT_EQ(impl.numel(), 0);
  EXPECT_TRUE(impl.is_contiguous());
  EXPECT_FALSE(impl.has_storage());
  EXPECT_EQ(impl.itemsize(), 8u);
}

TEST(TensorImpl, OfNoDimensionsHasOneElement) {
  auto impl = make({}, {});
  EXPECT_EQ(impl->numel(), 1);
  EXPECT_TRUE(impl->is_contiguous());
  EXPECT_TRUE(impl->is_non_overlapping_and_dense());
}

TEST(TensorImpl, DataFollowsOffsetAndElementSize) {
  auto impl = make({2}, {1});
  impl->set_storage_offset(3);
  EXPECT_EQ(static_cast<char*>(impl->data()) - static_cast<char*>(impl->storage().data()), 12);
  impl->set_dtype(kDouble);
  EXPECT_EQ(static_cast<char*>(impl->data()) - static_cast<char*>(impl->storage().data()), 24);
}

TEST(TensorImpl, ReadsBeyondAShrunkStorageAreRefused) {
  auto impl = make({4, 4}, {4, 1});
  impl->storage().unsafeGetStorageImpl()->resize(63);
  EXPECT_TRUE(throws<Error>([&] { (void)impl->data(); }, "which was resized to 63"));
  impl->set_sizes_contiguous({3, 5});
  EXPECT_NO_THROW((void)impl->data());
  impl->set_sizes_contiguous({0, 500});
  EXPECT_NO_THROW((void)impl->data());
}

TEST(TensorImpl, MetaTensorsHaveNoData) {
  TensorImpl impl(Storage(make_intrusive<StorageImpl>(64, DataPtr(nullptr, kMeta), nullptr, false)),
                  DispatchKey::Meta, kFloat, kMeta);
  impl.set_sizes_contiguous({2, 3});
  EXPECT_TRUE(throws<NotImplementedError>([&] { (void)impl.data(); }, "meta tensor"));
}

TEST(TensorImpl, ShallowCopiesHaveTheShapeAndNoHistory) {
  auto a = make({1, 2, 3, 1, 2, 1}, {99, 6, 2, 5, 1, 7});
  a->set_autograd_key(true);
  a->set_wrapped_number(true);
  EXPECT_TRUE(a->has_autograd_key());
  EXPECT_TRUE(a->key_set().has(DispatchKey::AutogradCPU));
  auto b = a->shallow_copy();
  EXPECT_EQ(b->sizes(), a->sizes());
  EXPECT_EQ(b->strides(), a->strides());
  EXPECT_EQ(b->numel(), 12);
  EXPECT_EQ(b->is_contiguous(), a->is_contiguous());
  EXPECT_TRUE(b->is_wrapped_number());
  EXPECT_TRUE(b->storage().is_alias_of(a->storage()));
  EXPECT_FALSE(b->has_autograd_key());
  EXPECT_EQ(b->autograd_meta(), nullptr);
}

TEST(TensorImpl, ChannelsLastOfFiveDimensions) {
  auto ndhwc = make({2, 3, 2, 4, 5}, {120, 1, 60, 15, 3});
  EXPECT_TRUE(ndhwc->is_contiguous(MemoryFormat::ChannelsLast3d));
  EXPECT_FALSE(ndhwc->is_contiguous(MemoryFormat::ChannelsLast));
  EXPECT_TRUE(ndhwc->is_non_overlapping_and_dense());
  // One channel: both orders match, the strides say which one was meant.
  auto one = make({2, 1, 4, 5}, {20, 20, 5, 1});
  EXPECT_TRUE(one->is_contiguous() && one->is_contiguous(MemoryFormat::ChannelsLast));
  EXPECT_FALSE(one->is_strides_like(MemoryFormat::ChannelsLast));
}

TEST(Sizes, NamesTheOperatorAndWhatItGot) {
  EXPECT_TRUE(
      throws<Error>([] { checked_numel({2, -3}, "empty"); }, "negative dimension -3: [2, -3]"));
  EXPECT_EQ(checked_numel({}, "empty"), 1);
  EXPECT_EQ(checked_numel({0, 5}, "empty"), 0);
  EXPECT_TRUE(throws<Error>([] { checked_nbytes({INT64_MAX}, {1}, 0, 8, "empty"); }, "overflow"));
}

}  // namespace
