// Starts and stops a profile, and collects the buffers of all threads.

#include <ATen/core/profiler/Collector.h>

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

#include <sys/syscall.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/profiler/Arguments.h>
#include <ATen/core/profiler/Buffer.h>
#include <ATen/core/profiler/Memory.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Backtrace.h>
#include <c10/util/Exception.h>

namespace at::profiler {

uint64_t (*next_sequence_nr)() = nullptr;
bool (*on_new_thread)() = nullptr;
int32_t (*python_position)() = nullptr;
std::atomic<uint32_t> g_options{0};

namespace {

struct Session {
  uint32_t options;
  int64_t start, wall_start;
};

std::mutex g_mutex;
uint64_t g_run = 0, g_last_session = 0;
std::map<uint64_t, Session> g_sessions;
std::vector<std::shared_ptr<Buffer>> g_buffers;
std::atomic<int32_t> g_threads{0};

thread_local std::shared_ptr<Buffer> t_owner;
__thread Buffer* t_buffer = nullptr;
thread_local int32_t t_number = 0;

bool is_current(const Buffer* b) {
  return b && b->run == __atomic_load_n(&g_run, __ATOMIC_ACQUIRE);
}

C10_NOINLINE Buffer& fresh_buffer() {
  if (t_number == 0) t_number = ++g_threads;
  // A new one: the previous recording's may still be read.
  t_owner = std::make_shared<Buffer>();
  t_buffer = t_owner.get();
  t_buffer->thread.id = static_cast<uint64_t>(::syscall(SYS_gettid));
  t_buffer->thread.number = t_number;
  t_buffer->thread.ranges.reserve(1024);
  t_buffer->open.reserve(64);
  std::lock_guard<std::mutex> lock(g_mutex);
  t_buffer->run = g_run;
  g_buffers.push_back(t_owner);
  return *t_buffer;
}

Buffer& buffer() {
  Buffer& b = C10_LIKELY(is_current(t_buffer)) ? *t_buffer : fresh_buffer();
  if (C10_UNLIKELY(wants(kStacks) && !b.announced && on_new_thread)) {
    b.announced = true;  // set first: the tracer opens ranges of its own
    b.announced = on_new_thread();
  }
  return b;
}

// In the order in which they are told of the begin.
constexpr Option kListeners[] = {kMarks, kDeviceWork};
std::atomic<const RangeListener*> g_listeners[2];

// Bits of the listeners that are told of a range.
C10_NOINLINE uint8_t listeners_of(const Range& range) {
  uint8_t found = 0;
  if (range.kind >= RangeKind::python) return found;
  for (size_t k = 0; k < 2; ++k)
    if (wants(kListeners[k]) && g_listeners[k].load()) found |= static_cast<uint8_t>(1 << k);
  return found;
}

C10_NOINLINE void tell_begin(const Buffer& b, const Range& range, int32_t index) {
  for (size_t k = 0; k < 2; ++k)
    if (range.told >> k & 1)
      g_listeners[k].load()->begin(b.thread, range, range_id(b.run, b.thread.number, index));
}

C10_NOINLINE void tell_end(const Range& range) {
  for (size_t k = 2; k-- > 0;)
    if (range.told >> k & 1) g_listeners[k].load()->end();
}

int32_t begin(Buffer& b, Range range) {
  if (C10_UNLIKELY(wants(kStacks) && python_position)) range.position = python_position();
  if (C10_UNLIKELY(wants(kMarks | kDeviceWork))) range.told = listeners_of(range);
  int32_t index;
  {
    Locked lock(b);
    range.parent = b.open.empty() ? -1 : b.open.back();
    index = static_cast<int32_t>(b.thread.ranges.size());
    b.open.push_back(index);
    range.start = observer_clock();
    b.thread.ranges.push_back(range);
  }
  if (C10_UNLIKELY(range.told)) tell_begin(b, range, index);
  return index;
}

void close(Buffer& b, int64_t now) {
  Range& range = b.thread.ranges[b.open.back()];
  range.end = now;
  if (C10_UNLIKELY(range.told)) tell_end(range);
  b.open.pop_back();
}

// Without a profile that keeps rows, they are needed only as long as they are open.
void drop_rows(Buffer& b) {
  b.thread.ranges.clear();
  b.thread.words.clear();
  b.thread.memory.clear();
  b.thread.nodes.clear();
  b.thread.cpp_stacks.clear();
}

void end(Buffer& b, int32_t index) {
  int64_t now = observer_clock();
  Locked lock(b);
  if (std::find(b.open.rbegin(), b.open.rend(), index) == b.open.rend()) return;
  // Inner ranges that never ended (an exception, a generator that was dropped) end with it.
  while (b.open.back() != index) close(b, now);
  close(b, now);
  if (C10_UNLIKELY(!wants(kRows)) && b.open.empty()) drop_rows(b);
}

Range empty_range(RangeKind kind) {
  return {nullptr, -1, -1, 0, 0, -1, nullptr, -1, -1, -1, kind, 0};
}

void keep_arguments(Buffer& b, Range& range, const ObservedArgument* arguments, int count) {
  Locked lock(b);
  range.arguments = static_cast<int64_t>(b.thread.words.size());
  write_arguments(b.thread.words, arguments, count);
}

// Whether autograd records this call: the node that it creates, if any, gets the thread's next
// sequence number. Composite operators count too, since autograd records their parts.
bool may_be_recorded(const ObservedCall& call) {
  const auto& tls = c10::impl::tls_local_state;
  if (tls.effective_excluded & c10::autograd_dispatch_keyset.raw_repr()) return false;
  return std::any_of(call.arguments, call.arguments + call.count, [](const ObservedArgument& a) {
    return a.kind >= ObservedArgument::Tensor && a.kind <= ObservedArgument::OptionalTensorList;
  });
}

void enter(ObservedCall& call) {
  if (call.kind[0] != 'c') return;  // a redispatch belongs to the same call
  Buffer& b = buffer();
  Range range = empty_range(RangeKind::operator_call);
  range.op = &call.op;
  if (next_sequence_nr && may_be_recorded(call))
    range.sequence_nr = static_cast<int64_t>(next_sequence_nr());
  if (wants(kShapes | kFlops)) keep_arguments(b, range, call.arguments, call.count);
  if (C10_UNLIKELY(wants(kCppStacks))) {
    std::vector<void*> frames = c10::capture_frames();
    Locked lock(b);
    range.cpp_stack = static_cast<int32_t>(b.thread.cpp_stacks.size());
    b.thread.cpp_stacks.push_back(std::move(frames));
  }
  begin(b, range);
}

void leave(ObservedCall& call) {
  if (call.kind[0] != 'c' || !is_current(t_buffer)) return;
  Buffer& b = *t_buffer;
  // The recording may have started during the call.
  for (size_t k = b.open.size(); k-- > 0;) {
    if (b.thread.ranges[b.open[k]].op == &call.op) return end(b, b.open[k]);
  }
}

const CallObserver kCollector{enter, leave};

void on_memory(void* address, int64_t nbytes, int64_t allocated) {
  if (!enabled()) return;
  Buffer& b = buffer();
  Locked lock(b);
  b.thread.memory.push_back(
      {observer_clock(), address, nbytes, allocated, b.open.empty() ? -1 : b.open.back()});
}

// The listeners forget what this thread has open when the last profile ends.
void tell_end_of_all() {
  if (!is_current(t_buffer)) return;
  for (size_t k = t_buffer->open.size(); k-- > 0;)
    tell_end(t_buffer->thread.ranges[t_buffer->open[k]]);
}

void ask_for_all() {
  uint32_t all = 0;
  for (const auto& [number, session] : g_sessions) all |= session.options;
  g_options = all;
}

// A forked child (a DataLoader's worker) does not take part in the profile.
void before_fork() {
  g_mutex.lock();
  lock_memory_records();
}
void after_fork_in_parent() {
  unlock_memory_records();
  g_mutex.unlock();
}
void after_fork_in_child() {
  unlock_memory_records();
  bool memory = wants(kMemory);
  g_sessions.clear();
  g_buffers.clear();
  g_options = 0;
  ++g_run;
  set_call_observer(kProfilerObserver, nullptr);
  if (memory) stop_recording_memory();
  g_mutex.unlock();
}

// The rows between two times: threads may continue writing while the rows of others are read.
Thread between(const Thread& thread, int64_t start, int64_t stop) {
  auto began_before = [](const Range& r, int64_t time) { return r.start < time; };
  Thread part = thread;
  auto& ranges = part.ranges;
  ranges.erase(std::lower_bound(ranges.begin(), ranges.end(), stop, began_before), ranges.end());
  auto first = std::lower_bound(ranges.begin(), ranges.end(), start, began_before);
  auto left_out = static_cast<int32_t>(first - ranges.begin());
  ranges.erase(ranges.begin(), first);
  part.first = left_out;
  for (Range& r : ranges) {
    r.parent = std::max(r.parent - left_out, -1);
    if (r.end == 0 || r.end > stop) r.end = stop;
  }
  part.memory.clear();
  for (MemoryChange m : thread.memory) {
    m.range = std::max(m.range - left_out, -1);
    if (m.time >= start && m.time < stop) part.memory.push_back(m);
  }
  return part;
}

[[maybe_unused]] const int g_fork_handler =
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);

// Handles contain the recording's number, so that an outdated one is recognized.
int64_t handle_of(const Buffer& b, int32_t index) {
  return static_cast<int64_t>(b.run << 32 | static_cast<uint32_t>(index));
}
Buffer* buffer_of(int64_t handle) {
  bool mine = handle >= 0 && is_current(t_buffer) &&
              static_cast<uint64_t>(handle) >> 32 == (t_buffer->run & 0x7fffffff);
  return mine ? t_buffer : nullptr;
}
int32_t index_in(int64_t handle) { return static_cast<int32_t>(handle & 0xffffffff); }

}  // namespace

uint64_t start(uint32_t options) {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (g_sessions.empty()) {
    g_buffers.clear();
    __atomic_store_n(&g_run, g_run + 1, __ATOMIC_RELEASE);
  }
  auto wall = std::chrono::system_clock::now().time_since_epoch();
  if (!(options & kMarks)) options |= kRows;
  Session session{options, observer_clock(),
                  std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count()};
  bool memory_before = wants(kMemory);
  g_sessions.emplace(++g_last_session, session);
  ask_for_all();
  if (wants(kMemory) && !memory_before) start_recording_memory(on_memory);
  set_call_observer(kProfilerObserver, &kCollector);
  return g_last_session;
}

Profile stop(uint64_t number) {
  std::lock_guard<std::mutex> lock(g_mutex);
  auto session = g_sessions.find(number);
  TORCH_CHECK(session != g_sessions.end(), "profiler: it is not running");
  bool last = g_sessions.size() == 1;
  if (last) {
    set_call_observer(kProfilerObserver, nullptr);
    if (wants(kMemory)) stop_recording_memory();
    tell_end_of_all();
  }
  Profile profile;
  profile.run = g_run;
  profile.end = observer_clock();
  profile.start = session->second.start;
  profile.wall_start = session->second.wall_start;
  bool keeps_rows = session->second.options & kRows;
  for (auto& b : g_buffers) {
    if (!keeps_rows) break;
    Locked locked(*b);
    profile.threads.push_back(between(b->thread, profile.start, profile.end));
  }
  g_sessions.erase(session);
  ask_for_all();
  if (last) {
    g_buffers.clear();
    __atomic_store_n(&g_run, g_run + 1, __ATOMIC_RELEASE);
  }
  return profile;
}

void pause() { set_call_observer(kProfilerObserver, nullptr); }

void resume() {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (!g_sessions.empty()) set_call_observer(kProfilerObserver, &kCollector);
}

int64_t begin_range(const char* name, RangeKind kind, const RangeDetails& details) {
  if (!enabled()) return -1;
  Buffer& b = buffer();
  Range range = empty_range(kind);
  {
    Locked lock(b);
    range.name = b.index_of(name);
  }
  range.node = details.node;
  range.sequence_nr = details.sequence_nr;
  if (details.arguments && wants(kShapes))
    keep_arguments(b, range, details.arguments, details.count);
  return handle_of(b, begin(b, range));
}

int64_t begin_numbered_range(int32_t number, RangeKind kind) {
  if (!enabled()) return -1;
  Buffer& b = buffer();
  Range range = empty_range(kind);
  range.name = number;
  return handle_of(b, begin(b, range));
}

void end_range(int64_t handle) {
  if (Buffer* b = buffer_of(handle)) end(*b, index_in(handle));
}

void end_function_range(int64_t handle) {
  Buffer* b = buffer_of(handle);
  if (!b) return;
  int32_t index = index_in(handle);
  auto found = std::find(b->open.rbegin(), b->open.rend(), index);
  if (found == b->open.rend()) return;
  if (found == b->open.rbegin()) return end(*b, index);
  auto at = found.base() - 1;
  Locked lock(*b);
  Range &range = b->thread.ranges[index], &inner = b->thread.ranges[*(at + 1)];
  range.end = inner.start;
  inner.parent = range.parent;
  b->open.erase(at);
}

void announce_thread() {
  if (enabled()) buffer();
}

void note_node(const void* node) {
  Buffer& b = buffer();
  Locked lock(b);
  int64_t time = b.open.empty() ? observer_clock() : b.thread.ranges[b.open.back()].start;
  b.thread.nodes.push_back({node, time});
}

void note_device_memory(int32_t device, const void* address, int64_t nbytes, int64_t allocated,
                        int64_t reserved) {
  if (!enabled() || !wants(kMemory)) return;
  Buffer& b = buffer();
  Locked lock(b);
  b.thread.memory.push_back({observer_clock(), address, nbytes, allocated,
                             b.open.empty() ? -1 : b.open.back(), device, reserved});
}

void set_range_listener(Option option, const RangeListener* listener) {
  g_listeners[option == kMarks ? 0 : 1] = listener;
}

void NodeGuard::open_node(const char* name, RangeKind kind, const void* node, uint64_t sequence_nr,
                          const std::vector<Tensor>* gradients) {
  RangeDetails details{node, sequence_nr > INT64_MAX ? -1 : static_cast<int64_t>(sequence_nr)};
  std::vector<ObservedArgument> arguments;
  if (gradients && wants(kShapes)) {
    for (const Tensor& t : *gradients) arguments.push_back({&t, ObservedArgument::Tensor});
    details.arguments = arguments.data();
    details.count = static_cast<int>(arguments.size());
  }
  open(name, kind, details);
}

}  // namespace at::profiler
