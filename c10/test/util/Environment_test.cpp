// Tests of settings read from environment variables.

#include <c10/util/Environment.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

using namespace c10;

namespace {

constexpr const char* kName = "C10_ENVIRONMENT_TEST";

// What `read` writes to standard error while the variable is set.
template <class Read>
std::string stderr_of(const char* value, Read read) {
  setenv(kName, value, 1);
  testing::internal::CaptureStderr();
  read();
  unsetenv(kName);
  return testing::internal::GetCapturedStderr();
}

TEST(EnvFlag, ReadsYesAndNo) {
  unsetenv(kName);
  EXPECT_FALSE(env_flag(kName));
  EXPECT_TRUE(env_flag(kName, true));
  for (const char* no : {"0", "false", "off", "no", "n", "OFF", "00"}) {
    EXPECT_EQ(stderr_of(no, [&] { EXPECT_FALSE(env_flag(kName, true)) << no; }), "");
  }
  for (const char* yes : {"1", "true", "on", "yes", "y", "True", "2"}) {
    EXPECT_EQ(stderr_of(yes, [&] { EXPECT_TRUE(env_flag(kName)) << yes; }), "");
  }
  EXPECT_EQ(stderr_of("", [] { EXPECT_TRUE(env_flag(kName, true)); }), "");
  EXPECT_EQ(stderr_of("more", [] { EXPECT_TRUE(env_flag(kName, false, {"more"})); }), "");
}

TEST(EnvFlag, WarnsOnceOfAnotherWord) {
  EXPECT_EQ(stderr_of("yess", [] { EXPECT_FALSE(env_flag(kName)); }),
            "Warning: C10_ENVIRONMENT_TEST=yess: \"yess\" is not one of 1, on, yes, true, 0, off, "
            "no, false; it is ignored\n");
  EXPECT_EQ(stderr_of("yess", [] { EXPECT_TRUE(env_flag(kName, true)); }), "");
}

TEST(EnvChoice, TakesOneOfTheValidWords) {
  unsetenv(kName);
  EXPECT_EQ(env_choice(kName, {"a", "b"}), -1);
  EXPECT_EQ(stderr_of("b", [] { EXPECT_EQ(env_choice(kName, {"a", "b"}), 1); }), "");
  EXPECT_EQ(stderr_of("c", [] { EXPECT_EQ(env_choice(kName, {"a", "b"}), -1); }),
            "Warning: C10_ENVIRONMENT_TEST=c: \"c\" is not one of a, b; it is ignored\n");
}

TEST(EnvChoices, LeavesOutWordsThatAreNone) {
  EXPECT_EQ(stderr_of("b,a", [] { EXPECT_EQ(env_choices(kName, {"a", "b", "c"}), 3u); }), "");
  EXPECT_EQ(stderr_of("c,,d", [] { EXPECT_EQ(env_choices(kName, {"a", "b", "c"}), 4u); }),
            "Warning: C10_ENVIRONMENT_TEST=c,,d: \"d\" is not one of a, b, c; it is ignored\n");
}

}  // namespace
