#pragma once
// A store that one process serves over TCP and the others connect to.

#include <atomic>
#include <mutex>
#include <thread>

#include <torch/csrc/distributed/c10d/Store.h>
#include <torch/csrc/distributed/c10d/socket.h>

namespace c10d {

class TCPStoreServer;
class Writer;
enum class Reply : uint8_t;

struct TCPStoreOptions {
  int port = 29500;
  bool is_server = false;
  // How many clients the server waits for in its constructor, if `wait_for_workers`.
  std::optional<int64_t> world_size;
  bool wait_for_workers = true;
  Milliseconds timeout = kDefaultStoreTimeout;
  // Several stores of this process share the server of one port.
  bool multi_tenant = false;
  // A listening socket, which the store then owns.
  std::optional<int> listen_fd;
};

class TCPStore final : public Store {
 public:
  TCPStore(std::string host, const TCPStoreOptions& options);
  ~TCPStore() override;

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
  std::vector<std::string> multi_get(const std::vector<std::string>& keys) override;
  void multi_set(const std::vector<std::string>& keys,
                 const std::vector<std::string>& values) override;
  void queue_push(const std::string& key, const std::string& value) override;
  std::string queue_pop(const std::string& key, bool block) override;
  int64_t queue_len(const std::string& key) override;
  Milliseconds reply_time() const override { return reply_time_; }
  void set_reply_time(Milliseconds time) override { reply_time_ = time; }
  std::shared_ptr<Store> clone() override;
  bool has_extended_api() const override { return true; }
  std::string describe() const override;

  const std::string& host() const { return host_; }
  int port() const { return port_; }

 private:
  TCPStore(std::string host, int port, Milliseconds timeout);
  void connect();
  void wait_for_workers(int64_t world_size);
  // Sends a request and gives the result of its reply. `extra` is how long the server may wait.
  std::string ask(Writer& request, const std::vector<std::string>& keys,
                  Milliseconds extra = Milliseconds(0));

  std::string host_;
  int port_;
  std::shared_ptr<TCPStoreServer> server_;
  std::atomic<Milliseconds> reply_time_{std::chrono::seconds(60)};
  std::mutex mutex_;
  Socket socket_;
  std::atomic<std::thread::id> owner_;  // of the mutex
  bool interrupted_ = false;            // in the middle of a request
};

}  // namespace c10d
