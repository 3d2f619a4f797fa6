#pragma once
// Ctrl-C in a program that waits in C++. The library knows no Python: the bindings set the hooks.

#include <condition_variable>
#include <functional>
#include <mutex>

#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

// Ends a wait that cannot look at signals itself, such as one inside an engine: `stop` is called on
// another thread when the program is interrupted while the guard lives.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> stop);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  std::function<void()> stop;
};

struct InterruptHooks {
  // Throws if the calling thread is to be interrupted.
  void (*check)() = nullptr;
  void (*enter)(InterruptGuard*) = nullptr;
  void (*leave)(InterruptGuard*) = nullptr;
};
void set_interrupt_hooks(InterruptHooks hooks);

// Throws if the calling thread is to be interrupted. It may wait for the interpreter: the caller
// must hold no lock that a thread with the interpreter's lock takes.
void check_interrupts();
// How often a thread that waits calls it.
constexpr Milliseconds kInterruptInterval(100);

// Waits for `f()`, which is called under the lock. False if the deadline passed.
template <typename F>
bool wait_interruptibly(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                        Clock::time_point deadline, F&& f) {
  while (true) {
    auto until = std::min(deadline, Clock::now() + kInterruptInterval);
    if (changed.wait_until(lock, until, f)) return true;
    if (Clock::now() >= deadline) return false;
    lock.unlock();
    check_interrupts();
    lock.lock();
  }
}

}  // namespace c10d
