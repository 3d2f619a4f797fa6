// Tests of TORCH_CHECK and the error types.

#include <c10/util/Exception.h>

#include <gtest/gtest.h>

#include <thread>
#include <type_traits>
#include <vector>

namespace {

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

TEST(Warning, AlwaysWhereAsked) {
  Collector collector;
  c10::WarningUtils::WarningHandlerGuard guard(&collector);
  c10::WarningUtils::set_warnAlways(true);
  for (int i = 0; i < 3; ++i) TORCH_WARN_ONCE("again");
  c10::WarningUtils::set_warnAlways(false);
  EXPECT_EQ(collector.seen.size(), 3u);
}

TEST(Warning, BaseHandlerServesThreadsWithoutOne) {
  Collector base;
  c10::WarningUtils::set_base_warning_handler(&base);
  std::thread([] { TORCH_WARN("from a thread"); }).join();
  c10::WarningUtils::set_base_warning_handler(nullptr);
  ASSERT_EQ(base.seen.size(), 1u);
  EXPECT_EQ(base.seen[0].message, "from a thread");
  EXPECT_STREQ(base.seen[0].where.file, "c10/test/util/exception_test.cpp");
}

TEST(Warning, PrintsWithoutAHandler) {
  ::testing::internal::CaptureStderr();
  TORCH_WARN("into the ", "open");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("Warning: into the open"), std::string::npos) << text;
}

TEST(Exception, IsAStdException) {
  try {
    TORCH_CHECK_INDEX(false, "as std");
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("as std"), std::string::npos);
    EXPECT_NE(dynamic_cast<const c10::Error*>(&error), nullptr);
    EXPECT_EQ(dynamic_cast<const c10::TypeError*>(&error), nullptr);
  }
}

TEST(Exception, PartsOfACheckThatHoldsAreNotComputed) {
  int computed = 0;
  auto part = [&] { return ++computed; };
  TORCH_CHECK(computed == 0, part());
  EXPECT_EQ(computed, 0);
}

TEST(Exception, CopiesKeepMessageContextAndPlace) {
  c10::ValueError error(C10_SOURCE_LOCATION, "message");
  error.add_context("one");
  c10::ValueError copy = error;
  copy.add_context("two");
  EXPECT_STREQ(error.what_without_backtrace(), "message\n  one");
  EXPECT_STREQ(copy.what_without_backtrace(), "message\n  one\n  two");
  EXPECT_STREQ(copy.where().file, "c10/test/util/exception_test.cpp");
  EXPECT_GT(copy.where().line, 0u);
}

}  // namespace
