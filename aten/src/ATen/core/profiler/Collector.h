#pragma once
// The profiler's collector: records what ran when, in one buffer per thread.
//
// Note [Profiling]
// While profiling is on, the dispatcher reports every call (see DispatchTrace.h); the engine,
// record_function and the bindings' Python tracer add ranges of their own. A range costs two
// readings of the clock and a row in the thread's buffer; nothing is formatted before the end.
// Several profiles may run at once: each gets the ranges that began after it started.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/dispatch/DispatchTrace.h>

namespace at {
class Tensor;
}

namespace at::profiler {

// What a profile records, as bits.
enum Option : uint32_t {
  kShapes = 1,
  kMemory = 2,
  kFlops = 4,
  kStacks = 8,    // Python functions as ranges, from the bindings' tracer
  kModules = 16,  // nn.Modules as ranges
  kCppStacks = 32,
  kDeviceWork = 64,  // the device's listener is told of ranges
  kMarks = 128,      // so is the listener for marks; the profile keeps no rows of its own
  kRows = 256        // what a profile without kMarks asks for
};

enum class RangeKind : uint8_t {
  operator_call,
  user,      // record_function
  evaluate,  // a node of a backward pass, with its hooks and the accumulation
  node,      // the node itself
  function,  // the forward of a torch.autograd.Function
  python,    // a Python function
  c_function,
  module
};

struct Range {
  const OperatorEntry* op;  // null for named ranges
  int32_t name;             // of named ranges: an index into Thread::names, or the tracer's number
  int32_t parent;           // index in the same thread; -1 for none
  int64_t start, end;       // nanoseconds of the steady clock; end 0 while it is open
  int64_t sequence_nr;      // of autograd; -1 for none
  const void* node;         // of evaluate and node
  int64_t arguments;        // an index into Thread::words; -1 for none
  int32_t cpp_stack;        // an index into Thread::cpp_stacks; -1 for none
  int32_t position;         // the innermost Python frame's position, encoded by the tracer
  RangeKind kind;
  uint8_t told;  // which listeners were told of it
};

// A block allocated (bytes > 0) or freed. range: the innermost open one, -1 for none.
struct MemoryChange {
  int64_t time;
  const void* address;
  int64_t nbytes, allocated;
  int32_t range;
  int32_t device = -1;   // the GPU; -1 for the CPU
  int64_t reserved = 0;  // what the device's allocator holds
};

// The creation of a node while the range that began at `time` was open.
struct NodeMade {
  const void* node;
  int64_t time;
};

struct Thread {
  uint64_t id;                // the system's id
  int32_t number;             // counted from 1
  int32_t first = 0;          // of a profile: how many ranges came before it
  std::vector<Range> ranges;  // sorted by start
  std::vector<int64_t> words;
  std::vector<MemoryChange> memory;
  std::vector<NodeMade> nodes;
  std::vector<std::vector<void*>> cpp_stacks;
  std::vector<std::string> names;
};

struct Profile {
  int64_t start = 0, end = 0, wall_start = 0;  // wall: nanoseconds since 1970 at `start`
  uint64_t run = 0;                            // see range_id
  std::vector<Thread> threads;
};

// A profile's number, for stop. Profiles may end in any order.
uint64_t start(uint32_t options);
Profile stop(uint64_t profile);
// Nothing new is recorded between the two.
void pause();
void resume();
inline bool enabled() { return g_call_observers & kProfilerObserver; }
// The union of what the running profiles record.
extern std::atomic<uint32_t> g_options;
inline bool wants(uint32_t options) { return g_options.load(std::memory_order_relaxed) & options; }

// --- ranges of this thread -----------------------------------------------------------------------

// Optional data of a named range.
struct RangeDetails {
  const void* node = nullptr;
  int64_t sequence_nr = -1;
  const ObservedArgument* arguments = nullptr;
  int count = 0;  // number of arguments
};
// A named range. begin returns -1, which end ignores, while profiling is off.
int64_t begin_range(const char* name, RangeKind kind, const RangeDetails& details = {});
void end_range(int64_t handle);
// A range whose name is a number chosen by the caller.
int64_t begin_numbered_range(int32_t number, RangeKind kind);
// Ends a Python function's range. Ranges of record_function that were opened in it and are still
// open (a generator that yields inside of one) are moved out of it, and it ends where they begin.
void end_function_range(int64_t handle);
// Registers this thread with the recording before its first range.
void announce_thread();
// Records that a node of a backward pass was created.
void note_node(const void* node);
// Records a block of a GPU that was allocated (nbytes > 0) or freed.
void note_device_memory(int32_t device, const void* address, int64_t nbytes, int64_t allocated,
                        int64_t reserved);

// --- listeners -----------------------------------------------------------------------------------

// A library that is told when ranges begin and end, on their thread, while a profile asks for it:
// it links GPU work to them, or shows them in another tool. Ranges of Python's functions and
// modules are left out.
struct RangeListener {
  void (*begin)(const Thread& thread, const Range& range, uint64_t id);
  void (*end)();
};
// Of kDeviceWork or kMarks. It must exist until the process ends.
void set_range_listener(Option option, const RangeListener* listener);
// The id of a range: `index` counts the thread's ranges since the run began, the time between the
// start of the first of several profiles and the end of the last. Older ids are of another run.
constexpr uint64_t range_id(uint64_t run, int32_t thread, int32_t index) {
  return (run & 0xffff) << 48 | (static_cast<uint64_t>(thread) & 0xffff) << 32 |
         static_cast<uint32_t>(index);
}

// --- for the layers above ------------------------------------------------------------------------

// The sequence number of this thread's next node.
extern uint64_t (*next_sequence_nr)();
// Called when a thread records its first range with kStacks; returns true if it need not be called
// again.
extern bool (*on_new_thread)();
// The position of this thread's innermost Python frame.
extern int32_t (*python_position)();

// The range of a scope, once opened.
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

// The range of a node during evaluation; with its gradients, that of the node's apply.
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
