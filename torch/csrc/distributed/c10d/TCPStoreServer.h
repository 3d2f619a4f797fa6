#pragma once
// The server of TCPStore: one thread that serves all clients.

#include <atomic>
#include <map>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include <torch/csrc/distributed/c10d/StoreProtocol.h>
#include <torch/csrc/distributed/c10d/StoreTable.h>
#include <torch/csrc/distributed/c10d/socket.h>

namespace c10d {

class TCPStoreServer {
 public:
  explicit TCPStoreServer(Socket listener);
  ~TCPStoreServer();

  int port() const { return port_; }

 private:
  struct Client {
    Socket socket;
    uint64_t id = 0;
    bool greeted = false;
    std::string in, out;
    size_t sent = 0;
    // A request that waits for a key.
    std::string waiting_for, request;
    Clock::time_point deadline = Clock::time_point::max();
  };
  struct Answer;

  void run();
  void accept_clients();
  void read_from(Client& client);
  void write_to(Client& client);
  void drop(uint64_t id);
  void watch(const Client& client, int operation, bool writing);
  // Whole messages that have come in.
  void serve_messages(Client& client);
  void serve(Client& client, const std::string& message);
  Answer answer(const std::string& message);
  void reply(Client& client, const std::string& bytes);
  // Serves those that wait for a key that has come.
  void wake(const std::string& key);
  void end_wait(Client& client);
  void expire();
  int next_timeout() const;

  Socket listener_;
  int port_, epoll_ = -1, stop_ = -1;
  uint64_t next_id_;
  StoreTable table_;
  std::unordered_map<uint64_t, std::unique_ptr<Client>> clients_;
  std::unordered_map<std::string, std::unordered_set<uint64_t>> waiting_;
  std::multimap<Clock::time_point, uint64_t> deadlines_;
  std::vector<std::string> changed_;
  std::thread thread_;
};

}  // namespace c10d
