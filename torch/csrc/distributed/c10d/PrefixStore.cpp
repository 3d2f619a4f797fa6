// Another store, with something put before every key.

#include <torch/csrc/distributed/c10d/PrefixStore.h>

namespace c10d {

PrefixStore::PrefixStore(std::string prefix, std::shared_ptr<Store> store)
    : prefix_(std::move(prefix)), store_(std::move(store)) {
  TORCH_CHECK_VALUE(store_, "PrefixStore: expected a store, got None");
}

std::vector<std::string> PrefixStore::join(const std::vector<std::string>& keys) const {
  std::vector<std::string> joined;
  joined.reserve(keys.size());
  for (const auto& key : keys) joined.push_back(join(key));
  return joined;
}

std::vector<std::string> PrefixStore::list_keys() {
  std::vector<std::string> own;
  std::string start = prefix_ + "/";
  for (const auto& key : store_->list_keys()) {
    if (key.compare(0, start.size(), start) == 0) own.push_back(key.substr(start.size()));
  }
  return own;
}

std::shared_ptr<Store> PrefixStore::underlying_non_prefix() const {
  std::shared_ptr<Store> store = store_;
  while (auto* inner = dynamic_cast<PrefixStore*>(store.get())) store = inner->store_;
  return store;
}

}  // namespace c10d
