#pragma once
// c10::optional and c10::nullopt, the names that programs used before C++17.

#include <optional>

namespace c10 {
using std::bad_optional_access;  // NOLINT: names for programs
using std::make_optional;        // NOLINT
using std::nullopt;              // NOLINT
using std::nullopt_t;            // NOLINT
using std::optional;             // NOLINT
}  // namespace c10
