// The clients of TCPStore.

#include <torch/csrc/distributed/c10d/TCPStore.h>

#include <unordered_map>

#include <torch/csrc/distributed/c10d/TCPStoreServer.h>
#include <torch/csrc/distributed/c10d/format.h>

namespace c10d {
namespace {

// The server of a port, which stores of one process share if they all ask for it.
std::shared_ptr<TCPStoreServer> server_for(const std::string& host,
                                           const TCPStoreOptions& options) {
  static std::mutex mutex;
  static auto* shared = new std::unordered_map<int, std::weak_ptr<TCPStoreServer>>();
  std::lock_guard<std::mutex> lock(mutex);
  if (options.multi_tenant && options.port != 0) {
    auto found = shared->find(options.port);
    if (found != shared->end()) {
      if (auto server = found->second.lock()) return server;
    }
  }
  Socket listener = options.listen_fd ? adopt_listener(*options.listen_fd, options.port)
                                      : listen_at(host, options.port);
  auto server = std::make_shared<TCPStoreServer>(std::move(listener));
  if (options.multi_tenant) (*shared)[server->port()] = server;
  return server;
}

}  // namespace

TCPStore::TCPStore(std::string host, const TCPStoreOptions& options)
    : host_(std::move(host)), port_(options.port) {
  TORCH_CHECK_VALUE(port_ >= 0 && port_ <= 65535, "TCPStore: expected a port from 0 to 65535, got ",
                    port_);
  TORCH_CHECK_VALUE(!options.world_size || *options.world_size >= 1 || *options.world_size == -1,
                    "TCPStore: expected a world_size of at least 1, got ", *options.world_size);
  timeout_ = options.timeout;
  if (options.is_server) {
    server_ = server_for(host_, options);
    port_ = server_->port();
  }
  TORCH_CHECK_VALUE(port_ != 0, "TCPStore: a client needs the server's port, got 0");
  connect();
  if (options.world_size && *options.world_size > 0 && options.wait_for_workers)
    wait_for_workers(*options.world_size);
}

TCPStore::TCPStore(std::string host, int port, Milliseconds timeout)
    : host_(std::move(host)), port_(port) {
  timeout_ = timeout;
  connect();
}

TCPStore::~TCPStore() = default;

void TCPStore::connect() {
  // The server of this process may listen at an address that the name does not resolve to.
  socket_ = connect_to(host_.empty() ? "localhost" : host_, port_, timeout_);
  socket_.send_all(kHello, sizeof kHello, Clock::now() + timeout_, describe());
  interrupted_ = false;
}

void TCPStore::wait_for_workers(int64_t world_size) {
  const std::string joined = "init/joined", all = "init/all";
  int64_t count = add(joined, 1);
  if (count == world_size) set(all, "1");
  if (!server_) return;
  try {
    wait({all}, timeout_);
  } catch (const DistStoreError&) {
    throw DistStoreError(
        format("TCPStore: timed out after {} ms waiting for clients: {} of {} joined",
               timeout_.count(), add(joined, 0), world_size));
  }
}

std::string TCPStore::ask(Writer& request, const std::vector<std::string>& keys,
                          Milliseconds extra) {
  const std::string& bytes = request.finish();
  std::string peer = format("{}:{}", host_, port_);
  if (owner_ == std::this_thread::get_id()) {
    throw DistStoreError(format(
        "the store at {} waits for a reply already; the handler of a signal cannot use it", peer));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  struct Owned {
    explicit Owned(std::atomic<std::thread::id>& o) : owner(o) {
      owner = std::this_thread::get_id();
    }
    ~Owned() { owner = std::thread::id(); }
    std::atomic<std::thread::id>& owner;
  } owned(owner_);
  if (interrupted_) connect();
  if (!socket_.is_open()) {
    throw DistNetworkError(format("the connection to the store at {} was lost before", peer));
  }
  std::string answer;
  try {
    auto deadline = Clock::now() + extra + reply_time_.load();
    socket_.send_all(bytes.data(), bytes.size(), deadline, peer);
    uint32_t size = 0;
    socket_.receive_all(reinterpret_cast<char*>(&size), sizeof size, deadline, peer);
    if (size == 0 || size > kMaxMessage)
      throw DistNetworkError("what answers at " + peer + " is no store");
    answer.resize(size);
    socket_.receive_all(answer.data(), size, deadline, peer);
  } catch (const DistNetworkError&) {
    socket_.close();  // a late reply must not be taken for that to another request
    throw;
  } catch (...) {  // Ctrl-C; the server is well
    socket_.close();
    interrupted_ = true;
    throw;
  }
  switch (static_cast<Reply>(answer[0])) {
    case Reply::Done:
      return answer.substr(1);
    case Reply::TimedOut:
      throw_wait_timeout(keys, extra);
    case Reply::QueueEmpty:
      throw QueueEmptyError(format("queue_pop(): the queue '{}' is empty", keys[0]));
    case Reply::BadValue: {
      Reader in(answer.data() + 1, answer.size() - 1);
      throw c10::ValueError(in.text());
    }
  }
  throw DistNetworkError("what answers at " + peer + " is no store");
}

static Reader reader(const std::string& answer) { return {answer.data(), answer.size()}; }

void TCPStore::set(const std::string& key, const std::string& value) {
  Writer w(Request::Set);
  w.put(key);
  w.put(value);
  ask(w, {key});
}

std::string TCPStore::get(const std::string& key) {
  Writer w(Request::Get);
  w.put(timeout_.count());
  w.put(key);
  std::string answer = ask(w, {key}, timeout_);
  return reader(answer).text();
}

int64_t TCPStore::add(const std::string& key, int64_t value) {
  Writer w(Request::Add);
  w.put(key);
  w.put(value);
  std::string answer = ask(w, {key});
  return reader(answer).number();
}

std::string TCPStore::compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) {
  Writer w(Request::CompareSet);
  w.put(key);
  w.put(expected);
  w.put(desired);
  std::string answer = ask(w, {key});
  return reader(answer).text();
}

bool TCPStore::delete_key(const std::string& key) {
  Writer w(Request::Delete);
  w.put(key);
  std::string answer = ask(w, {key});
  return reader(answer).number() != 0;
}

bool TCPStore::check(const std::vector<std::string>& keys) {
  Writer w(Request::Check);
  w.put(keys);
  std::string answer = ask(w, keys);
  return reader(answer).number() != 0;
}

int64_t TCPStore::num_keys() {
  Writer w(Request::NumKeys);
  std::string answer = ask(w, {});
  return reader(answer).number();
}

std::vector<std::string> TCPStore::list_keys() {
  Writer w(Request::ListKeys);
  std::string answer = ask(w, {});
  return reader(answer).list();
}

void TCPStore::wait(const std::vector<std::string>& keys, Milliseconds timeout) {
  Writer w(Request::Wait);
  w.put(timeout.count());
  w.put(keys);
  ask(w, keys, timeout);
}

void TCPStore::append(const std::string& key, const std::string& value) {
  Writer w(Request::Append);
  w.put(key);
  w.put(value);
  ask(w, {key});
}

std::vector<std::string> TCPStore::multi_get(const std::vector<std::string>& keys) {
  Writer w(Request::MultiGet);
  w.put(timeout_.count());
  w.put(keys);
  std::string answer = ask(w, keys, timeout_);
  return reader(answer).list();
}

void TCPStore::multi_set(const std::vector<std::string>& keys,
                         const std::vector<std::string>& values) {
  TORCH_CHECK_VALUE(keys.size() == values.size(), "multi_set(): got ", keys.size(), " keys and ",
                    values.size(), " values");
  Writer w(Request::MultiSet);
  w.put(keys);
  w.put(values);
  ask(w, keys);
}

void TCPStore::queue_push(const std::string& key, const std::string& value) {
  Writer w(Request::Push);
  w.put(key);
  w.put(value);
  ask(w, {key});
}

std::string TCPStore::queue_pop(const std::string& key, bool block) {
  Writer w(Request::Pop);
  w.put(block ? timeout_.count() : int64_t{-1});
  w.put(key);
  std::string answer = ask(w, {key}, block ? timeout_ : Milliseconds(0));
  return reader(answer).text();
}

int64_t TCPStore::queue_len(const std::string& key) {
  Writer w(Request::QueueLen);
  w.put(key);
  std::string answer = ask(w, {key});
  return reader(answer).number();
}

std::shared_ptr<Store> TCPStore::clone() {
  auto copy = std::shared_ptr<TCPStore>(new TCPStore(host_, port_, timeout_));
  copy->server_ = server_;
  return copy;
}

std::string TCPStore::describe() const {
  return format("TCPStore({}:{}{})", host_, port_, server_ ? ", server" : "");
}

}  // namespace c10d
