#pragma once
// Free ranges of a space of bytes: of the addresses of an arena, of the offsets of a file.

#include <cstddef>
#include <iterator>
#include <map>

namespace torch_emulated_cuda {

class Ranges {
 public:
  static constexpr size_t kNone = ~size_t{0};

  explicit Ranges(size_t size) : size_(size) {}

  // Where so many bytes begin; kNone if there is no room.
  size_t take(size_t bytes) {
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      if (at->second < bytes) continue;
      const size_t found = at->first, rest = at->second - bytes;
      free_.erase(at);
      if (rest) free_[found + bytes] = rest;
      return found;
    }
    if (bytes > size_ - top_) return kNone;
    const size_t found = top_;
    top_ += bytes;
    return found;
  }

  void give_back(size_t at, size_t bytes) {
    auto next = free_.lower_bound(at);
    if (next != free_.end() && at + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += bytes;
        return;
      }
    }
    free_[at] = bytes;
  }

  // Everything behind was never used.
  size_t top() const { return top_; }

 private:
  size_t size_, top_ = 0;
  std::map<size_t, size_t> free_;  // below top
};

}  // namespace torch_emulated_cuda
