// A collective under way.

#include <torch/csrc/distributed/c10d/Work.h>

#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/interrupts.h>

namespace c10d {

bool Work::is_completed() {
  std::lock_guard<std::mutex> lock(mutex_);
  return done_;
}

bool Work::is_success() {
  std::lock_guard<std::mutex> lock(mutex_);
  return done_ && !error_;
}

std::exception_ptr Work::exception() {
  std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

bool Work::wait(Milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto deadline = timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max();
  if (!wait_interruptibly(ended_, lock, deadline, [&] { return done_; })) {
    throw DistBackendError(
        format("Work.wait(): the collective has not ended after {} ms", timeout.count()));
  }
  if (error_) std::rethrow_exception(error_);
  return true;
}

void Work::abort() {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "Work.abort(): this backend cannot stop a collective; abort its process group");
}

void Work::finish(std::exception_ptr error) {
  std::vector<std::function<void()>> callbacks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (done_) return;
    done_ = true;
    error_ = std::move(error);
    callbacks.swap(callbacks_);
    ended_.notify_all();
  }
  for (auto& f : callbacks) f();
}

void Work::when_finished(std::function<void()> f) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!done_) {
      callbacks_.push_back(std::move(f));
      return;
    }
  }
  f();
}

}  // namespace c10d
