// Tests of c10::str.

#include <c10/util/StringUtil.h>

#include <gtest/gtest.h>

#include <climits>
#include <vector>

namespace {

TEST(Str, OfNothing) {
  EXPECT_EQ(c10::str(), "");
  EXPECT_EQ(c10::str(""), "");
}

TEST(Str, JoinsParts) {
  EXPECT_EQ(c10::str("dim ", 3, " of ", std::string("x"), '!'), "dim 3 of x!");
  const char* text = "text";
  char array[] = "array";
  EXPECT_EQ(c10::str(text, array, std::string_view("view")), "textarrayview");
  EXPECT_EQ(c10::str(static_cast<const char*>(nullptr)), "(null)");
}

TEST(Str, Integers) {
  EXPECT_EQ(c10::str(INT64_MIN, " ", INT64_MAX), "-9223372036854775808 9223372036854775807");
  EXPECT_EQ(c10::str(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(c10::str(short(-3), size_t(4), uint32_t(5)), "-345");
  EXPECT_EQ(c10::str(int8_t(65)), "65");  // a number, not a character
  EXPECT_EQ(c10::str('A'), "A");
  EXPECT_EQ(c10::str(true, false), "truefalse");
}

TEST(Str, Floats) {
  EXPECT_EQ(c10::str(0.5, " ", 2.0f, " ", 1e100), "0.5 2 1e+100");
  EXPECT_EQ(c10::str(-1.0 / 0.0), "-inf");
}

enum class Plain : uint8_t { A = 3 };
enum class Named { A };
std::string to_string(Named) { return "Named::A"; }
struct Shape {
  int n;
};
std::string to_string(const Shape& s) { return "Shape(" + std::to_string(s.n) + ")"; }

TEST(Str, TypesWithToString) {
  EXPECT_EQ(c10::str(Shape{2}, " ", Named::A), "Shape(2) Named::A");
  EXPECT_EQ(c10::str(Plain::A), "3");
}

TEST(Str, Sequences) {
  EXPECT_EQ(c10::str(std::vector<int>{}), "[]");
  EXPECT_EQ(c10::str(std::vector<int>{1, 2, 3}), "[1, 2, 3]");
  EXPECT_EQ(c10::str(std::vector<Shape>{{1}, {2}}), "[Shape(1), Shape(2)]");
  EXPECT_EQ(c10::str(std::vector<std::vector<int>>{{1}, {}}), "[[1], []]");
  EXPECT_EQ(c10::str(std::vector<std::string>{"a"}), "[a]");
}

TEST(Str, Pointers) {
  EXPECT_EQ(c10::str(reinterpret_cast<void*>(0x10)), "0x10");
  EXPECT_EQ(c10::str(static_cast<int*>(nullptr)), "0x0");
}

TEST(Str, PartsAreReadWhenJoined) {
  const std::string long_text(1000, 'x');
  EXPECT_EQ(c10::str(long_text, long_text).size(), 2000u);
}

}  // namespace
