#pragma once
// The profiler's collector: what ran when, in buffers of the threads' own.
//
// Note [Profiling]
// While profiling is on, the dispatcher tells of every call (see DispatchTrace.h); the engine,
// record_function and the bindings' tracer of Python add ranges of their own. A range costs two
// readings of the clock and a row in the thread's buffer; nothing is formatted before the end.
// Several profiles may run at once: each gets what began after it did.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/dispatch/DispatchTrace.h>

namespace at {
class Tensor;
}

namespace at::profiler {

// What a profile asks for, as bits.
enum Option : uint32_t {
  kShapes = 1,
  kMemory = 2,
  kFlops = 4,
  kStacks = 8,    // Python functions as ranges: by the tracer of the bindings
  kModules = 16,  // nn.Modules as ranges
  kCppStacks = 32
};

enum class RangeKind : uint8_t {
  operator_call,
  user,      // record_function
  evaluate,  // a node of a backward pass, with its hooks and the summing up
  node,      // the node itself
  function,  // the forward of a torch.autograd.Function
  python,    // a Python function
  c_function,
  module
};

struct Range {
  const OperatorEntry* op;  // null for named ranges
  int32_t name;             // of named ranges: a place in Thread::names, or the tracer's number
  int32_t parent;           // in the same thread; -1 for none
  int64_t start, end;       // nanoseconds of the steady clock; end 0 while it is open
  int64_t sequence_nr;      // of autograd; -1 for none
  const void* node;         // of evaluate and node
  int64_t arguments;        // a place in Thread::words; -1 for none
  int32_t cpp_stack;        // a place in Thread::cpp_stacks; -1 for none
  int32_t position;         // where the innermost Python frame stands: the tracer's business
  RangeKind kind;
};

// A block allocated (bytes > 0) or freed. range: the innermost open one, -1 for none.
struct MemoryChange {
  int64_t time;
  const void* address;
  int64_t nbytes, allocated;
  int32_t range;
};

// The making of a node while some range began at `time`.
struct NodeMade {
  const void* node;
  int64_t time;
};

struct Thread {
  uint64_t id;                // the system's
  int32_t number;             // counted from 1
  std::vector<Range> ranges;  // by their start
  std::vector<int64_t> words;
  std::vector<MemoryChange> memory;
  std::vector<NodeMade> nodes;
  std::vector<std::vector<void*>> cpp_stacks;
  std::vector<std::string> names;
};

struct Profile {
  int64_t start = 0, end = 0, wall_start = 0;  // wall: nanoseconds since 1970 at `start`
  std::vector<Thread> threads;
};

// A profile's number, for stop. Profiles need not end in the order in which they began.
uint64_t start(uint32_t options);
Profile stop(uint64_t profile);
// Between the two nothing new is recorded.
void pause();
void resume();
inline bool enabled() { return g_call_observers & kProfilerObserver; }
// What the profiles under way ask for, together.
extern std::atomic<uint32_t> g_options;
inline bool wants(uint32_t options) { return g_options.load(std::memory_order_relaxed) & options; }

// --- ranges of this thread -----------------------------------------------------------------------

// What a named range has beside its name.
struct RangeDetails {
  const void* node = nullptr;
  int64_t sequence_nr = -1;
  const ObservedArgument* arguments = nullptr;
  int count = 0;  // of arguments
};
// A named range. begin gives -1, which end ignores, while profiling is off.
int64_t begin_range(const char* name, RangeKind kind, const RangeDetails& details = {});
void end_range(int64_t handle);
// One whose name is a number of the caller's.
int64_t begin_numbered_range(int32_t number, RangeKind kind);
// Ends a Python function's range. Ranges of record_function that were opened in it and stay open
// (a generator that yields inside of one) are moved out of it, and its end to their beginning.
void end_function_range(int64_t handle);
// Makes this thread known to the recording before its first range.
void greet();
// A node of a backward pass was made.
void note_node(const void* node);

// --- for the layers above ------------------------------------------------------------------------

// The number that this thread's next node gets.
extern uint64_t (*next_sequence_nr)();
// Called when a thread records its first range with kStacks; true: need not be called
// again.
extern bool (*on_new_thread)();
// Where the innermost Python frame of this thread stands.
extern int32_t (*python_position)();

// The range of a scope, once it is opened.
class RangeGuard {
 public:
  RangeGuard() = default;
  ~RangeGuard() {
    if (handle_ >= 0) end_range(handle_);
  }
  RangeGuard(const RangeGuard&) = delete;
  void open(const char* name, RangeKind kind, const RangeDetails& details) {
    handle_ = begin_range(name, kind, details);
  }

 private:
  int64_t handle_ = -1;
};

// The range of a node that is being evaluated; with its gradients, of one that is applied.
class NodeGuard : RangeGuard {
 public:
  template <typename Node>
  NodeGuard(const Node& node, RangeKind kind, const std::vector<Tensor>* gradients = nullptr) {
    if (__builtin_expect(enabled(), 0))
      open_node(node.name(), kind, &node, node.sequence_nr(), gradients);
  }

 private:
  void open_node(const char* name, RangeKind kind, const void* node, uint64_t sequence_nr,
                 const std::vector<Tensor>* gradients);
};

}  // namespace at::profiler
