#pragma once
// A key-value store that all processes of a job see. Ranks find each other through it, and leave
// notes there that are too small or too rare for a collective.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Error.h>

namespace c10d {

using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// The time left, for a wait: at least a millisecond.
inline Milliseconds left_until(Clock::time_point deadline) {
  return std::max(std::chrono::duration_cast<Milliseconds>(deadline - Clock::now()),
                  Milliseconds(1));
}

constexpr Milliseconds kDefaultStoreTimeout = std::chrono::seconds(300);

// Values are bytes. Functions that wait for a key throw DistStoreError when `timeout()` has passed.
class Store {
 public:
  virtual ~Store() = default;

  virtual void set(const std::string& key, const std::string& value) = 0;
  // Waits for the key.
  virtual std::string get(const std::string& key) = 0;
  // Adds to a decimal number, which starts at 0, and gives the sum.
  virtual int64_t add(const std::string& key, int64_t value) = 0;
  // Sets `desired` where the value is `expected`, or where there is none and `expected` is empty.
  // Gives the value after the call, or `expected` where there is none.
  virtual std::string compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) = 0;
  virtual bool delete_key(const std::string& key) = 0;
  virtual bool check(const std::vector<std::string>& keys) = 0;
  virtual int64_t num_keys() = 0;
  virtual std::vector<std::string> list_keys() = 0;
  virtual void wait(const std::vector<std::string>& keys, Milliseconds timeout) = 0;
  virtual void append(const std::string& key, const std::string& value) = 0;

  // First in, first out. Pop of an empty queue waits, or throws QueueEmptyError if `block` is
  // false.
  virtual void queue_push(const std::string& key, const std::string& value);
  virtual std::string queue_pop(const std::string& key, bool block);
  virtual int64_t queue_len(const std::string& key);

  // The same store by a connection of its own, where it has connections.
  virtual std::shared_ptr<Store> clone() = 0;
  // Whether append and the functions of several keys cost one exchange.
  virtual bool has_extended_api() const { return false; }
  virtual std::string describe() const = 0;

  virtual std::vector<std::string> multi_get(const std::vector<std::string>& keys);
  virtual void multi_set(const std::vector<std::string>& keys,
                         const std::vector<std::string>& values);

  void wait(const std::vector<std::string>& keys) { wait(keys, timeout()); }
  // Waits until `world_size` callers have come to the same key.
  void barrier(const std::string& key, int64_t world_size, std::optional<Milliseconds> timeout);

  // How long a server may take to answer beyond what it was asked to wait, where there is one.
  virtual Milliseconds reply_time() const { return Milliseconds(0); }
  virtual void set_reply_time(Milliseconds) {}

  virtual Milliseconds timeout() const { return timeout_; }
  virtual void set_timeout(Milliseconds timeout) { timeout_ = timeout; }

 protected:
  Milliseconds timeout_ = kDefaultStoreTimeout;
};

// What a wait that ran out of time throws.
[[noreturn]] void throw_wait_timeout(const std::vector<std::string>& keys, Milliseconds timeout);

}  // namespace c10d
