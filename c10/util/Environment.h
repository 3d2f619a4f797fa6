#pragma once
// Settings of the environment. A value that means nothing is never passed over in silence: one line
// on standard error names the variable, what it holds, and what it may hold.

#include <c10/macros/Macros.h>

#include <initializer_list>
#include <string_view>

namespace c10 {

// A yes or a no: 1, on, yes, y, true, or 0, off, no, n, false, in either case; any number but 0 is
// a yes. Unset, empty, or, after a warning, something else: `otherwise`. Words of `also` mean yes
// too.
C10_API bool env_flag(const char* name, bool otherwise = false,
                      std::initializer_list<std::string_view> also = {});

// The place in `valid` of what the variable holds. Unset, empty, or, after a warning, none of them:
// -1.
C10_API int env_choice(const char* name, std::initializer_list<std::string_view> valid);

// The same for a list with commas: a bit for each word, 1 << its place in `valid`. Words that are
// none of them are warned about and left out.
C10_API unsigned env_choices(const char* name, std::initializer_list<std::string_view> valid);

// Says that what the variable holds has no effect, and why; once for each reason.
C10_API void env_ignored(const char* name, std::string_view reason);

}  // namespace c10
