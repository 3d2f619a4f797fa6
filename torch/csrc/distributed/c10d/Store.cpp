// The functions that every store has in terms of the others.

#include <torch/csrc/distributed/c10d/Store.h>
#include <torch/csrc/distributed/c10d/format.h>

namespace c10d {

void Store::queue_push(const std::string&, const std::string&) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, describe(), " has no queues; TCPStore and HashStore do");
}
std::string Store::queue_pop(const std::string&, bool) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, describe(), " has no queues; TCPStore and HashStore do");
}
int64_t Store::queue_len(const std::string&) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, describe(), " has no queues; TCPStore and HashStore do");
}

std::vector<std::string> Store::multi_get(const std::vector<std::string>& keys) {
  std::vector<std::string> values;
  values.reserve(keys.size());
  for (const auto& key : keys) values.push_back(get(key));
  return values;
}

void Store::multi_set(const std::vector<std::string>& keys,
                      const std::vector<std::string>& values) {
  TORCH_CHECK_VALUE(keys.size() == values.size(), "multi_set(): got ", keys.size(), " keys and ",
                    values.size(), " values");
  for (size_t i = 0; i < keys.size(); ++i) set(keys[i], values[i]);
}

void Store::barrier(const std::string& key, int64_t world_size,
                    std::optional<Milliseconds> timeout) {
  std::string last = key + "/last_member";
  if (add(key + "/num_members", 1) == world_size) set(last, "1");
  wait({last}, timeout.value_or(this->timeout()));
}

void throw_wait_timeout(const std::vector<std::string>& keys, Milliseconds timeout) {
  throw DistStoreError(
      format("wait timeout after {}ms, keys: {}", timeout.count(), join(keys, ", ")));
}

}  // namespace c10d
