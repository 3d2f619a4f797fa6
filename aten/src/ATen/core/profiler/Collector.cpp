#include <ATen/core/profiler/Collector.h>

#include <unistd.h>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <sys/syscall.h>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

namespace at::profiler {

std::string (*python_stack)() = nullptr;

namespace {

struct Buffer {
  Thread thread;
  std::vector<int32_t> open;  // ranges that have not ended, the innermost last
  uint64_t run = 0;           // the profile that it belongs to
};

std::mutex g_mutex;
Options g_options;
uint64_t g_run = 0;
Profile g_profile;
std::unordered_map<std::string, int32_t> g_name_places;
std::vector<std::shared_ptr<Buffer>> g_buffers;

Buffer& buffer() {
  static thread_local std::shared_ptr<Buffer> mine;
  if (C10_UNLIKELY(!mine || mine->run != __atomic_load_n(&g_run, __ATOMIC_ACQUIRE))) {
    // A fresh one: the last profile's may still be read.
    mine = std::make_shared<Buffer>();
    mine->thread.id = static_cast<uint64_t>(::syscall(SYS_gettid));
    mine->thread.ranges.reserve(1024);
    std::lock_guard<std::mutex> lock(g_mutex);
    mine->run = g_run;
    g_buffers.push_back(mine);
  }
  return *mine;
}

int32_t place_of_name(std::string name) {
  std::lock_guard<std::mutex> lock(g_mutex);
  auto [at, fresh] =
      g_name_places.try_emplace(std::move(name), static_cast<int32_t>(g_profile.names.size()));
  if (fresh) g_profile.names.push_back(at->first);
  return at->second;
}

int32_t begin(Buffer& b, Range range) {
  range.parent = b.open.empty() ? -1 : b.open.back();
  range.stack = g_options.stacks && python_stack ? place_of_name(python_stack()) : -1;
  if (g_options.memory)
    range.memory = static_cast<int64_t>(c10::cpu_allocator_stats().allocated_bytes);
  int32_t handle = static_cast<int32_t>(b.thread.ranges.size());
  b.open.push_back(handle);
  b.thread.ranges.push_back(range);
  b.thread.ranges.back().start = observer_clock();
  return handle;
}

void end(Buffer& b, int32_t handle) {
  Range& range = b.thread.ranges[handle];
  range.end = observer_clock();
  if (g_options.memory)
    range.memory = static_cast<int64_t>(c10::cpu_allocator_stats().allocated_bytes) - range.memory;
  // Ranges inside that never ended (an exception, a generator that was dropped) end with it.
  while (!b.open.empty() && b.open.back() >= handle) b.open.pop_back();
}

void enter(ObservedCall& call) {
  if (call.kind[0] != 'c') return;  // a redispatch is the same call
  Buffer& b = buffer();
  Range range{&call.op, -1, -1, RangeKind::operator_call, 0, 0, 0, -1, -1};
  if (g_options.shapes) {
    range.inputs = static_cast<int32_t>(b.thread.inputs.size());
    b.thread.inputs.push_back(describe_arguments(call.arguments, call.count));
  }
  begin(b, range);
}

void leave(ObservedCall& call) {
  if (call.kind[0] != 'c') return;
  Buffer& b = buffer();
  // The profile may have begun or ended inside of the call.
  for (size_t k = b.open.size(); k-- > 0;) {
    if (b.thread.ranges[b.open[k]].op == &call.op) {
      end(b, b.open[k]);
      return;
    }
  }
}

const CallObserver kCollector{enter, leave};

}  // namespace

void start(const Options& options) {
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    TORCH_CHECK(!enabled(), "profiler: it is running already");
    g_options = options;
    g_profile = Profile();
    g_name_places.clear();
    g_buffers.clear();
    __atomic_store_n(&g_run, g_run + 1, __ATOMIC_RELEASE);
    g_profile.start = observer_clock();
    g_profile.wall_start = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  }
  set_call_observer(kProfilerObserver, &kCollector);
}

Profile stop() {
  TORCH_CHECK(enabled(), "profiler: it is not running");
  set_call_observer(kProfilerObserver, nullptr);
  std::lock_guard<std::mutex> lock(g_mutex);
  g_profile.end = observer_clock();
  for (auto& b : g_buffers) g_profile.threads.push_back(b->thread);
  g_buffers.clear();
  __atomic_store_n(&g_run, g_run + 1, __ATOMIC_RELEASE);
  return std::move(g_profile);
}

int32_t begin_range(const char* name, RangeKind kind) {
  if (!enabled()) return -1;
  return begin(buffer(), {nullptr, place_of_name(name), -1, kind, 0, 0, 0, -1, -1});
}

void end_range(int32_t handle) {
  if (handle < 0 || !enabled()) return;
  Buffer& b = buffer();
  if (handle < static_cast<int32_t>(b.thread.ranges.size()) && !b.thread.ranges[handle].op)
    end(b, handle);
}

void RangeGuard::open(const char* prefix, const char* name) {
  handle_ = begin_range(c10::str(prefix, name).c_str(), RangeKind::backward);
}

}  // namespace at::profiler
