#pragma once
// Keys, values and queues in memory: what HashStore locks and the server of TCPStore serves.

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

class StoreTable {
 public:
  const std::string* find(const std::string& key) const;
  bool has_all(const std::vector<std::string>& keys) const;
  void set(const std::string& key, std::string value) { values_[key] = std::move(value); }
  int64_t add(const std::string& key, int64_t value);
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired);
  bool erase(const std::string& key);
  void append(const std::string& key, const std::string& value) { values_[key] += value; }
  int64_t size() const { return static_cast<int64_t>(values_.size()); }
  std::vector<std::string> keys() const;

  void push(const std::string& key, std::string value) { queues_[key].push_back(std::move(value)); }
  bool pop(const std::string& key, std::string& value);
  int64_t queue_size(const std::string& key) const;

 private:
  std::unordered_map<std::string, std::string> values_;
  std::unordered_map<std::string, std::deque<std::string>> queues_;
};

// The sum as a decimal number; ValueError where `old` is none. An empty `old` counts as 0.
int64_t add_to_number(const std::string& key, const std::string& old, int64_t value);

}  // namespace c10d
