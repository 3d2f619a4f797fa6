#pragma once
// TCP sockets of the store: an owner, connecting and listening with the errors that say where.

#include <string>

#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(); }
  Socket(Socket&& o) noexcept : fd_(o.fd_) { o.fd_ = -1; }
  Socket& operator=(Socket&& o) noexcept;

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close();
  // The port of this end.
  int port() const;
  // Sends or receives all bytes before the deadline; throws DistNetworkError, which names `peer`.
  void send_all(const char* data, size_t size, Clock::time_point deadline, const std::string& peer);
  void receive_all(char* data, size_t size, Clock::time_point deadline, const std::string& peer);

 private:
  int fd_ = -1;
};

// Tries again until the deadline: the server may not have started yet.
Socket connect_to(const std::string& host, int port, Milliseconds timeout);
// Listens where `host` says. See Note [Where the store listens].
Socket listen_at(const std::string& host, int port);
// A listening socket that the caller has made.
Socket adopt_listener(int fd, int port);

}  // namespace c10d
