#pragma once
// The profiler's collector: what ran when, in buffers of the threads' own.
//
// Note [Profiling]
// While profiling is on, the dispatcher tells of every call (see DispatchTrace.h); the engine and
// record_function add ranges of their own. A range costs two readings of the clock and a row in the
// thread's buffer; nothing is formatted before the end.

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/dispatch/DispatchTrace.h>

namespace at::profiler {

struct Options {
  bool shapes = false, memory = false, stacks = false;
};

enum class RangeKind : uint8_t { operator_call, user, backward };

struct Range {
  const OperatorEntry* op;  // null for named ranges
  int32_t name;             // of named ranges: a place in Profile::names
  int32_t parent;           // in the same thread; -1 for none
  RangeKind kind;
  int64_t start, end;  // nanoseconds of the steady clock; end 0: still open
  int64_t memory;      // bytes allocated less bytes freed
  int32_t inputs;      // a place in Thread::inputs; -1 for none
  int32_t stack;       // a place in Profile::names; -1 for none
};

struct Thread {
  uint64_t id;
  std::vector<Range> ranges;        // by their start
  std::vector<std::string> inputs;  // "float32[2, 3], 1"
};

struct Profile {
  int64_t start = 0, end = 0, wall_start = 0;  // wall: nanoseconds since 1970 at `start`
  std::vector<Thread> threads;
  std::vector<std::string> names;
};

// Gives the Python stack of this thread, the innermost frame first, lines apart; set by the
// bindings.
extern std::string (*python_stack)();

void start(const Options& options);
Profile stop();
inline bool enabled() { return g_call_observers & kProfilerObserver; }

// A named range of this thread. begin gives -1, which end ignores, while profiling is off.
int32_t begin_range(const char* name, RangeKind kind);
void end_range(int32_t handle);

// The same for a scope.
class RangeGuard {
 public:
  RangeGuard(const char* prefix, const char* name) {
    if (__builtin_expect(enabled(), 0)) open(prefix, name);
  }
  ~RangeGuard() {
    if (handle_ >= 0) end_range(handle_);
  }
  RangeGuard(const RangeGuard&) = delete;

 private:
  void open(const char* prefix, const char* name);
  int32_t handle_ = -1;
};

}  // namespace at::profiler
