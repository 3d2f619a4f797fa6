#pragma once
// What TCPStore's clients and server say to each other.
//
// A client sends kHello once, then requests, and waits for the reply to each. A request is the
// length of what follows (32 bits), a Request, and its arguments; a reply is a length, a Reply, and
// the result. Integers have 64 bits, strings and lists start with their length in 32. Nothing that
// is received is executed or unpickled: values stay bytes.

#include <cstring>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Error.h>

namespace c10d {

constexpr char kHello[8] = {'t', 's', 't', 'o', 'r', 'e', '0', '1'};
constexpr uint32_t kMaxMessage = 1u << 30;

enum class Request : uint8_t {
  Set,
  Get,
  Add,
  CompareSet,
  Delete,
  Check,
  NumKeys,
  ListKeys,
  Wait,
  Append,
  MultiGet,
  MultiSet,
  Push,
  Pop,
  QueueLen,
};  // clang-format keeps this on one line
enum class Reply : uint8_t { Done, TimedOut, BadValue, QueueEmpty };

class Writer {
 public:
  Writer() : bytes_(sizeof(uint32_t), '\0') {}
  template <typename Kind>
  explicit Writer(Kind kind) : Writer() {
    bytes_.push_back(static_cast<char>(kind));
  }
  void put(int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(const std::string& text) {
    put_size(text.size());
    bytes_ += text;
  }
  void put(const std::vector<std::string>& list) {
    put_size(list.size());
    for (const auto& text : list) put(text);
  }
  // The whole message.
  const std::string& finish() {
    size_t size = bytes_.size() - sizeof(uint32_t);
    TORCH_CHECK_VALUE(size <= kMaxMessage, "the store takes no message of ", size,
                      " bytes; at most ", kMaxMessage);
    uint32_t length = static_cast<uint32_t>(size);
    std::memcpy(bytes_.data(), &length, sizeof length);
    return bytes_;
  }

 private:
  void put_size(size_t size) {
    TORCH_CHECK_VALUE(size <= kMaxMessage, "the store takes no value of ", size, " bytes; at most ",
                      kMaxMessage);
    uint32_t length = static_cast<uint32_t>(size);
    bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
  }
  std::string bytes_;
};

// Throws DistNetworkError where a message is shorter than it says.
class Reader {
 public:
  Reader(const char* data, size_t size) : at_(data), end_(data + size) {}
  uint8_t byte() { return static_cast<uint8_t>(*take(1)); }
  int64_t number() {
    int64_t value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    uint32_t size = length();
    return {take(size), size};
  }
  std::vector<std::string> list() {
    std::vector<std::string> found;
    for (uint32_t left = length(); left > 0; --left) found.push_back(text());
    return found;
  }

 private:
  uint32_t length() {
    uint32_t value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  const char* take(size_t size) {
    if (size > static_cast<size_t>(end_ - at_))
      throw DistNetworkError("a message of the store is damaged");
    const char* start = at_;
    at_ += size;
    return start;
  }
  const char *at_, *end_;
};

}  // namespace c10d
