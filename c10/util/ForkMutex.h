#pragma once
// Mutexes and fork. The child has only the thread that forked: a mutex held by another thread would
// stay locked forever.
//
// Note [Mutexes and fork]
// ~~~~~~~~~~~~~~~~~~~~~~~
// There are two solutions, and every mutex that a thread may hold without the GIL uses one of them
// (those of the pool and of generators use the first one, with handlers of their own):
//  - ForkMutex: a child finds it free. For one that is held for long, or while Python code runs,
//    which may itself fork. What it guards must be safe to use when found half changed.
//  - HoldDuringFork: fork waits until nobody holds it. For one that guards a container, which must
//    be found whole. It is held briefly, and while it is held no other one is taken but those of
//    the allocator, which fork takes last.

#include <atomic>
#include <cstdint>
#include <mutex>

namespace c10 {

class ForkMutex {
 public:
  ForkMutex() = default;
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  void lock() {
    uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, 2 * generation_, std::memory_order_acquire)) wait();
  }
  void unlock() {
    if (word_.exchange(0, std::memory_order_release) & 1) wake();
  }

 private:
  void wait();
  void wake();

  // The number of forks between this process and the first one, plus one.
  static uint32_t generation_;
  static void next_generation();
  static const int heard_;

  // 0 if free; else twice the generation of the process that locked it, plus one if threads wait.
  std::atomic<uint32_t> word_{0};
};

// Must have static storage, like the mutex.
class HoldDuringFork {
 public:
  explicit HoldDuringFork(std::mutex& mutex);
  HoldDuringFork(const HoldDuringFork&) = delete;
  HoldDuringFork& operator=(const HoldDuringFork&) = delete;

 private:
  static HoldDuringFork* all_;
  std::mutex& mutex_;
  HoldDuringFork* next_;
};

}  // namespace c10
