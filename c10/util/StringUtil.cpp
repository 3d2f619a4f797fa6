// Out-of-line text helpers.

#include <c10/util/StringUtil.h>

#include <charconv>
#include <cmath>
#include <cstdio>

namespace c10::detail {

namespace {
template <class Int>
void append_integer(std::string& out, Int value, int base = 10) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof(digits), value, base).ptr;
  out.append(digits, end);
}
}  // namespace

void append(std::string& out, long long value) { append_integer(out, value); }
void append(std::string& out, unsigned long long value) { append_integer(out, value); }

void append(std::string& out, double value) {
  char digits[40];
  int length = std::snprintf(digits, sizeof(digits), "%g", value);
  out.append(digits, static_cast<size_t>(length));
}

void append(std::string& out, const void* pointer) {
  out.append("0x");
  append_integer(out, reinterpret_cast<uintptr_t>(pointer), 16);
}

std::string join(std::initializer_list<StrPart> parts) {
  std::string out;
  for (const StrPart& part : parts) {
    part.append_to(out);
  }
  return out;
}

}  // namespace c10::detail
