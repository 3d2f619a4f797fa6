// The slow paths of ForkMutex, and the fork handlers. See Note [Mutexes and fork].

#include <c10/util/ForkMutex.h>

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace c10 {

uint32_t ForkMutex::generation_ = 1;

void ForkMutex::next_generation() { ++generation_; }

const int ForkMutex::heard_ = pthread_atfork(nullptr, nullptr, &ForkMutex::next_generation);

void ForkMutex::wait() {
  uint32_t word = word_.load(std::memory_order_relaxed);
  while (true) {
    if (word == 0 || word >> 1 != generation_) {
      // Other threads may be waiting too: nobody knows, so unlocking checks.
      if (word_.compare_exchange_weak(word, 2 * generation_ + 1, std::memory_order_acquire)) return;
    } else if (word & 1 || word_.compare_exchange_weak(word, word | 1, std::memory_order_relaxed)) {
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, word | 1, nullptr, nullptr, 0);
      word = word_.load(std::memory_order_relaxed);
    }
  }
}

void ForkMutex::wake() { syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

HoldDuringFork* HoldDuringFork::all_ = nullptr;

HoldDuringFork::HoldDuringFork(std::mutex& mutex) : mutex_(mutex), next_(all_) {
  // Handlers run before fork in the reverse order of their registration, so these come before the
  // allocator's, which are registered when libc10 is loaded.
  if (!all_) {
    auto lock = [] {
      for (HoldDuringFork* each = all_; each; each = each->next_) each->mutex_.lock();
    };
    auto unlock = [] {
      for (HoldDuringFork* each = all_; each; each = each->next_) each->mutex_.unlock();
    };
    pthread_atfork(lock, unlock, unlock);
  }
  all_ = this;
}

}  // namespace c10
