// The server of TCPStore. A client that ends, or that sends what is no request, is forgotten; the
// others do not notice.

#include <torch/csrc/distributed/c10d/TCPStoreServer.h>

#include <algorithm>
#include <cstring>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace c10d {
namespace {

constexpr uint64_t kListener = 0, kStop = 1, kFirstClient = 2;
constexpr size_t kReadSize = 1 << 16;
// Until it has said hello, a client may send no more than this.
constexpr size_t kMaxGreeting = sizeof kHello;

void add_to(int epoll, int fd, uint64_t id) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

// What a request leads to: a reply, or waiting for a key.
struct TCPStoreServer::Answer {
  Writer writer;
  std::string missing;
  bool waits = false;
  int64_t timeout = 0;
};

TCPStoreServer::TCPStoreServer(Socket listener)
    : listener_(std::move(listener)), port_(listener_.port()), next_id_(kFirstClient) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || stop_ < 0) {
    int code = errno;
    if (epoll_ >= 0) ::close(epoll_);
    if (stop_ >= 0) ::close(stop_);
    throw DistNetworkError(std::string("TCPStore: cannot start a server: ") + std::strerror(code));
  }
  add_to(epoll_, listener_.fd(), kListener);
  add_to(epoll_, stop_, kStop);
  thread_ = std::thread([this] { run(); });
}

TCPStoreServer::~TCPStoreServer() {
  uint64_t one = 1;
  while (::write(stop_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::close(epoll_);
  ::close(stop_);
}

void TCPStoreServer::run() {
  ::pthread_setname_np(::pthread_self(), "tcpstore");
  epoll_event events[256];
  while (true) {
    int n = ::epoll_wait(epoll_, events, 256, next_timeout());
    if (n < 0 && errno != EINTR) return;
    for (int i = 0; i < n; ++i) {
      uint64_t id = events[i].data.u64;
      if (id == kStop) return;
      if (id == kListener) {
        accept_clients();
        continue;
      }
      auto found = clients_.find(id);
      if (found == clients_.end()) continue;
      try {
        if (events[i].events & EPOLLOUT) write_to(*found->second);
        if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_from(*found->second);
      } catch (const std::exception&) {
        drop(id);  // it has ended, or speaks something else
      }
    }
    expire();
  }
}

void TCPStoreServer::accept_clients() {
  while (true) {
    Socket s(::accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!s.is_open()) {
      // Out of file descriptors: the client stays in the queue until others leave.
      if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(Milliseconds(10));
      if (errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    int on = 1;
    ::setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(s.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    auto client = std::make_unique<Client>();
    client->socket = std::move(s);
    client->id = next_id_++;
    add_to(epoll_, client->socket.fd(), client->id);
    clients_.emplace(client->id, std::move(client));
  }
}

void TCPStoreServer::read_from(Client& client) {
  char buffer[kReadSize];
  ssize_t n = ::recv(client.socket.fd(), buffer,
                     client.greeted ? sizeof buffer : kMaxGreeting - client.in.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return drop(client.id);
  client.in.append(buffer, static_cast<size_t>(n));
  if (!client.greeted) {
    if (std::memcmp(client.in.data(), kHello, client.in.size()) != 0) return drop(client.id);
    if (client.in.size() < sizeof kHello) return;
    client.greeted = true;
    client.in.clear();
    return;
  }
  serve_messages(client);
}

void TCPStoreServer::serve_messages(Client& client) {
  uint64_t id = client.id;
  size_t at = 0;
  while (client.in.size() - at >= sizeof(uint32_t)) {
    uint32_t size;
    std::memcpy(&size, &client.in[at], sizeof size);
    if (size > kMaxMessage) return drop(id);
    if (client.in.size() - at - sizeof size < size) break;
    // A client sends its next request when it has the reply.
    if (!client.request.empty()) return drop(id);
    std::string message = client.in.substr(at + sizeof size, size);
    at += sizeof size + size;
    serve(client, message);
  }
  client.in.erase(0, at);
  while (!changed_.empty()) {
    std::vector<std::string> keys;
    keys.swap(changed_);
    for (const auto& key : keys) wake(key);
  }
}

void TCPStoreServer::serve(Client& client, const std::string& message) {
  try {
    Answer a = answer(message);
    if (!a.waits) return reply(client, a.writer.finish());
    client.request = message;
    client.waiting_for = a.missing;
    waiting_[a.missing].insert(client.id);
    if (client.deadline == Clock::time_point::max()) {
      client.deadline =
          Clock::now() + Milliseconds(std::clamp<int64_t>(a.timeout, 0, int64_t{1} << 40));
      deadlines_.emplace(client.deadline, client.id);
    }
  } catch (const c10::ValueError& e) {
    Writer writer(Reply::BadValue);
    writer.put(e.msg());
    reply(client, writer.finish());
  } catch (const QueueEmptyError&) {
    reply(client, Writer(Reply::QueueEmpty).finish());
  }
}

TCPStoreServer::Answer TCPStoreServer::answer(const std::string& message) {
  Reader in(message.data(), message.size());
  auto kind = static_cast<Request>(in.byte());
  Answer a{Writer(Reply::Done), {}};
  Writer& out = a.writer;
  auto change = [&](const std::string& key) { changed_.push_back(key); };
  // True if all keys are there; otherwise the request waits for one of them.
  auto all_there = [&](const std::vector<std::string>& keys, int64_t timeout) {
    for (const auto& key : keys) {
      if (table_.find(key)) continue;
      a.waits = true;
      a.missing = key;
      a.timeout = timeout;
      return false;
    }
    return true;
  };
  switch (kind) {
    case Request::Set: {
      std::string key = in.text();
      table_.set(key, in.text());
      change(key);
      break;
    }
    case Request::Get: {
      int64_t timeout = in.number();
      std::string key = in.text();
      if (all_there({key}, timeout)) out.put(*table_.find(key));
      break;
    }
    case Request::Add: {
      std::string key = in.text();
      out.put(table_.add(key, in.number()));
      change(key);
      break;
    }
    case Request::CompareSet: {
      std::string key = in.text(), expected = in.text();
      out.put(table_.compare_set(key, expected, in.text()));
      change(key);
      break;
    }
    case Request::Delete:
      out.put(static_cast<int64_t>(table_.erase(in.text())));
      break;
    case Request::Check:
      out.put(static_cast<int64_t>(table_.has_all(in.list())));
      break;
    case Request::NumKeys:
      out.put(table_.size());
      break;
    case Request::ListKeys:
      out.put(table_.keys());
      break;
    case Request::Wait: {
      int64_t timeout = in.number();
      all_there(in.list(), timeout);
      break;
    }
    case Request::Append: {
      std::string key = in.text();
      table_.append(key, in.text());
      change(key);
      break;
    }
    case Request::MultiGet: {
      int64_t timeout = in.number();
      std::vector<std::string> keys = in.list(), values;
      if (!all_there(keys, timeout)) break;
      for (const auto& key : keys) values.push_back(*table_.find(key));
      out.put(values);
      break;
    }
    case Request::MultiSet: {
      std::vector<std::string> keys = in.list(), values = in.list();
      if (keys.size() != values.size()) throw DistNetworkError("a message of the store is damaged");
      for (size_t i = 0; i < keys.size(); ++i) {
        table_.set(keys[i], values[i]);
        change(keys[i]);
      }
      break;
    }
    case Request::Push: {
      std::string key = in.text();
      table_.push(key, in.text());
      change(key);
      break;
    }
    case Request::Pop: {
      int64_t timeout = in.number();
      std::string key = in.text(), value;
      if (table_.pop(key, value)) {
        out.put(value);
      } else {
        if (timeout < 0) throw QueueEmptyError("queue_pop(): the queue is empty");
        a.waits = true;
        a.missing = key;
        a.timeout = timeout;
      }
      break;
    }
    case Request::QueueLen:
      out.put(table_.queue_size(in.text()));
      break;
    default:
      throw DistNetworkError("a request that the store does not know");
  }
  return a;
}

void TCPStoreServer::reply(Client& client, const std::string& bytes) {
  client.out += bytes;
  write_to(client);
}

void TCPStoreServer::write_to(Client& client) {
  while (client.sent < client.out.size()) {
    ssize_t n = ::send(client.socket.fd(), &client.out[client.sent],
                       client.out.size() - client.sent, MSG_NOSIGNAL);
    if (n > 0) {
      client.sent += static_cast<size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return watch(client, EPOLL_CTL_MOD, true);
    } else if (errno != EINTR) {
      throw DistNetworkError("the client is gone");
    }
  }
  bool was_watched = client.sent > 0 && !client.out.empty();
  client.out.clear();
  client.sent = 0;
  if (was_watched) watch(client, EPOLL_CTL_MOD, false);
}

void TCPStoreServer::watch(const Client& client, int operation, bool writing) {
  epoll_event event{};
  event.events = EPOLLIN | (writing ? EPOLLOUT : 0u);
  event.data.u64 = client.id;
  ::epoll_ctl(epoll_, operation, client.socket.fd(), &event);
}

void TCPStoreServer::wake(const std::string& key) {
  auto found = waiting_.find(key);
  if (found == waiting_.end()) return;
  std::unordered_set<uint64_t> ids = std::move(found->second);
  waiting_.erase(found);
  for (uint64_t id : ids) {
    auto it = clients_.find(id);
    if (it == clients_.end()) continue;
    Client& client = *it->second;
    std::string request = std::move(client.request);
    client.request.clear();
    client.waiting_for.clear();
    try {
      serve(client, request);
      if (client.request.empty()) end_wait(client);
    } catch (const std::exception&) {
      drop(id);
    }
  }
}

void TCPStoreServer::end_wait(Client& client) {
  auto range = deadlines_.equal_range(client.deadline);
  for (auto it = range.first; it != range.second; ++it) {
    if (it->second == client.id) {
      deadlines_.erase(it);
      break;
    }
  }
  client.deadline = Clock::time_point::max();
  if (!client.waiting_for.empty()) {
    auto found = waiting_.find(client.waiting_for);
    if (found != waiting_.end()) {
      found->second.erase(client.id);
      if (found->second.empty()) waiting_.erase(found);
    }
  }
  client.waiting_for.clear();
  client.request.clear();
}

void TCPStoreServer::expire() {
  auto now = Clock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    uint64_t id = deadlines_.begin()->second;
    auto found = clients_.find(id);
    if (found == clients_.end()) {
      deadlines_.erase(deadlines_.begin());
      continue;
    }
    end_wait(*found->second);
    try {
      reply(*found->second, Writer(Reply::TimedOut).finish());
    } catch (const std::exception&) {
      drop(id);
    }
  }
}

int TCPStoreServer::next_timeout() const {
  if (deadlines_.empty()) return -1;
  auto left = std::chrono::ceil<Milliseconds>(deadlines_.begin()->first - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60000));
}

void TCPStoreServer::drop(uint64_t id) {
  auto found = clients_.find(id);
  if (found == clients_.end()) return;
  end_wait(*found->second);
  clients_.erase(found);  // closing the socket takes it out of epoll
}

}  // namespace c10d
