#pragma once
// LOG-like lines on stderr, filtered by TORCH_CPP_LOG_LEVEL (INFO, WARNING, ERROR, FATAL or 0 to 3;
// WARNING by default).
//
//   C10_LOG(INFO, "oneDNN ", version, " is loaded from ", path);

#include <c10/util/Exception.h>

namespace c10 {

enum class LogLevel : int { INFO = 0, WARNING = 1, ERROR = 2, FATAL = 3 };

namespace detail {
C10_API extern int log_level;
C10_COLD C10_API void write_log(
    LogLevel level, SourceLocation where, std::initializer_list<StrPart> parts);
} // namespace detail

inline bool log_enabled(LogLevel level) { return static_cast<int>(level) >= detail::log_level; }

} // namespace c10

#define C10_LOG(level, ...)                                                                   \
  do {                                                                                        \
    if (C10_UNLIKELY(::c10::log_enabled(::c10::LogLevel::level))) {                           \
      ::c10::detail::write_log(::c10::LogLevel::level, C10_SOURCE_LOCATION, {__VA_ARGS__});   \
    }                                                                                         \
  } while (false)
