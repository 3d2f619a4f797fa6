// See Note [Memory of several processes].

#include <c10/cuda/CUDAIpc.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/impl/Counters.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/cuda/impl/ExpandableSegment.h>

namespace c10::cuda::ipc {
namespace {

using impl::Counters;
using impl::FileId;
using Key = std::pair<uint64_t, size_t>;  // inode of the counters, and the counter

// A storage that was sent. It belongs to its storage, and waits for receivers after that.
struct Sent {
  DataPtr data;
  Counters* counters = nullptr;
  size_t counter = 0;
  std::string memory;
  impl::ExportedPages pages;  // of an expandable segment
  size_t offset = 0;
  cudaEvent_t event = nullptr;
  std::string event_handle;
  weak_intrusive_ptr<StorageImpl> storage;
  bool is_waiting = false;

  Sent() = default;
  Sent(const Sent&) = delete;
  Sent& operator=(const Sent&) = delete;
  // The caller must hold no lock: the block goes back to the allocator.
  ~Sent() {
    if (event) C10_CUDA_IGNORE(cudaEventDestroy(event));
    for (int descriptor : pages.descriptors) ::close(descriptor);
  }

  Key key() const { return {counters->file().inode, counter}; }
  Counters::Counter& count() { return (*counters)[counter]; }
};

// A storage that came from another process.
struct Received {
  DeviceIndex device = 0;
  void* base = nullptr;                        // of an allocation, or
  std::unique_ptr<impl::ImportedPages> pages;  // of an expandable segment
  std::shared_ptr<Counters> counters;
  size_t counter = 0;
  std::set<std::pair<DeviceIndex, StreamId>> streams = {};

  Key key() const { return {counters->file().inode, counter}; }
};

struct Registry {
  std::mutex mutex;
  const pid_t process = ::getpid();  // children of fork() leave everything to their parent
  std::vector<std::unique_ptr<Counters>> counters;
  std::map<Key, Sent*> sent;
  std::set<Sent*> waiting;  // those of them whose storage is gone
  std::map<Key, weak_intrusive_ptr<StorageImpl>> received;
  std::set<Received*> held;      // all that were received and not returned
  std::vector<Received*> freed;  // while a graph was captured, which waits for nobody
  std::atomic<bool> has_ended{false};
  // Then what is freed stays as it is.
  bool is_over() const { return has_ended || process != ::getpid(); }
};
void end();
// Null before the first message. Never destroyed: tensors may outlive the static objects of this
// library.
std::atomic<Registry*> g_registry{nullptr};
Registry& registry() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit(&end);
    g_registry = new Registry();
  });
  return *g_registry;
}

template <typename H>
std::string bytes_of(const H& handle) {
  return std::string(handle.reserved, sizeof handle.reserved);
}
template <typename H>
H handle_of(const std::string& bytes, const char* what) {
  H handle;
  TORCH_CHECK(bytes.size() == sizeof handle.reserved, what, ": expected a handle of ",
              sizeof handle.reserved, " bytes, got ", bytes.size());
  std::memcpy(handle.reserved, bytes.data(), bytes.size());
  return handle;
}

constexpr const char* kNoMessage =
    "this CUDA tensor was received before, as often as it was sent: each message is opened once";

// Not below what the process itself holds, for programs that open a message twice.
void lower(Counters::Counter& counter, int64_t floor) {
  int64_t value = counter;
  while (value > floor && !counter.compare_exchange_weak(value, value - 1)) continue;
}

// Freeing must not throw: errors count as no.
bool is_captured(DeviceIndex device) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_IGNORE(cudaStreamIsCapturing(getCurrentCUDAStream(device), &status));
  return status != cudaStreamCaptureStatusNone;
}

// --- the side that sends -------------------------------------------------------------------------
// Out of the registry, if no receiver is left. With the lock.
bool forget(Registry& all, Sent* sent) {
  if (sent->count() > 0) return false;
  all.sent.erase(sent->key());
  sent->counters->give_back(sent->counter);
  return true;
}

void release_sent(void* context) {
  auto* sent = static_cast<Sent*>(context);
  Registry& all = registry();
  if (all.is_over()) return;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    if (!forget(all, sent)) {
      sent->is_waiting = true;
      all.waiting.insert(sent);
      return;
    }
  }
  delete sent;
}

Sent* sent_of(const DataPtr& data) {
  return data.get_deleter() == &release_sent ? static_cast<Sent*>(data.get_context()) : nullptr;
}

DataPtr data_of(Sent* sent) {
  return DataPtr(sent->data.get(), sent, &release_sent, sent->data.device());
}

// The storage's data is wrapped.
Sent* make_sent(Registry& all, StorageImpl& storage) {
  const auto place = CUDACachingAllocator::allocationOf(storage.data_ptr());
  if (all.counters.empty() || all.counters.back()->is_full()) {
    // A file with room that was full before comes to the end.
    auto at = std::find_if(all.counters.begin(), all.counters.end(),
                           [](const auto& c) { return !c->is_full(); });
    if (at != all.counters.end()) std::swap(*at, all.counters.back());
    else all.counters.push_back(std::make_unique<Counters>());
  }
  auto sent = std::make_unique<Sent>();
  sent->counters = all.counters.back().get();
  auto* data = static_cast<char*>(storage.data());
  if (place.segment) {
    char* begin = place.segment->round_down(data);
    sent->pages =
        place.segment->export_pages(begin, place.segment->round_up(data + storage.nbytes()));
    sent->memory = sent->pages.bytes();
    sent->offset = static_cast<size_t>(data - begin);
  } else {
    cudaIpcMemHandle_t handle;
    C10_CUDA_CHECK(cudaIpcGetMemHandle(&handle, place.base));
    sent->memory = bytes_of(handle);
    sent->offset = static_cast<size_t>(data - place.base);
  }
  if (cudaEventCreateWithFlags(&sent->event, cudaEventDisableTiming | cudaEventInterprocess) ==
      cudaSuccess) {
    sent->event_handle = event_handle(sent->event);
  } else {
    (void)cudaGetLastError();  // there are no more: the sender waits instead
    sent->event = nullptr;
  }
  sent->counter = sent->counters->take();
  all.sent[sent->key()] = sent.get();
  sent->data = storage.set_data_ptr(DataPtr(nullptr, storage.device()));
  (void)storage.set_data_ptr(data_of(sent.get()));
  sent->storage =
      weak_intrusive_ptr<StorageImpl>(intrusive_ptr<StorageImpl>::reclaim_copy(&storage));
  return sent.release();
}

// --- the side that receives ----------------------------------------------------------------------
void give_back(Received* received) {
  Registry& all = registry();
  {
    impl::DeviceScope scope(received->device);
    // Work of this process that uses the block.
    C10_CUDA_IGNORE(cudaStreamSynchronize(getCurrentCUDAStream(received->device)));
    for (auto [device, id] : received->streams) {
      CUDAStream stream(Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
      impl::DeviceScope other(device);
      C10_CUDA_IGNORE(cudaStreamSynchronize(stream));
    }
    if (received->pages) received->pages.reset();
    else C10_CUDA_IGNORE(cudaIpcCloseMemHandle(received->base));
  }
  std::lock_guard<std::mutex> lock(all.mutex);
  all.held.erase(received);
  lower((*received->counters)[received->counter], 0);
  delete received;
}

void release_received(void* context) {
  auto* received = static_cast<Received*>(context);
  Registry& all = registry();
  if (all.is_over()) return;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.received.find(received->key());
    if (found != all.received.end() && found->second.expired()) all.received.erase(found);
    if (is_captured(received->device)) return all.freed.push_back(received);
  }
  give_back(received);
}

Received* received_of(const DataPtr& data) {
  return data.get_deleter() == &release_received ? static_cast<Received*>(data.get_context())
                                                 : nullptr;
}

// The process ends. What it received is done with; what others use of it is lost.
void end() {
  Registry& all = registry();
  if (all.is_over()) return;
  std::lock_guard<std::mutex> lock(all.mutex);
  all.has_ended = true;
  std::set<DeviceIndex> devices;
  for (Received* r : all.held) devices.insert(r->device);
  for (DeviceIndex d : devices) {
    if (cudaSetDevice(d) == cudaSuccess) C10_CUDA_IGNORE(cudaDeviceSynchronize());
  }
  for (Received* r : all.held) lower((*r->counters)[r->counter], 0);
  int lost = 0;
  for (auto& [key, sent] : all.sent) lost += sent->count() > 0;
  if (lost)
    std::fprintf(
        stderr,
        "torch: process %d ends while other processes use, or have not received, %d CUDA "
        "storages that it sent; they are lost. It must live until its receivers are done.\n",
        static_cast<int>(::getpid()), lost);
}

// A message of this process.
intrusive_ptr<StorageImpl> receive_own(const Message& message, const FileId& file) {
  Registry& all = registry();
  for (;; std::this_thread::yield()) {
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.sent.find({file.inode, message.counter});
    TORCH_CHECK(found != all.sent.end(), kNoMessage);
    Sent* sent = found->second;
    TORCH_CHECK(sent->count() > 0, kNoMessage);
    intrusive_ptr<StorageImpl> storage = sent->storage.lock();
    if (!sent->is_waiting && !storage) continue;  // another thread is about to free it
    const DeviceIndex device = sent->data.device().index();
    impl::DeviceScope scope(device);
    if (sent->event)
      C10_CUDA_CHECK(cudaStreamWaitEvent(getCurrentCUDAStream(device), sent->event, 0));
    if (sent->is_waiting) {
      sent->is_waiting = false;
      all.waiting.erase(sent);
      storage = make_intrusive<StorageImpl>(message.size, data_of(sent), nullptr, false);
      sent->storage = weak_intrusive_ptr<StorageImpl>(storage);
    }
    lower(sent->count(), 0);
    return storage;
  }
}

void wait_for(const Message& message) {
  if (message.event.empty()) return;
  cudaEvent_t event = open_event(message.device, message.event);
  C10_CUDA_CHECK(cudaStreamWaitEvent(getCurrentCUDAStream(message.device), event, 0));
  C10_CUDA_IGNORE(cudaEventDestroy(event));
}

}  // namespace

Message send(StorageImpl& storage) {
  TORCH_CHECK(storage.device().is_cuda(),
              "_share_cuda_(): expected a storage on a GPU, got one on ", storage.device());
  TORCH_CHECK(
      !received_of(storage.data_ptr()),
      "a CUDA tensor that came from another process cannot be sent on: send a clone() of it");
  Message message;
  message.device = storage.device().index();
  message.size = storage.nbytes();
  if (message.size == 0) return message;
  collect();
  impl::DeviceScope scope(message.device);
  const CUDAStream stream = getCurrentCUDAStream(message.device);
  TORCH_CHECK(capture_id(stream) == 0, "a CUDA tensor cannot be sent while a graph is captured");
  Registry& all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  Sent* sent = sent_of(storage.data_ptr());
  if (!sent) sent = make_sent(all, storage);
  message.memory = sent->memory;
  message.offset = sent->offset;
  message.counters = sent->counters->file().text();
  message.counter = sent->counter;
  message.event = sent->event_handle;
  if (sent->event) C10_CUDA_CHECK(cudaEventRecord(sent->event, stream));
  else C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  ++sent->count();
  return message;
}

intrusive_ptr<StorageImpl> receive(const Message& message) {
  check_device(message.device);
  FileId file;
  TORCH_CHECK(FileId::parse(message.counters, &file),
              "_new_shared_cuda(): this is no message of _share_cuda_()");
  if (file.process == ::getpid()) return receive_own(message, file);
  const auto gone = [&](const char* reason) {
    return "a CUDA tensor of process " + std::to_string(file.process) +
           " cannot be opened: " + reason +
           ". The process that sends a tensor must live until its receivers are done with it, and "
           "both must see each other in /proc";
  };
  auto counters = Counters::of(file);
  TORCH_CHECK(counters && counters->has(message.counter), gone("the process has ended"));
  Registry& all = registry();
  const Key key(file.inode, message.counter);
  // Not the registry's: storages that are freed here take that one.
  static std::mutex one_at_a_time;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  intrusive_ptr<StorageImpl> known;
  {
    std::lock_guard<std::mutex> registered(all.mutex);
    auto found = all.received.find(key);
    if (found != all.received.end()) known = found->second.lock();
  }
  if (known && known->nbytes() == message.size) {
    wait_for(message);
    lower((*counters)[message.counter], 1);
    return known;
  }
  TORCH_CHECK((*counters)[message.counter] > 0, kNoMessage);
  impl::DeviceScope scope(message.device);
  auto received = std::make_unique<Received>();
  received->device = message.device;
  received->counters = counters;
  received->counter = message.counter;
  if (impl::ExportedPages pages; impl::ExportedPages::parse(message.memory, &pages)) {
    try {
      received->pages = std::make_unique<impl::ImportedPages>(message.device, pages);
    } catch (const Error& error) {
      TORCH_CHECK(false, gone(error.what_without_backtrace()));
    }
    received->base = received->pages->base();
  } else {
    const auto handle = handle_of<cudaIpcMemHandle_t>(message.memory, "_new_shared_cuda()");
    const cudaError_t error =
        cudaIpcOpenMemHandle(&received->base, handle, cudaIpcMemLazyEnablePeerAccess);
    if (error != cudaSuccess) (void)cudaGetLastError();
    TORCH_CHECK(error == cudaSuccess, gone(cudaGetErrorString(error)));
  }
  Received* owner = received.release();
  DataPtr data(static_cast<char*>(owner->base) + message.offset, owner, &release_received,
               Device(DeviceType::CUDA, message.device));
  auto storage = make_intrusive<StorageImpl>(message.size, std::move(data), nullptr, false);
  wait_for(message);
  std::lock_guard<std::mutex> registered(all.mutex);
  all.held.insert(owner);
  all.received[key] = weak_intrusive_ptr<StorageImpl>(storage);
  return storage;
}

void drop(const std::string& counters, size_t counter) {
  FileId file;
  TORCH_CHECK(FileId::parse(counters, &file),
              "_release_ipc_counter_cuda(): this is no counter of _share_cuda_()");
  if (file.process == ::getpid()) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.sent.find({file.inode, counter});
    if (found != all.sent.end()) lower(found->second->count(), 0);
    return;
  }
  auto theirs = Counters::of(file);
  if (theirs && theirs->has(counter)) lower((*theirs)[counter], 0);
}

void collect() {
  if (!g_registry) return;
  Registry& all = registry();
  if (all.is_over()) return;
  std::vector<Sent*> unused;
  std::vector<Received*> freed;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    for (auto at = all.waiting.begin(); at != all.waiting.end();) {
      if (!forget(all, *at)) {
        ++at;
        continue;
      }
      unused.push_back(*at);
      at = all.waiting.erase(at);
    }
    const auto later = std::partition(all.freed.begin(), all.freed.end(),
                                      [](const Received* r) { return is_captured(r->device); });
    freed.assign(later, all.freed.end());
    all.freed.erase(later, all.freed.end());
  }
  for (Sent* sent : unused) delete sent;
  for (Received* r : freed) give_back(r);
}

bool has_waiting() {
  if (!g_registry) return false;
  Registry& all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  return !all.waiting.empty();
}

cudaEvent_t make_event(DeviceIndex device) {
  impl::DeviceScope scope(device);
  cudaEvent_t event;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  return event;
}

std::string event_handle(cudaEvent_t event) {
  cudaIpcEventHandle_t handle;
  C10_CUDA_CHECK(cudaIpcGetEventHandle(&handle, event));
  return bytes_of(handle);
}

cudaEvent_t open_event(DeviceIndex device, const std::string& handle) {
  impl::DeviceScope scope(device);
  cudaEvent_t event;
  const cudaError_t error =
      cudaIpcOpenEventHandle(&event, handle_of<cudaIpcEventHandle_t>(handle, "from_ipc_handle()"));
  if (error != cudaSuccess) (void)cudaGetLastError();
  TORCH_CHECK(error == cudaSuccess,
              "an event of another process cannot be opened: ", cudaGetErrorString(error),
              ". The process that made the event must live");
  return event;
}

const DataPtr& original(const DataPtr& data) {
  const Sent* sent = sent_of(data);
  return sent ? sent->data : data;
}

bool record_stream(const DataPtr& data, CUDAStream stream) {
  Received* received = received_of(data);
  if (!received) return false;
  Registry& all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  received->streams.insert({stream.device_index(), stream.id()});
  return true;
}

}  // namespace c10::cuda::ipc
