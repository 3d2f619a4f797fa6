#pragma once
// A collective under way: what its caller waits for, and what its backend finishes.

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

class Work {
 public:
  virtual ~Work() = default;

  virtual bool is_completed();
  // Whether it has completed, and without an error.
  bool is_success();
  std::exception_ptr exception();
  // Rethrows the error of the work. A timeout of 0 is none; one that passes is a DistBackendError.
  virtual bool wait(Milliseconds timeout = Milliseconds(0));
  virtual void abort();
  int source_rank() const { return source_rank_; }

  std::vector<at::Tensor> result;

  // Ends the work. The first call counts.
  void finish(std::exception_ptr error = nullptr);
  // Calls f when the work has ended, at once if it has. f may run on a thread of the backend.
  void when_finished(std::function<void()> f);

 protected:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr error_;
  std::vector<std::function<void()>> callbacks_;
  int source_rank_ = -1;
};

}  // namespace c10d
