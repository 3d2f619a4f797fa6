#pragma once
// format("rank {} of {}", rank, size): text made with fmt. fmt itself is compiled in format.cpp
// alone; in every file that formats something it takes seconds.

#include <string>

#include <fmt/core.h>

namespace c10d {

std::string format_values(fmt::string_view text, fmt::format_args values);

template <typename... T>
std::string format(fmt::string_view text, const T&... values) {
  return format_values(text, fmt::make_format_args(values...));
}

// The values with `separator` between them.
template <typename Values>
std::string join(const Values& values, const char* separator) {
  std::string joined;
  bool first = true;
  for (const auto& value : values) {
    if (!first) joined += separator;
    first = false;
    joined += format("{}", value);
  }
  return joined;
}

}  // namespace c10d
