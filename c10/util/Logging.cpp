#include <c10/util/Logging.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

namespace c10::detail {

namespace {
constexpr const char* kLevelNames[] = {"INFO", "WARNING", "ERROR", "FATAL"};

int level_from_environment() {
  const char* text = std::getenv("TORCH_CPP_LOG_LEVEL");
  if (text) {
    for (int level = 0; level < 4; ++level) {
      if (std::strcmp(text, kLevelNames[level]) == 0 || (text[0] == '0' + level && !text[1])) {
        return level;
      }
    }
    std::fprintf(
        stderr, "TORCH_CPP_LOG_LEVEL=%s is not one of INFO, WARNING, ERROR, FATAL; WARNING is used\n", text);
  }
  return static_cast<int>(LogLevel::WARNING);
}
} // namespace

int log_level = level_from_environment();

void write_log(LogLevel level, SourceLocation where, std::initializer_list<StrPart> parts) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char stamp[32];
  std::strftime(stamp, sizeof(stamp), "%m%d %H:%M:%S", &local);
  std::string text = join(parts);
  std::fprintf(
      stderr, "[%c%s.%06ld %d %s:%u] %s\n", kLevelNames[static_cast<int>(level)][0], stamp,
      now.tv_nsec / 1000, static_cast<int>(getpid()), where.file, where.line, text.c_str());
}

} // namespace c10::detail
