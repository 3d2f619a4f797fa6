#pragma once
// c10::string_view, the name that programs used before C++17.

#include <string_view>

namespace c10 {
using std::string_view;  // NOLINT: a name for programs
}
