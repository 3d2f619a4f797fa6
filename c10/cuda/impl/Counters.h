#pragma once
// Counters in a file that several processes map.

#include <atomic>
#include <memory>
#include <vector>

#include <c10/cuda/impl/SharedFile.h>

namespace c10::cuda::impl {

class Counters {
 public:
  using Counter = std::atomic<int64_t>;

  // A new file; throws if there is none.
  Counters();
  // That of another process, mapped once for all who use it. Null if the process has ended.
  static std::shared_ptr<Counters> of(const FileId& file);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  const FileId& file() const { return file_; }
  bool has(size_t index) const;
  Counter& operator[](size_t index) { return values_[index]; }
  // Of a file of this process: a counter of 0, and its return.
  bool is_full() const { return unused_.empty(); }
  size_t take();
  void give_back(size_t index) { unused_.push_back(index); }

 private:
  explicit Counters(const FileId& file) : file_(file) {}
  bool map(int descriptor);

  FileId file_;
  Counter* values_ = nullptr;
  std::vector<size_t> unused_;
};

}  // namespace c10::cuda::impl
