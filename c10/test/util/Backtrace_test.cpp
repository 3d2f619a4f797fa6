#include <c10/util/Backtrace.h>

#include <gtest/gtest.h>

#include <cstdlib>

using namespace c10;

namespace {

TEST(Backtrace, CapturesTheCallsUnderWay) {
  const std::vector<void*> frames = capture_frames();
  EXPECT_GE(frames.size(), 3u);
  EXPECT_LT(frames.size(), 1000u);
  EXPECT_FALSE(symbolize_frames(frames).empty());
  EXPECT_EQ(symbolize_frames({}).find("#"), std::string::npos);
}

// The source file, or this program where no line tables can be read.
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

TEST(EnvFlag, ReadsYesAndNo) {
  constexpr const char* kName = "C10_BACKTRACE_TEST_FLAG";
  unsetenv(kName);
  EXPECT_FALSE(env_flag(kName));
  EXPECT_TRUE(env_flag(kName, true));
  for (const char* no : {"", "0", "false", "off", "no"}) {
    setenv(kName, no, 1);
    EXPECT_FALSE(env_flag(kName, true)) << no;
  }
  for (const char* yes : {"1", "true", "on", "yes", "2"}) {
    setenv(kName, yes, 1);
    EXPECT_TRUE(env_flag(kName)) << yes;
  }
  unsetenv(kName);
}

}  // namespace
