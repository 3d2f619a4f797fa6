#pragma once
// Settings from the environment. An invalid value is never ignored silently: one line on standard
// error names the variable, its value, and the valid ones.

#include <c10/macros/Macros.h>

#include <initializer_list>
#include <string_view>

namespace c10 {

// A yes or a no: 1, on, yes, y, true, or 0, off, no, n, false, in either case; any nonzero number
// means yes. Returns `otherwise` if unset, empty or, after a warning, anything else. Words in
// `also` also mean yes.
C10_API bool env_flag(const char* name, bool otherwise = false,
                      std::initializer_list<std::string_view> also = {});

// The index in `valid` of the variable's value. -1 if unset, empty or, after a warning, not among
// them.
C10_API int env_choice(const char* name, std::initializer_list<std::string_view> valid);

// The same for a comma-separated list: a bit for each word, 1 << its index in `valid`. Other words
// cause a warning and are ignored.
C10_API unsigned env_choices(const char* name, std::initializer_list<std::string_view> valid);

// Warns that the variable's value has no effect, and why; once for each reason.
C10_API void env_ignored(const char* name, std::string_view reason);

}  // namespace c10
