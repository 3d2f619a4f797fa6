// Tests of ArrayRef.

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>
#include <c10/util/StringUtil.h>

#include <gtest/gtest.h>

using c10::ArrayRef;
using c10::IntArrayRef;

namespace {

TEST(ArrayRef, ViewsWhatItWasMadeFrom) {
  const std::vector<int64_t> vector{1, 2, 3};
  const std::array<int64_t, 3> array{1, 2, 3};
  const int64_t plain[] = {1, 2, 3};
  const c10::DimVector dims{1, 2, 3};
  for (IntArrayRef view :
       {IntArrayRef(vector), IntArrayRef(array), IntArrayRef(plain), IntArrayRef(dims),
        IntArrayRef(plain, 3), IntArrayRef(plain, plain + 3)}) {
    ASSERT_EQ(view.size(), 3u);
    EXPECT_EQ(view.vec(), vector);
    EXPECT_EQ(view.front(), 1);
    EXPECT_EQ(view.back(), 3);
    EXPECT_EQ(view[1], 2);
    EXPECT_FALSE(view.empty());
  }
  EXPECT_EQ(IntArrayRef(vector).data(), vector.data());
}

size_t count(IntArrayRef list) { return list.size(); }

TEST(ArrayRef, TakesListsAndSingleValuesAsArguments) {
  EXPECT_EQ(count({}), 0u);
  EXPECT_EQ(count({4, 5}), 2u);
  EXPECT_EQ(count(int64_t(7)), 1u);
  EXPECT_EQ(count(std::vector<int64_t>{}), 0u);
}

TEST(ArrayRef, EmptyOnes) {
  const IntArrayRef empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_EQ(empty.begin(), empty.end());
  EXPECT_TRUE(empty.vec().empty());
  EXPECT_EQ(empty, IntArrayRef(std::vector<int64_t>()));
}

TEST(ArrayRef, Slices) {
  const int64_t plain[] = {0, 1, 2, 3, 4};
  const IntArrayRef view(plain);
  EXPECT_EQ(view.slice(1, 3).vec(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(view.slice(3).vec(), (std::vector<int64_t>{3, 4}));
  EXPECT_TRUE(view.slice(5).empty());
  EXPECT_TRUE(view.slice(2, 0).empty());
  EXPECT_EQ(view.slice(0), view);
}

TEST(ArrayRef, ComparesElements) {
  const std::vector<int64_t> a{1, 2}, same{1, 2}, longer{1, 2, 3}, other{1, 3};
  EXPECT_TRUE(IntArrayRef(a) == IntArrayRef(same));
  EXPECT_TRUE(IntArrayRef(a) != IntArrayRef(longer));
  EXPECT_TRUE(IntArrayRef(a) != IntArrayRef(other));
  EXPECT_TRUE(IntArrayRef(a).equals(same));
}

TEST(ArrayRef, OfOtherTypesAndInConstants) {
  static constexpr int kPlain[] = {2, 3};
  constexpr ArrayRef<int> view(kPlain);
  static_assert(view.size() == 2 && view[1] == 3 && view.slice(1).front() == 3);
  const std::vector<std::string> words{"a", "b"};
  std::string joined;
  for (const std::string& word : ArrayRef<std::string>(words)) joined += word;
  EXPECT_EQ(joined, "ab");
}

TEST(ArrayRef, Prints) {
  const std::vector<int64_t> a{2, -3};
  EXPECT_EQ(c10::to_string(IntArrayRef(a)), "[2, -3]");
  EXPECT_EQ(c10::str(IntArrayRef()), "[]");
  const std::vector<double> b{0.5};
  EXPECT_EQ(c10::str(ArrayRef<double>(b)), "[0.5]");
}

}  // namespace
