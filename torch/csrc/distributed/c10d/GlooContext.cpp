// Gloo's context: connections between all ranks of a group.

#include <torch/csrc/distributed/c10d/GlooContext.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include <gloo/transport/context.h>
#include <gloo/transport/tcp/device.h>
#include <netdb.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/HashStore.h>
#include <torch/csrc/distributed/c10d/PrefixStore.h>
#include <torch/csrc/distributed/c10d/TCPStore.h>
#include <torch/csrc/distributed/c10d/format.h>
#include <unistd.h>

namespace c10d {
namespace {

// Addresses differ in length: each is sent with its own.
void append_address(std::string& all, const std::vector<char>& address) {
  auto size = static_cast<uint32_t>(address.size());
  all.append(reinterpret_cast<const char*>(&size), sizeof size);
  all.append(address.data(), address.size());
}

// The address that rank `from` published for rank `to`. It has none for itself.
std::vector<char> address_in(const std::string& all, int from, int to) {
  size_t at = 0;
  for (int rank = 0; at + sizeof(uint32_t) <= all.size(); ++rank) {
    if (rank == from) continue;
    uint32_t size;
    std::memcpy(&size, &all[at], sizeof size);
    at += sizeof size;
    if (size > all.size() - at) break;
    if (rank == to)
      return {all.begin() + static_cast<int64_t>(at),
              all.begin() + static_cast<int64_t>(at + size)};
    at += size;
  }
  throw DistBackendError(format(
      "ProcessGroupGloo: rank {} published no address for rank {}; do all ranks have the same "
      "world size?",
      from, to));
}

bool can_listen_at(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
  bool good = false;
  for (addrinfo* a = found; a && !good; a = a->ai_next) {
    int fd = ::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    good = ::bind(fd, a->ai_addr, a->ai_addrlen) == 0;
    ::close(fd);
  }
  ::freeaddrinfo(found);
  return good;
}

// Whether all ranks are on this machine, as far as the store says.
bool store_is_local(const Store& store) {
  if (auto* prefix = dynamic_cast<const PrefixStore*>(&store))
    return store_is_local(*prefix->underlying());
  if (dynamic_cast<const HashStore*>(&store)) return true;
  auto* tcp = dynamic_cast<const TCPStore*>(&store);
  return tcp &&
         (tcp->host() == "localhost" || tcp->host() == "::1" || tcp->host().rfind("127.", 0) == 0);
}

}  // namespace

std::shared_ptr<gloo::transport::Device> gloo_device(const std::string& interface,
                                                     const std::string& host) {
  // A device has a thread and serves all groups of the process.
  static std::mutex mutex;
  static auto* devices =
      new std::map<std::pair<std::string, std::string>, std::weak_ptr<gloo::transport::Device>>();
  std::lock_guard<std::mutex> lock(mutex);
  auto& known = (*devices)[{interface, host}];
  auto device = known.lock();
  if (device) return device;
  gloo::transport::tcp::attr where;
  where.iface = interface;
  where.hostname = host;
  try {
    device = gloo::transport::tcp::CreateDevice(where);
  } catch (const std::exception& e) {
    throw DistBackendError(
        format("ProcessGroupGloo: cannot listen at interface '{}', host '{}': {}", interface, host,
               e.what()));
  }
  known = device;
  return device;
}

// Note [Where Gloo listens]
// The interface that GLOO_SOCKET_IFNAME names. Otherwise the loopback device, if the ranks meet at
// a store there. Otherwise the address of this machine's name, if it has one.
std::shared_ptr<gloo::transport::Device> default_gloo_device(const Store& store) {
  if (const char* names = std::getenv("GLOO_SOCKET_IFNAME"); names && *names) {
    std::string first(names);
    return gloo_device(first.substr(0, first.find(',')), "");
  }
  char host[256] = "";
  if (!store_is_local(store) && ::gethostname(host, sizeof host - 1) == 0 && can_listen_at(host)) {
    return gloo_device("", host);
  }
  return gloo_device("", "127.0.0.1");
}

uint32_t tag_of(uint32_t number, const char* name, uint64_t kind) {
  // Few collectives of a group are under way at a time: 12 bits tell them apart.
  constexpr uint32_t kNumberBits = 12, kHashBits = 31 - kNumberBits;
  uint64_t hash = kind + 0x9e3779b97f4a7c15u;
  for (const char* c = name; *c; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9u;
  auto high = static_cast<uint32_t>(hash >> (64 - kHashBits));
  return high << kNumberBits | (number & ((1u << kNumberBits) - 1));
}

void GlooContext::connect(Store& store, std::shared_ptr<gloo::transport::Device> device,
                          Milliseconds timeout) {
  setTimeout(timeout);
  auto inner = device->createContext(rank, size);
  inner->setTimeout(timeout);
  auto transport = std::make_shared<GlooTransport>(std::move(inner));
  std::string own;
  for (int i = 0; i < size; ++i) {
    if (i == rank) continue;
    append_address(own, transport->createPair(i)->address().bytes());
  }
  auto key = [](int i) { return format("address/{}", i); };
  store.set(key(rank), own);
  std::vector<std::string> keys;
  for (int i = 0; i < size; ++i) keys.push_back(key(i));
  try {
    store.wait(keys, timeout);
  } catch (const DistStoreError&) {
    std::string missing;
    for (int i = 0; i < size; ++i) {
      if (!store.check({key(i)})) missing += format("{}{}", missing.empty() ? "" : ", ", i);
    }
    throw DistBackendError(
        format("ProcessGroupGloo: rank {} waited {} ms for the others to join: missing ranks [{}]",
               rank, timeout.count(), missing));
  }
  for (int i = 0; i < size; ++i) {
    if (i == rank) continue;
    try {
      transport->getPair(i)->connect(address_in(store.get(key(i)), i, rank));
    } catch (const gloo::Exception& e) {
      throw DistBackendError(
          format("ProcessGroupGloo: rank {} cannot connect to rank {}: {}", rank, i, e.what()));
    }
  }
  device_ = std::move(device);
  transport_ = transport.get();
  transportContext_ = std::move(transport);
}

void GlooContext::abort() {
  transport_->end_waits();
  closeConnections();
}

std::vector<int> GlooContext::broken_peers() {
  std::vector<int> found;
  for (int i = 0; i < size; ++i) {
    if (i != rank && transport_->is_closed(i)) found.push_back(i);
  }
  return found;
}

}  // namespace c10d
