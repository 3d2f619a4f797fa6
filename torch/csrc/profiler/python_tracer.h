#pragma once
// Python's part of a profile: its functions and nn.Modules as ranges.

#include <Python.h>

#include <ATen/core/profiler/Collector.h>

namespace torch::profiler {

// Ranges of kind python, c_function and module carry a number of one of these. All calls here need
// the GIL.

// Makes the tracer known to the collector.
void init_tracer();
// Throws where another profiler of Python runs in this thread. Threads are traced from their first
// range on; the functions that are open then become ranges too.
void check_for_other_tracers();
// This thread's tracing ends at once if no profile wants it; others' at their next call.
void stop_tracing();
// Frees what names need, when no profile is left that has them.
void forget_names();

// "nn.Module: Linear_0" for the first Linear that was called, and so on.
int64_t begin_module(PyObject* module);

// The range of a module's call, where a profile asks for those.
class ModuleRange {
 public:
  explicit ModuleRange(PyObject* module) {
    if (__builtin_expect(at::profiler::enabled(), 0)) open(module);
  }
  ~ModuleRange() {
    if (handle_ >= 0) at::profiler::end_range(handle_);
  }
  ModuleRange(const ModuleRange&) = delete;

 private:
  void open(PyObject* module) {
    if (at::profiler::wants(at::profiler::kStacks | at::profiler::kModules))
      handle_ = begin_module(module);
  }
  int64_t handle_ = -1;
};

// The name of a numbered range.
std::string name_of(const at::profiler::Range& range);
// "file(line): function" of a python range, at the place that `position` says.
std::string frame_at(const at::profiler::Range& range, int32_t position);

}  // namespace torch::profiler
