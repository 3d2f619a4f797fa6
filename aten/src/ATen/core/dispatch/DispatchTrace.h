#pragma once
// Observers of calls; see Note [Kernel tables] for how a call notices them. Without observers, a
// call tests one word.

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>
#include <c10/util/Backtrace.h>

namespace at {

// --- observers ----------------------------------------------------------------------------------

constexpr uint32_t kTraceObserver = 1;
constexpr uint32_t kProfilerObserver = 2;
constexpr uint32_t kCrashObserver =
    4;  // records the running operator for the report of a fatal signal

struct CallObserver {
  void (*enter)(ObservedCall& call);
  void (*leave)(ObservedCall& call);
};
// The steady clock in nanoseconds, used for all times of observers.
int64_t observer_clock();
// Installs an observer, or removes it if null. Any thread may call it; observers of running calls
// are still notified of the end.
void set_call_observer(uint32_t bit, const CallObserver* observer);

// --- the trace ----------------------------------------------------------------------------------

// What a line shows besides operator and key. From TORCH_DISPATCH_TRACE_DETAILS=kernel,args,time or
// =all.
constexpr uint32_t kTraceKernel = 1, kTraceArguments = 2, kTraceTime = 4, kTraceAll = 7;

void set_dispatch_trace(bool on);
bool dispatch_trace_enabled();
void set_dispatch_trace_details(uint32_t details);
uint32_t dispatch_trace_details();
// Whether lines go to standard error (the default).
void set_dispatch_trace_print(bool on);

struct TraceRecord {
  std::string kind, name, key;  // "call", "aten::add.Tensor", "CPU"
  int depth;
  std::string kernel, file;  // "" without kTraceKernel, or if the kernel is unknown
  int line;
  std::string arguments;
  double microseconds;  // negative without kTraceTime
};
// Between the two calls, records are kept in addition to being printed.
void start_trace_records();
std::vector<TraceRecord> take_trace_records();

// A kernel with several ways says in the trace which one it takes: note_way("convolution",
// "oneDNN").
void record_backend_slow(const char* what, const char* way);
inline void record_backend(const char* what, const char* way) {
  if (__builtin_expect(g_call_observers & kTraceObserver, 0)) record_backend_slow(what, way);
}

// Launches of kernels on devices are shown with the details of kernels: a backend is told whether
// to report them, now and after each change, and reports their shapes as text.
void watch_launches_by(void (*watch)(bool on));
void record_launch(const void* kernel, const std::string& shape);

// The innermost running operator of this thread, such as "aten::add.Tensor"; "" while they are not
// recorded (observe_for_crash_report).
std::string running_operator();

// --- descriptions of calls ----------------------------------------------------------------------

// Address and name of the kernel that a key leads to. Empty if unknown.
struct KernelPlace {
  const char* name = nullptr;
  void* address = nullptr;
};
KernelPlace kernel_of(const OperatorEntry& op, c10::DispatchKeySet keys);
// The function at an address, without its parameters, and its file and line.
const c10::CodePlace& place_of_kernel(void* address);
// "float32[2, 3], 1"
std::string describe_arguments(const ObservedArgument* arguments, int count);

}  // namespace at
