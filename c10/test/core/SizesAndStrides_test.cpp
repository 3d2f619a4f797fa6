// Tests of sizes and strides, inline and on the heap.

#include <c10/core/impl/SizesAndStrides.h>

#include <gtest/gtest.h>

using c10::IntArrayRef;
using c10::impl::SizesAndStrides;

namespace {

void fill(SizesAndStrides& s, size_t n, int64_t seed) {
  s.resize(n);
  for (size_t i = 0; i < n; ++i) {
    s.sizes_data()[i] = seed + static_cast<int64_t>(i);
    s.strides_data()[i] = 100 * seed + static_cast<int64_t>(i);
  }
}

void expect_filled(const SizesAndStrides& s, size_t n, int64_t seed) {
  ASSERT_EQ(s.size(), n);
  ASSERT_EQ(s.sizes().size(), n);
  ASSERT_EQ(s.strides().size(), n);
  for (size_t i = 0; i < n; ++i) {
    EXPECT_EQ(s.sizes()[i], seed + static_cast<int64_t>(i));
    EXPECT_EQ(s.strides()[i], 100 * seed + static_cast<int64_t>(i));
  }
}

TEST(SizesAndStrides, StartsEmpty) {
  SizesAndStrides s;
  EXPECT_EQ(s.size(), 0u);
  EXPECT_TRUE(s.sizes().empty());
  EXPECT_TRUE(s.strides().empty());
}

TEST(SizesAndStrides, HoldsAnyNumberOfDimensions) {
  for (size_t n : {size_t{0}, size_t{1}, SizesAndStrides::kInline - 1, SizesAndStrides::kInline,
                   SizesAndStrides::kInline + 1, size_t{64}}) {
    SizesAndStrides s;
    fill(s, n, 7);
    expect_filled(s, n, 7);
  }
}

TEST(SizesAndStrides, GoesInsideAndOutside) {
  SizesAndStrides s;
  int64_t seed = 1;
  for (size_t n : {2, 6, 7, 5, 9, 9, 0, 8, 1}) {
    fill(s, n, ++seed);
    expect_filled(s, n, seed);
  }
}

TEST(SizesAndStrides, SameSizeKeepsTheValues) {
  for (size_t n : {size_t{3}, size_t{9}}) {
    SizesAndStrides s;
    fill(s, n, 2);
    const int64_t* at = s.sizes_data();
    s.resize(n);
    EXPECT_EQ(s.sizes_data(), at);
    expect_filled(s, n, 2);
  }
}

TEST(SizesAndStrides, FewDimensionsStandInside) {
  SizesAndStrides s;
  s.resize(SizesAndStrides::kInline);
  const char* begin = reinterpret_cast<const char*>(&s);
  const char* sizes = reinterpret_cast<const char*>(s.sizes_data());
  EXPECT_TRUE(sizes >= begin && sizes < begin + sizeof(s));
  s.resize(SizesAndStrides::kInline + 1);
  sizes = reinterpret_cast<const char*>(s.sizes_data());
  EXPECT_FALSE(sizes >= begin && sizes < begin + sizeof(s));
}

}  // namespace
