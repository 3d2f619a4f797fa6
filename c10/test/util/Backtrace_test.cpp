// Tests of C++ stack traces.

#include <c10/util/Backtrace.h>

#include <gtest/gtest.h>

using namespace c10;

namespace {

TEST(Backtrace, CapturesTheCallsUnderWay) {
  const std::vector<void*> frames = capture_frames();
  EXPECT_GE(frames.size(), 3u);
  EXPECT_LT(frames.size(), 1000u);
  EXPECT_FALSE(symbolize_frames(frames).empty());
  EXPECT_EQ(symbolize_frames({}).find("#"), std::string::npos);
}

// The source file, or this program if no line tables can be read.
TEST(Backtrace, NamesTheCaller) {
  EXPECT_NE(get_backtrace().find("Backtrace_test"), std::string::npos) << get_backtrace();
}

TEST(Backtrace, DemanglesNames) {
  EXPECT_EQ(demangle("_ZN3c103strEv"), "c10::str()");
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle(""), "");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
}

TEST(Backtrace, KnowsWhereAFunctionStands) {
  const CodePlace place = place_of(reinterpret_cast<const void*>(&c10::demangle));
  EXPECT_NE(place.function.find("demangle"), std::string::npos) << place.function;
  if (place.line != 0) {  // built with line tables and libbacktrace
    EXPECT_NE(place.file.find("Backtrace.cpp"), std::string::npos) << place.file;
  }
  const CodePlace nowhere = place_of(nullptr);
  EXPECT_EQ(nowhere.line, 0);
  EXPECT_EQ(nowhere.file, "");
}

}  // namespace
