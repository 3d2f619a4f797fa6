#pragma once
// A store in the memory of one process, for its threads.

#include <condition_variable>
#include <functional>
#include <mutex>

#include <torch/csrc/distributed/c10d/StoreTable.h>

namespace c10d {

class HashStore final : public Store {
 public:
  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t num_keys() override;
  std::vector<std::string> list_keys() override;
  using Store::wait;
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override;
  void append(const std::string& key, const std::string& value) override;
  void queue_push(const std::string& key, const std::string& value) override;
  std::string queue_pop(const std::string& key, bool block) override;
  int64_t queue_len(const std::string& key) override;
  std::shared_ptr<Store> clone() override;
  bool has_extended_api() const override { return true; }
  std::string describe() const override { return "HashStore"; }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    StoreTable table;
  };

  // Runs f on the table; those that wait look again afterwards.
  template <typename F>
  auto change(F&& f);
  // Waits until f of the table is true.
  void wait_until(const std::vector<std::string>& keys, Milliseconds timeout,
                  const std::function<bool()>& f, std::unique_lock<std::mutex>& lock);

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace c10d
