// Reads environment variables with a known set of values.

#include <c10/util/Environment.h>
#include <c10/util/ForkMutex.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace c10 {
namespace {

constexpr std::string_view kYes[] = {"1", "on", "yes", "y", "true"};
constexpr std::string_view kNo[] = {"0", "off", "no", "n", "false"};

std::string_view value_of(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

void warn(const char* name, std::string_view word, const std::string& valid) {
  env_ignored(name, "\"" + std::string(word) + "\" is not one of " + valid);
}

std::string listed(std::initializer_list<std::string_view> words) {
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

int index_of_word(std::string_view word, std::initializer_list<std::string_view> valid) {
  const auto* at = std::find(valid.begin(), valid.end(), word);
  return at == valid.end() ? -1 : static_cast<int>(at - valid.begin());
}

}  // namespace

bool env_flag(const char* name, bool otherwise, std::initializer_list<std::string_view> also) {
  std::string word(value_of(name));
  if (word.empty()) return otherwise;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::find(std::begin(kNo), std::end(kNo), word) != std::end(kNo)) return false;
  if (std::find(std::begin(kYes), std::end(kYes), word) != std::end(kYes)) return true;
  if (index_of_word(word, also) >= 0) return true;
  if (std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) {
    return word.find_first_not_of('0') != std::string::npos;
  }
  std::string valid = also.size() ? listed(also) + ", " : "";
  warn(name, value_of(name), valid + "1, on, yes, true, 0, off, no, false");
  return otherwise;
}

int env_choice(const char* name, std::initializer_list<std::string_view> valid) {
  const std::string_view word = value_of(name);
  if (word.empty()) return -1;
  const int index = index_of_word(word, valid);
  if (index < 0) warn(name, word, listed(valid));
  return index;
}

unsigned env_choices(const char* name, std::initializer_list<std::string_view> valid) {
  unsigned bits = 0;
  for (std::string_view rest = value_of(name); !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, comma);
    const int index = index_of_word(word, valid);
    if (index >= 0) {
      bits |= 1u << index;
    } else if (!word.empty()) {
      warn(name, word, listed(valid));
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return bits;
}

// Not through TORCH_WARN: libraries read settings while being loaded, and the error machinery reads
// one itself.
void env_ignored(const char* name, std::string_view reason) {
  static ForkMutex mutex;
  static std::vector<std::string> seen;
  std::string text = std::string("Warning: ") + name + "=" + std::string(value_of(name)) + ": " +
                     std::string(reason) + "; it is ignored\n";
  std::lock_guard<ForkMutex> lock(mutex);
  if (std::find(seen.begin(), seen.end(), text) != seen.end()) return;
  std::fputs(text.c_str(), stderr);
  seen.push_back(std::move(text));
}

}  // namespace c10
