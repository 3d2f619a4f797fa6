// The only file that compiles fmt.

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <torch/csrc/distributed/c10d/format.h>

namespace c10d {

std::string format_values(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

}  // namespace c10d
