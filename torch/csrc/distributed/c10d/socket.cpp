// TCP sockets of the store.

#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/interrupts.h>
#include <unistd.h>

namespace c10d {
namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// Null with `error` set where the name is not known.
Addresses resolve(const std::string& host, int port, bool for_listening, std::string& error) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (for_listening ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  std::string service = std::to_string(port);
  int code = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &hints, &found);
  if (code != 0) error = ::gai_strerror(code);
  return {code == 0 ? found : nullptr, [](addrinfo* a) {
    if (a) ::freeaddrinfo(a);
  }};
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  }
  if (address->sa_family != AF_INET6) return false;
  const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

// Milliseconds for poll().
int remaining(Clock::time_point deadline) {
  auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

// Waits for an event of a socket. 0 if the deadline passed, -1 with errno for an error.
int wait_for(int fd, short event, Clock::time_point deadline) {
  while (true) {
    pollfd waiting{fd, event, 0};
    int slice = std::min(remaining(deadline), static_cast<int>(kInterruptInterval.count()));
    int ready = ::poll(&waiting, 1, slice);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return ready;
    if (ready == 0 && Clock::now() >= deadline) return 0;
    check_interrupts();
  }
}

void send_at_once(int fd) {
  int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

// 0, or the code of the error.
int try_connect(const addrinfo& a, Clock::time_point deadline, Socket& result) {
  Socket s(::socket(a.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!s.is_open()) return errno;
  if (::connect(s.fd(), a.ai_addr, a.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    int ready = wait_for(s.fd(), POLLOUT, deadline);
    if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
    int code = 0;
    socklen_t size = sizeof code;
    ::getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &code, &size);
    if (code != 0) return code;
  }
  // A socket may connect to itself when the port is one that the kernel gives to clients.
  sockaddr_storage own{}, other{};
  socklen_t own_size = sizeof own, other_size = sizeof other;
  if (::getsockname(s.fd(), reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
      ::getpeername(s.fd(), reinterpret_cast<sockaddr*>(&other), &other_size) == 0 &&
      own_size == other_size && std::memcmp(&own, &other, own_size) == 0) {
    return ECONNREFUSED;
  }
  send_at_once(s.fd());
  result = std::move(s);
  return 0;
}

// 0, or the code of the error.
int try_listen(const sockaddr* address, socklen_t size, Socket& result) {
  Socket s(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!s.is_open()) return errno;
  int on = 1;
  ::setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(s.fd(), address, size) != 0 || ::listen(s.fd(), 4096) != 0) return errno;
  result = std::move(s);
  return 0;
}

int try_listen_everywhere(int port, Socket& result) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<uint16_t>(port));
  return try_listen(reinterpret_cast<sockaddr*>(&any), sizeof any, result);
}

}  // namespace

Socket& Socket::operator=(Socket&& o) noexcept {
  std::swap(fd_, o.fd_);
  return *this;
}

void Socket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int Socket::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

void Socket::send_all(const char* data, size_t size, Clock::time_point deadline,
                      const std::string& peer) {
  while (size > 0) {
    ssize_t n = ::send(fd_, data, size, MSG_NOSIGNAL);
    if (n > 0) {
      data += n;
      size -= static_cast<size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (wait_for(fd_, POLLOUT, deadline) == 0) {
        throw DistNetworkError(format("the store at {} takes no data: timed out", peer));
      }
    } else if (errno != EINTR) {
      throw DistNetworkError(
          format("the connection to the store at {} failed: {}", peer, std::strerror(errno)));
    }
  }
}

void Socket::receive_all(char* data, size_t size, Clock::time_point deadline,
                         const std::string& peer) {
  while (size > 0) {
    ssize_t n = ::recv(fd_, data, size, 0);
    if (n > 0) {
      data += n;
      size -= static_cast<size_t>(n);
    } else if (n == 0) {
      throw DistNetworkError(
          format("the store at {} closed the connection; its process may have ended", peer));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (wait_for(fd_, POLLIN, deadline) == 0) {
        throw DistNetworkError(format("the store at {} does not answer: timed out", peer));
      }
    } else if (errno != EINTR) {
      throw DistNetworkError(
          format("the connection to the store at {} failed: {}", peer, std::strerror(errno)));
    }
  }
}

Socket connect_to(const std::string& host, int port, Milliseconds timeout) {
  auto deadline = Clock::now() + timeout;
  Milliseconds pause(2);
  std::string reason;
  while (true) {
    Addresses addresses = resolve(host, port, false, reason);
    for (addrinfo* a = addresses.get(); a; a = a->ai_next) {
      Socket s;
      int code = try_connect(*a, deadline, s);
      if (code == 0) return s;
      reason = std::strerror(code);
    }
    if (Clock::now() + pause >= deadline) break;
    check_interrupts();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, Milliseconds(200));
  }
  throw DistNetworkError(format("cannot connect to the store at {}:{}: timed out after {} ms ({})",
                                host, port, timeout.count(), reason));
}

// Note [Where the store listens]
// "localhost" and addresses of the loopback device: there, so that no other machine can connect.
// Any other address of this machine: at that address. A name of this machine that resolves to the
// loopback device, or an address that it does not have (as behind a router), was given so that
// other machines can connect: everywhere.
Socket listen_at(const std::string& host, int port) {
  std::string reason;
  Socket result;
  std::string name = host == "localhost" ? "127.0.0.1" : host;
  Addresses addresses = resolve(name, port, true, reason);
  if (!addresses)
    throw DistNetworkError(format("TCPStore: cannot listen at {}:{}: {}", host, port, reason));
  const sockaddr* first = addresses->ai_addr;
  unsigned char number[sizeof(in6_addr)];
  bool is_number = ::inet_pton(AF_INET, name.c_str(), number) == 1 ||
                   ::inet_pton(AF_INET6, name.c_str(), number) == 1;
  int code = 0;
  if (is_loopback(first) && !is_number) {
    code = try_listen_everywhere(port, result);
  } else {
    code = try_listen(first, addresses->ai_addrlen, result);
    if (code == EADDRNOTAVAIL) code = try_listen_everywhere(port, result);
  }
  if (code != 0) {
    throw DistNetworkError(
        format("TCPStore: cannot listen at {}:{}: {}", host, port, std::strerror(code)));
  }
  return result;
}

Socket adopt_listener(int fd, int port) {
  int listening = 0;
  socklen_t size = sizeof listening;
  bool good = ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
  TORCH_CHECK_VALUE(good, "TCPStore: master_listen_fd=", fd, " is no listening socket");
  int flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  Socket s(fd);
  TORCH_CHECK_VALUE(port == 0 || port == s.port(), "TCPStore: master_listen_fd=", fd,
                    " listens at port ", s.port(), ", not ", port);
  return s;
}

}  // namespace c10d
