// Events that several processes share. Work of an emulated device runs when somebody waits for it:
// who waits in another process asks for it, and a thread of the process that recorded the event
// looks for such requests, as long as there is work that could be asked for.

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>

#include "device.h"

namespace torch_emulated_cuda {
namespace {

constexpr uint64_t kMark = 0x746f726368657674;
constexpr uint32_t kMaxEvents = 4096;
constexpr auto kPause = std::chrono::microseconds(200);

struct EventHandle {
  uint64_t mark = kMark;
  FileId file;
  uint32_t index = 0;
};
static_assert(sizeof(EventHandle) <= sizeof(cudaIpcEventHandle_t));

// The events of a process.
struct Table {
  FileId file;
  SharedEvent* events = nullptr;
};
Table& own() {
  static auto* one = [] {
    auto* made = new Table();
    made->file = make_shared_file(kMaxEvents * sizeof(SharedEvent));
    void* at = map_at(nullptr, kMaxEvents * sizeof(SharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED,
                      made->file.descriptor, 0);
    made->events = at == MAP_FAILED ? nullptr : static_cast<SharedEvent*>(at);
    return made;
  }();
  return *one;
}
std::vector<uint32_t>& unused() {
  static auto* indices = [] {
    auto* made = new std::vector<uint32_t>(kMaxEvents);
    for (uint32_t k = 0; k < kMaxEvents; ++k) (*made)[k] = kMaxEvents - 1 - k;
    return made;
  }();
  return *indices;
}
// Tables of others stay mapped: queued work may point to them.
std::map<uint64_t, SharedEvent*>& tables_of_others() {
  static auto* all = new std::map<uint64_t, SharedEvent*>();
  return *all;
}

void raise_to(std::atomic<uint64_t>& number, uint64_t value) {
  uint64_t before = number.load();
  while (before < value && !number.compare_exchange_weak(before, value)) continue;
}

// Recordings of this process that are not reached yet.
struct Recording {
  SharedEvent* shared;
  uint64_t number;
  Stream* stream;
  uint64_t at;
};
std::list<Recording>& recordings() {
  static auto* all = new std::list<Recording>();
  return *all;
}

// Runs what others ask for. The caller must hold the lock of the device.
void serve() {
  for (auto next = recordings().begin(); next != recordings().end();) {
    const Recording r = *next;
    const bool is_done = !is_known(r.stream) || r.stream->done >= r.at;
    // Not in the middle of a piece of work of the same stream.
    const bool can_run = !is_done && r.shared->requested >= r.number && r.stream->running == 0;
    if (!is_done && !can_run) {
      ++next;
      continue;
    }
    recordings().erase(next);
    if (can_run) run_until(*r.stream, r.at);
    raise_to(r.shared->done, r.number);
    next = recordings().begin();  // the work may have served others
  }
}

// The thread that serves while this process does something else.
struct Server {
  std::mutex mutex;
  std::condition_variable has_work;
  bool is_needed = false;
  void run() {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex);
        has_work.wait(lock, [&] { return is_needed; });
        is_needed = false;
      }
      for (bool is_empty = false; !is_empty;) {
        std::this_thread::sleep_for(kPause);
        Lock lock(device_mutex());
        serve();
        is_empty = recordings().empty();
      }
    }
  }
};
void start_serving() {
  static auto* server = [] {
    auto* made = new Server();
    std::thread([made] { made->run(); }).detach();
    return made;
  }();
  {
    std::lock_guard<std::mutex> lock(server->mutex);
    server->is_needed = true;
  }
  server->has_work.notify_one();
}

bool is_reached(const SharedEvent& shared, uint64_t number) {
  // The work of a process that has ended runs no more.
  return shared.done >= number || !is_alive(shared.recorder);
}

}  // namespace

bool share_event(Event& event) {
  if (!own().events || unused().empty()) return false;
  event.shared = own().events + unused().back();
  event.file = own().file;
  event.number = event.shared->recorded;  // of the event that had the place before
  unused().pop_back();
  return true;
}

void unshare_event(Event& event) {
  if (event.file.process == ::getpid())
    unused().push_back(static_cast<uint32_t>(event.shared - own().events));
  event.shared = nullptr;
}

void record_for_others(Event& event) {
  event.shared->recorder = ::getpid();
  event.number = ++event.shared->recorded;
  recordings().push_back({event.shared, event.number, event.stream, event.at});
  start_serving();
}

bool is_recorded_elsewhere(const Event& event) {
  return event.shared && event.shared->recorded != event.number;
}

bool ask_others(const Event& event) {
  const uint64_t number = event.shared->recorded;
  if (is_reached(*event.shared, number)) return true;
  raise_to(event.shared->requested, number);
  serve();
  return false;
}

std::function<void()> wait_for_others(const Event& event) {
  SharedEvent* shared = event.shared;
  const uint64_t number = shared->recorded;
  return [shared, number] {
    while (!is_reached(*shared, number)) {
      raise_to(shared->requested, number);
      {
        Lock lock(device_mutex());
        serve();
      }
      std::this_thread::sleep_for(kPause);
    }
  };
}

}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  Lock lock(device_mutex());
  if (!handle || !event || !event->shared || event->file.process != ::getpid())
    return remember(cudaErrorInvalidResourceHandle);
  EventHandle made;
  made.file = event->file;
  made.index = static_cast<uint32_t>(event->shared - own().events);
  *handle = {};
  std::memcpy(handle, &made, sizeof made);
  return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  EventHandle given;
  std::memcpy(static_cast<void*>(&given), &handle, sizeof given);
  if (!event || given.mark != kMark || given.index >= kMaxEvents)
    return remember(cudaErrorInvalidValue);
  if (given.file.process == ::getpid()) return remember(cudaErrorDeviceUninitialized);
  Lock lock(device_mutex());
  SharedEvent*& table = tables_of_others()[given.file.inode];
  if (!table) {
    const int fd = open_shared_file(given.file);
    if (fd < 0) return remember(cudaErrorMapBufferObjectFailed);
    void* at = map_at(nullptr, kMaxEvents * sizeof(SharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED,
                      fd, 0);
    ::close(fd);
    if (at == MAP_FAILED) return remember(cudaErrorMapBufferObjectFailed);
    table = static_cast<SharedEvent*>(at);
  }
  auto made = std::make_unique<Event>();
  made->has_time = false;
  made->shared = table + given.index;
  made->file = given.file;
  *event = made.release();
  return cudaSuccess;
}

}  // extern "C"
