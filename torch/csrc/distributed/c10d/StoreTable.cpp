// Keys, values and queues in memory.

#include <torch/csrc/distributed/c10d/StoreTable.h>

#include <charconv>

namespace c10d {

int64_t add_to_number(const std::string& key, const std::string& old, int64_t value) {
  int64_t number = 0, sum = 0;
  const char* end = old.data() + old.size();
  auto [stop, error] = std::from_chars(old.data(), end, number);
  TORCH_CHECK_VALUE(old.empty() || (error == std::errc() && stop == end),
                    "add(): the value of key '", key, "' is no decimal number of 64 bits");
  TORCH_CHECK_VALUE(!__builtin_add_overflow(number, value, &sum), "add(): the sum at key '", key,
                    "' does not fit into 64 bits");
  return sum;
}

const std::string* StoreTable::find(const std::string& key) const {
  auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

bool StoreTable::has_all(const std::vector<std::string>& keys) const {
  for (const auto& key : keys) {
    if (!find(key)) return false;
  }
  return true;
}

int64_t StoreTable::add(const std::string& key, int64_t value) {
  const std::string* old = find(key);
  int64_t sum = add_to_number(key, old ? *old : "", value);
  values_[key] = std::to_string(sum);
  return sum;
}

std::string StoreTable::compare_set(const std::string& key, const std::string& expected,
                                    const std::string& desired) {
  const std::string* old = find(key);
  if (!old && !expected.empty()) return expected;
  if (old && *old != expected) return *old;
  set(key, desired);
  return desired;
}

bool StoreTable::erase(const std::string& key) {
  return values_.erase(key) + queues_.erase(key) > 0;
}

std::vector<std::string> StoreTable::keys() const {
  std::vector<std::string> found;
  found.reserve(values_.size());
  for (const auto& [key, value] : values_) found.push_back(key);
  return found;
}

bool StoreTable::pop(const std::string& key, std::string& value) {
  auto found = queues_.find(key);
  if (found == queues_.end()) return false;
  value = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) queues_.erase(found);
  return true;
}

int64_t StoreTable::queue_size(const std::string& key) const {
  auto found = queues_.find(key);
  return found == queues_.end() ? 0 : static_cast<int64_t>(found->second.size());
}

}  // namespace c10d
