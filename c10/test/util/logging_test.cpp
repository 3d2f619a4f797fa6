// Tests of logging and of call stacks in logs.

#include <c10/util/Logging.h>

#include <gtest/gtest.h>

#include <cctype>

#include <unistd.h>

using namespace c10;

namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

struct LevelGuard {
  explicit LevelGuard(LogLevel level) : before(c10::detail::log_level) {
    c10::detail::log_level = static_cast<int>(level);
  }
  ~LevelGuard() { c10::detail::log_level = before; }
  int before;
};
struct ArtifactGuard {
  explicit ArtifactGuard(uint32_t artifacts) { set_log_artifacts(artifacts); }
  ~ArtifactGuard() {
    set_log_artifacts(0);
    set_log_sink("", -1);
  }
};
constexpr uint32_t kAllocator = static_cast<uint32_t>(LogArtifact::Allocator);

// Each run of digits as one #: times, process and line differ.
std::string without_digits(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (!std::isdigit(static_cast<unsigned char>(c))) out += c;
    else if (out.empty() || out.back() != '#') out += '#';
  }
  return out;
}

TEST(Logging, LevelsBelowTheSetOneAreSilent) {
  LevelGuard guard(LogLevel::WARNING);
  EXPECT_FALSE(log_enabled(LogLevel::INFO));
  EXPECT_TRUE(log_enabled(LogLevel::WARNING));
  EXPECT_TRUE(log_enabled(LogLevel::FATAL));
  CaptureStderr();
  C10_LOG(INFO, "unseen");
  C10_LOG(WARNING, "seen ", 1);
  const std::string text = GetCapturedStderr();
  EXPECT_EQ(text.find("unseen"), std::string::npos);
  EXPECT_EQ(without_digits(text), "[W# #:#:#.# # c#/test/util/logging_test.cpp:#] seen #\n");
}

TEST(Logging, PartsOfASilentLineAreNotComputed) {
  LevelGuard guard(LogLevel::ERROR);
  int computed = 0;
  auto part = [&] { return ++computed; };
  C10_LOG(WARNING, part());
  EXPECT_EQ(computed, 0);
  C10_LOG_ARTIFACT(Allocator, part());
  EXPECT_EQ(computed, 0);
}

TEST(Logging, ArtifactsAreSwitchedOneByOne) {
  ArtifactGuard guard(kAllocator);
  EXPECT_TRUE(log_enabled(LogArtifact::Allocator));
  EXPECT_FALSE(log_enabled(LogArtifact::OneDNN));
  CaptureStderr();
  C10_LOG_ARTIFACT(Allocator, "first\nsecond");
  C10_LOG_ARTIFACT(OneDNN, "unseen");
  const std::string text = GetCapturedStderr();
  // Each line of a message has the prefix.
  const std::string prefix = "V# #:#:#.# # c#/test/util/logging_test.cpp:#] [__allocator] ";
  EXPECT_EQ(without_digits(text), prefix + "first\n" + prefix + "second\n");
}

TEST(Logging, FollowsAFormatOfPythonsLogging) {
  ArtifactGuard guard(kAllocator);
  set_log_sink(
      "%(levelname)-7s|%(levelno)4d|%(name)s|%(filename)s|%(module)s|%(funcName)s|%%|%(unknown)s|%("
      "message)s",
      -1);
  CaptureStderr();
  C10_LOG_ARTIFACT(Allocator, "hello");
  EXPECT_EQ(GetCapturedStderr(),
            "DEBUG  |  "
            "10|torch.__allocator|logging_test.cpp|logging_test|TestBody|%|%(unknown)s|hello\n");
}

TEST(Logging, WritesToAFileBesideStderr) {
  ArtifactGuard guard(kAllocator);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  set_log_sink("%(message)s", ends[1]);
  CaptureStderr();
  C10_LOG_ARTIFACT(Allocator, "both");
  EXPECT_EQ(GetCapturedStderr(), "both\n");
  char text[16] = {};
  EXPECT_EQ(read(ends[0], text, sizeof(text)), 5);
  EXPECT_STREQ(text, "both\n");
  close(ends[0]);
  close(ends[1]);
}

TEST(Logging, WriteWholeGivesUpOnABadFile) { write_whole(-1, "lost"); }

}  // namespace
