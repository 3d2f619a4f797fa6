#pragma once
// The most recently used plans: what is computed once for each length. A cache must have static
// storage (HoldDuringFork).

#include <list>
#include <memory>
#include <mutex>

#include <c10/util/ForkMutex.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename Plan>
class PlanCache {
 public:
  // The plan for a length; `vectorize` asks for one whose single transforms use vectors.
  std::shared_ptr<const Plan> get(size_t n, bool vectorize) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (auto it = entries_.begin(); it != entries_.end(); ++it) {
        if (it->n == n && it->vectorize == vectorize) {
          if (it != entries_.begin()) entries_.splice(entries_.begin(), entries_, it);
          return it->plan;
        }
      }
    }
    auto plan = std::make_shared<const Plan>(n, vectorize);
    std::lock_guard<std::mutex> lock(mutex_);
    entries_.push_front({n, vectorize, plan});
    total_ += n;
    while (entries_.size() > 1 && (entries_.size() > kMaxPlans || total_ > kMaxTotal)) {
      total_ -= entries_.back().n;
      entries_.pop_back();
    }
    return plan;
  }

 private:
  struct Entry {
    size_t n;
    bool vectorize;
    std::shared_ptr<const Plan> plan;
  };
  static constexpr size_t kMaxPlans = 64;
  // The sum of the lengths: a plan holds a few numbers for each point.
  static constexpr size_t kMaxTotal = size_t(1) << 22;

  std::mutex mutex_;
  c10::HoldDuringFork hold_{mutex_};
  std::list<Entry> entries_;
  size_t total_ = 0;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
