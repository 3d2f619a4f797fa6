#include <c10/util/Exception.h>

#include <c10/util/Backtrace.h>

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace {

struct Named {
  std::string name;  // not trivially copyable: held by address
};
std::string to_string(const Named& value) { return "Named(" + value.name + ")"; }

enum class Colour : int8_t { Red = 3 };

TEST(StringUtil, PrintsEveryKindOfPart) {
  std::vector<int64_t> sizes{2, 3};
  EXPECT_EQ(c10::str(), "");
  EXPECT_EQ(c10::str("a", 'b', std::string("c"), std::string_view("d")), "abcd");
  EXPECT_EQ(c10::str(1, ' ', uint8_t{7}, ' ', int8_t{-7}, ' ', UINT64_MAX),
            "1 7 -7 18446744073709551615");
  EXPECT_EQ(c10::str(true, ' ', 1.5, ' ', 1e-5f, ' ', 0.1f), "true 1.5 1e-05 0.1");
  EXPECT_EQ(c10::str(sizes, std::vector<int>{}), "[2, 3][]");
  EXPECT_EQ(c10::str(Named{"x"}, Colour::Red, static_cast<const char*>(nullptr)),
            "Named(x)3(null)");
  EXPECT_EQ(c10::str(reinterpret_cast<void*>(0x1f)), "0x1f");
}

template <class E, class F>
std::string message_of(F&& raise) {
  try {
    raise();
  } catch (const E& error) {
    EXPECT_TRUE((std::is_same_v<E, c10::Error>) || dynamic_cast<const E*>(&error));
    return error.what_without_backtrace();
  }
  return "nothing was raised";
}

TEST(Exception, EachCheckThrowsItsType) {
  const int n = -1;
  EXPECT_EQ(message_of<c10::Error>([&] { TORCH_CHECK(n >= 0, "got ", n); }), "got -1");
  EXPECT_EQ(message_of<c10::IndexError>([&] { TORCH_CHECK_INDEX(n >= 0, "i ", n); }), "i -1");
  EXPECT_EQ(message_of<c10::TypeError>([&] { TORCH_CHECK_TYPE(n >= 0, "t"); }), "t");
  EXPECT_EQ(message_of<c10::ValueError>([&] { TORCH_CHECK_VALUE(n >= 0, "v"); }), "v");
  EXPECT_EQ(message_of<c10::NotImplementedError>([&] { TORCH_CHECK_NOT_IMPLEMENTED(n >= 0, "m"); }),
            "m");
  EXPECT_EQ(message_of<c10::LinAlgError>([&] { TORCH_CHECK_LINALG(n >= 0, "l"); }), "l");
  EXPECT_EQ(message_of<c10::OutOfMemoryError>([&] { TORCH_CHECK_OUT_OF_MEMORY(n >= 0, "o"); }),
            "o");
  EXPECT_EQ(message_of<c10::ValueError>([] { C10_THROW_ERROR(ValueError, "direct"); }), "direct");
  TORCH_CHECK(n < 0, "not reached");
}

TEST(Exception, ACheckWithoutPartsSaysItsCondition) {
  std::string message = message_of<c10::Error>([] { TORCH_CHECK(1 > 2); });
  EXPECT_NE(message.find("1 > 2"), std::string::npos) << message;
  message = message_of<c10::Error>([] { TORCH_INTERNAL_ASSERT(1 > 2, "why"); });
  EXPECT_NE(message.find("INTERNAL ASSERT FAILED"), std::string::npos) << message;
  EXPECT_NE(message.find("exception_test.cpp"), std::string::npos) << message;
  EXPECT_NE(message.find("1 > 2; why"), std::string::npos) << message;
}

C10_NOINLINE void raise_from_a_named_function(int n) { TORCH_CHECK(n > 0, "expected"); }

TEST(Exception, WhatHasContextAndStack) {
  try {
    raise_from_a_named_function(0);
    FAIL();
  } catch (c10::Error& error) {
    error.add_context("while testing");
    EXPECT_STREQ(error.what_without_backtrace(), "expected\n  while testing");
    const std::string what = error.what();
    EXPECT_NE(what.find("C++ stack"), std::string::npos) << what;
    EXPECT_NE(what.find("Raised by raise_from_a_named_function"), std::string::npos) << what;
    EXPECT_EQ(error.msg(), "expected");
  }
}

TEST(Backtrace, Demangles) {
  EXPECT_EQ(c10::demangle("_ZN3c108demangleEPKc"), "c10::demangle(char const*)");
  EXPECT_EQ(c10::demangle("main"), "main");
}

struct Collector : c10::WarningHandler {
  std::vector<c10::Warning> seen;
  void process(const c10::Warning& warning) override { seen.push_back(warning); }
};

TEST(Warning, GoesToTheHandlerOfTheThreadAndOnceWhereAsked) {
  Collector collector;
  {
    c10::WarningUtils::WarningHandlerGuard guard(&collector);
    for (int i = 0; i < 3; ++i) {
      TORCH_WARN_ONCE("once ", i);
      TORCH_WARN_DEPRECATION("each ", i);
    }
  }
  ASSERT_EQ(collector.seen.size(), 4u);
  EXPECT_EQ(collector.seen[0].message, "once 0");
  EXPECT_EQ(collector.seen[0].category, c10::Warning::User);
  EXPECT_EQ(collector.seen[3].message, "each 2");
  EXPECT_EQ(collector.seen[3].category, c10::Warning::Deprecation);
}

}  // namespace
