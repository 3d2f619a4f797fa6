// A store in the memory of one process.

#include <torch/csrc/distributed/c10d/HashStore.h>

#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {

template <typename F>
auto HashStore::change(F&& f) {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->changed.notify_all();
  return f(shared_->table);
}

void HashStore::wait_until(const std::vector<std::string>& keys, Milliseconds timeout,
                           const std::function<bool()>& f, std::unique_lock<std::mutex>& lock) {
  auto deadline = Clock::now() + timeout;
  if (!wait_interruptibly(shared_->changed, lock, deadline, f)) throw_wait_timeout(keys, timeout);
}

void HashStore::set(const std::string& key, const std::string& value) {
  change([&](StoreTable& table) { table.set(key, value); });
}

std::string HashStore::get(const std::string& key) {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  wait_until({key}, timeout_, [&] { return shared_->table.find(key) != nullptr; }, lock);
  return *shared_->table.find(key);
}

int64_t HashStore::add(const std::string& key, int64_t value) {
  return change([&](StoreTable& table) { return table.add(key, value); });
}

std::string HashStore::compare_set(const std::string& key, const std::string& expected,
                                   const std::string& desired) {
  return change([&](StoreTable& table) { return table.compare_set(key, expected, desired); });
}

bool HashStore::delete_key(const std::string& key) {
  return change([&](StoreTable& table) { return table.erase(key); });
}

bool HashStore::check(const std::vector<std::string>& keys) {
  return change([&](StoreTable& table) { return table.has_all(keys); });
}

int64_t HashStore::num_keys() {
  return change([](StoreTable& table) { return table.size(); });
}

std::vector<std::string> HashStore::list_keys() {
  return change([](StoreTable& table) { return table.keys(); });
}

void HashStore::wait(const std::vector<std::string>& keys, Milliseconds timeout) {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  wait_until(keys, timeout, [&] { return shared_->table.has_all(keys); }, lock);
}

void HashStore::append(const std::string& key, const std::string& value) {
  change([&](StoreTable& table) { table.append(key, value); });
}

void HashStore::queue_push(const std::string& key, const std::string& value) {
  change([&](StoreTable& table) { table.push(key, value); });
}

std::string HashStore::queue_pop(const std::string& key, bool block) {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  std::string value;
  if (shared_->table.pop(key, value)) return value;
  if (!block) throw QueueEmptyError("queue_pop(): the queue '" + key + "' is empty");
  wait_until({key}, timeout_, [&] { return shared_->table.pop(key, value); }, lock);
  return value;
}

int64_t HashStore::queue_len(const std::string& key) {
  return change([&](StoreTable& table) { return table.queue_size(key); });
}

std::shared_ptr<Store> HashStore::clone() {
  auto copy = std::make_shared<HashStore>();
  copy->shared_ = shared_;
  copy->timeout_ = timeout_;
  return copy;
}

}  // namespace c10d
