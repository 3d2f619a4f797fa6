#pragma once
// Another store, with something put before every key: groups of processes share one store this way.

#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

class PrefixStore final : public Store {
 public:
  PrefixStore(std::string prefix, std::shared_ptr<Store> store);

  void set(const std::string& key, const std::string& value) override {
    store_->set(join(key), value);
  }
  std::string get(const std::string& key) override { return store_->get(join(key)); }
  int64_t add(const std::string& key, int64_t value) override {
    return store_->add(join(key), value);
  }
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override {
    return store_->compare_set(join(key), expected, desired);
  }
  bool delete_key(const std::string& key) override { return store_->delete_key(join(key)); }
  bool check(const std::vector<std::string>& keys) override { return store_->check(join(keys)); }
  // Of the whole store underneath.
  int64_t num_keys() override { return store_->num_keys(); }
  // Those with the prefix, without it.
  std::vector<std::string> list_keys() override;
  using Store::wait;
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override {
    store_->wait(join(keys), timeout);
  }
  void append(const std::string& key, const std::string& value) override {
    store_->append(join(key), value);
  }
  std::vector<std::string> multi_get(const std::vector<std::string>& keys) override {
    return store_->multi_get(join(keys));
  }
  void multi_set(const std::vector<std::string>& keys,
                 const std::vector<std::string>& values) override {
    store_->multi_set(join(keys), values);
  }
  void queue_push(const std::string& key, const std::string& value) override {
    store_->queue_push(join(key), value);
  }
  std::string queue_pop(const std::string& key, bool block) override {
    return store_->queue_pop(join(key), block);
  }
  int64_t queue_len(const std::string& key) override { return store_->queue_len(join(key)); }
  std::shared_ptr<Store> clone() override {
    return std::make_shared<PrefixStore>(prefix_, store_->clone());
  }
  bool has_extended_api() const override { return store_->has_extended_api(); }
  std::string describe() const override { return "PrefixStore over " + store_->describe(); }
  Milliseconds reply_time() const override { return store_->reply_time(); }
  void set_reply_time(Milliseconds time) override { store_->set_reply_time(time); }
  Milliseconds timeout() const override { return store_->timeout(); }
  void set_timeout(Milliseconds timeout) override { store_->set_timeout(timeout); }

  const std::shared_ptr<Store>& underlying() const { return store_; }
  std::shared_ptr<Store> underlying_non_prefix() const;

 private:
  std::string join(const std::string& key) const { return prefix_ + "/" + key; }
  std::vector<std::string> join(const std::vector<std::string>& keys) const;

  std::string prefix_;
  std::shared_ptr<Store> store_;
};

}  // namespace c10d
