#pragma once
// Guards of the global interpreter lock, under the names that pybind11 gave them. Nothing else in
// torch/csrc takes or releases the lock (test/test_source_rules.py).

#include <torch/csrc/python_headers.h>

namespace torch {

// Holds the lock; this thread may have it already, and need not be one that Python made.
class gil_scoped_acquire {
 public:
  gil_scoped_acquire() : state_(PyGILState_Ensure()) {}
  ~gil_scoped_acquire() { PyGILState_Release(state_); }
  gil_scoped_acquire(const gil_scoped_acquire&) = delete;
  gil_scoped_acquire& operator=(const gil_scoped_acquire&) = delete;

 private:
  PyGILState_STATE state_;
};

// Lets other threads run Python while this one computes or waits. No Python object may be touched.
class gil_scoped_release {
 public:
  // With `release` false nothing happens: a small operator keeps the lock.
  explicit gil_scoped_release(bool release = true)
      : thread_(release ? PyEval_SaveThread() : nullptr) {}
  ~gil_scoped_release() {
    if (thread_) PyEval_RestoreThread(thread_);
  }
  gil_scoped_release(const gil_scoped_release&) = delete;
  gil_scoped_release& operator=(const gil_scoped_release&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace torch
