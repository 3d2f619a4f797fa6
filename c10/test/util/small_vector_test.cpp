// Tests of SmallVector.

#include <c10/util/SmallVector.h>

#include <gtest/gtest.h>

using c10::DimVector;
using c10::SmallVector;

namespace {

using Small = SmallVector<int64_t, 4>;

Small counting(int64_t n) {
  Small v;
  for (int64_t i = 0; i < n; ++i) v.push_back(i);
  return v;
}

void expect_counting(const Small& v, int64_t n) {
  ASSERT_EQ(v.size(), static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(v[static_cast<size_t>(i)], i);
}

bool is_inside(const Small& v) {
  const char* begin = reinterpret_cast<const char*>(&v);
  const char* data = reinterpret_cast<const char*>(v.data());
  return data >= begin && data < begin + sizeof(v);
}

// Inline, the last that fits, the first that does not, and after several reallocations.
constexpr int64_t kLengths[] = {0, 1, 4, 5, 8, 9, 100};

TEST(SmallVector, GrowsPastItsInlineSpace) {
  for (int64_t n : kLengths) {
    const Small v = counting(n);
    expect_counting(v, n);
    EXPECT_EQ(is_inside(v), n <= 4);
    EXPECT_EQ(v.empty(), n == 0);
    EXPECT_EQ(v.end() - v.begin(), n);
  }
}

TEST(SmallVector, CopiesAreTheirOwn) {
  for (int64_t n : kLengths) {
    Small v = counting(n);
    Small copy(v);
    expect_counting(copy, n);
    v.push_back(-1);
    expect_counting(copy, n);
    for (int64_t m : kLengths) {
      Small target = counting(m);
      target = copy;
      expect_counting(target, n);
    }
    Small& same = copy;
    copy = same;
    expect_counting(copy, n);
  }
}

TEST(SmallVector, MovedFromOnesAreEmptyAndUsable) {
  for (int64_t n : kLengths) {
    Small v = counting(n);
    Small taken(std::move(v));
    expect_counting(taken, n);
    EXPECT_TRUE(v.empty());
    v.push_back(0);
    expect_counting(v, 1);
    for (int64_t m : kLengths) {
      Small source = counting(n), target = counting(m);
      target = std::move(source);
      expect_counting(target, n);
      EXPECT_TRUE(source.empty());
      for (int64_t i = 0; i < 6; ++i) source.push_back(i);
      expect_counting(source, 6);
    }
    Small& same = taken;
    taken = std::move(same);
    expect_counting(taken, n);
  }
}

TEST(SmallVector, ConstructsFromValuesAndRanges) {
  EXPECT_EQ(Small(3, 7).size(), 3u);
  EXPECT_EQ(Small(3, 7)[2], 7);
  EXPECT_EQ(Small(9)[8], 0);
  const std::vector<int64_t> five{0, 1, 2, 3, 4};
  expect_counting(Small(five.begin(), five.end()), 5);
  expect_counting(Small(c10::IntArrayRef(five)), 5);
  expect_counting(Small{0, 1, 2}, 3);
  expect_counting(Small(five.begin(), five.begin()), 0);
}

TEST(SmallVector, InsertsAndErasesAnywhere) {
  for (size_t at : {size_t{0}, size_t{2}, size_t{4}}) {
    Small v = counting(4);  // full: inserting reallocates
    v.insert(v.begin() + at, 99);
    ASSERT_EQ(v.size(), 5u);
    EXPECT_EQ(v[at], 99);
    v.erase(v.begin() + at);
    expect_counting(v, 4);
  }
  Small one{5};
  one.erase(one.begin());
  EXPECT_TRUE(one.empty());
}

TEST(SmallVector, ResizesAndReserves) {
  Small v = counting(3);
  v.resize(6, 42);
  EXPECT_EQ(v[2], 2);
  EXPECT_EQ(v[3], 42);
  EXPECT_EQ(v[5], 42);
  v.resize(2);
  expect_counting(v, 2);
  v.reserve(1000);
  const int64_t* at = v.data();
  for (int64_t i = 2; i < 1000; ++i) v.push_back(i);
  EXPECT_EQ(v.data(), at);
  expect_counting(v, 1000);
  v.assign(2, 8);
  EXPECT_EQ(v.size(), 2u);
  EXPECT_EQ(v.back(), 8);
  v.clear();
  EXPECT_TRUE(v.empty());
}

TEST(SmallVector, PushesItsOwnElements) {
  Small v = counting(4);
  v.push_back(v[1]);  // reallocates while the argument is in the old memory
  EXPECT_EQ(v.back(), 1);
  EXPECT_EQ(v.emplace_back(9), 9);
  v.pop_back();
  EXPECT_EQ(v.back(), 1);
  v.front() = 7;
  EXPECT_EQ(v[0], 7);
}

struct Pair {
  int a;
  double b;
};

TEST(SmallVector, OfStructs) {
  SmallVector<Pair, 1> v;
  v.emplace_back(1, 0.5);
  v.emplace_back(2, 1.5);
  EXPECT_EQ(v[1].a, 2);
  EXPECT_EQ(v[0].b, 0.5);
}

TEST(SmallVector, IsAnArrayRef) {
  const DimVector dims{2, 3};
  const c10::IntArrayRef view = dims;
  EXPECT_EQ(view.data(), dims.data());
  EXPECT_EQ(view.size(), 2u);
}

}  // namespace
