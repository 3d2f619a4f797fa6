#pragma once
// Log lines about the library's activity.
//
// By severity, on stderr, filtered by TORCH_CPP_LOG_LEVEL (INFO, WARNING, ERROR, FATAL or 0 to 3;
// WARNING by default):
//
//   C10_LOG(INFO, "oneDNN ", version, " is loaded from ", path);
//
// By subject, switched by TORCH_LOGS and torch._logging.set_logs. A subject is one bit of one word,
// so that a disabled one costs a test of that word:
//
//   C10_LOG_ARTIFACT(Allocator, "allocate ", nbytes, " bytes");

#include <c10/util/Exception.h>

namespace c10 {

enum class LogLevel : int { INFO = 0, WARNING = 1, ERROR = 2, FATAL = 3 };

enum class LogArtifact : uint32_t {
  Autograd = 1,       // a line for each backward pass
  AutogradNodes = 2,  // lines for each node made and run, and each gradient accumulated
  Allocator = 4,
  Registration = 8,
  OneDNN = 16,
};

namespace detail {
C10_API extern int log_level;
C10_API extern uint32_t log_artifacts;
C10_COLD C10_API void write_log(LogLevel level, SourceLocation where,
                                std::initializer_list<StrPart> parts);
C10_COLD C10_API void write_artifact(LogArtifact artifact, SourceLocation where,
                                     std::initializer_list<StrPart> parts);
}  // namespace detail

inline bool log_enabled(LogLevel level) { return static_cast<int>(level) >= detail::log_level; }
inline bool log_enabled(LogArtifact artifact) {
  return C10_UNLIKELY((__atomic_load_n(&detail::log_artifacts, __ATOMIC_RELAXED) &
                       static_cast<uint32_t>(artifact)) != 0);
}

// Which artifacts are enabled, and where and how their lines are written: `format` in the syntax of
// Python's logging ("%(levelname)s: %(message)s"), empty for the usual prefix; `file` is a
// descriptor besides stderr, or -1. Not owned.
C10_API void set_log_artifacts(uint32_t artifacts);
C10_API void set_log_sink(std::string format, int file);
// Writes the whole text with one write(2), so that lines of several threads and processes do not
// mix and a later crash loses none.
C10_API void write_whole(int file, const std::string& text);
// Writes to stderr and to the file of set_log_sink.
C10_API void write_to_log(const std::string& text);

}  // namespace c10

#define C10_LOG(level, ...)                                                                 \
  do {                                                                                      \
    if (C10_UNLIKELY(::c10::log_enabled(::c10::LogLevel::level))) {                         \
      ::c10::detail::write_log(::c10::LogLevel::level, C10_SOURCE_LOCATION, {__VA_ARGS__}); \
    }                                                                                       \
  } while (false)

#define C10_LOG_ARTIFACT(artifact, ...)                                                \
  do {                                                                                 \
    if (::c10::log_enabled(::c10::LogArtifact::artifact)) {                            \
      ::c10::detail::write_artifact(::c10::LogArtifact::artifact, C10_SOURCE_LOCATION, \
                                    {__VA_ARGS__});                                    \
    }                                                                                  \
  } while (false)
