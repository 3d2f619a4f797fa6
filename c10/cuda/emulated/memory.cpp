// Device memory: ranges of an arena that the host may touch only while a kernel runs.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "asan.h"
#include "device.h"
#include "ranges.h"

namespace torch_emulated_cuda {
namespace {

constexpr size_t kAlignment = 512;
// Behind every allocation; AddressSanitizer reports accesses to it.
constexpr size_t kRedZone = 512;
constexpr size_t kArena = size_t{1} << 36;
// Memory is opened and closed for each wait: in large pages that is quick.
constexpr size_t kPage = size_t{2} << 20, kHostPage = 4096;

size_t capacity() {
  static const size_t bytes = [] {
    return std::min<uint64_t>(setting("TORCH_CUDA_EMULATED_MEMORY", uint64_t{4} << 30), kArena);
  }();
  return bytes;
}

struct Arena {
  char* base;
  Ranges ranges{kArena};
  size_t used = 0;                    // bytes that were asked for
  std::map<char*, size_t> allocated;  // with what was asked for
  FileId file;                        // of the pages that other processes may map
  std::vector<bool> is_shared;        // by page of the host
  Arena() {
    void* mapped = ::mmap(nullptr, kArena + kPage, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    auto at = reinterpret_cast<uintptr_t>(mapped);
    base = static_cast<char*>(mapped) + (kPage - at % kPage) % kPage;
    ::madvise(base, kArena, MADV_HUGEPAGE);
  }
  void protect(int access) {
    if (size_t top = ranges.top()) ::mprotect(base, (top + kPage - 1) / kPage * kPage, access);
  }
};
// Never destroyed: tensors may outlive the static objects of this library.
Arena& arena(int device) {
  static auto* all = new std::vector<Arena>(static_cast<size_t>(device_count()));
  return (*all)[static_cast<size_t>(device)];
}
std::map<char*, size_t>& pinned() {
  static auto* all = new std::map<char*, size_t>();
  return *all;
}
int g_open = 0;

size_t rounded(size_t bytes) {
  return (bytes + kRedZone + kAlignment - 1) / kAlignment * kAlignment;
}

// Device memory outside of the arenas: what is mapped elsewhere. With its size and device.
struct Mapped {
  size_t size;
  int device;
};
std::map<char*, Mapped>& mapped() {
  static auto* all = new std::map<char*, Mapped>();
  return *all;
}

// Moves the pages of a range to the file of the arena, at the same addresses. What stands beside
// the range on its first and last page moves with it.
bool share_pages(Arena& a, size_t offset, size_t size) {
  if (a.file.descriptor < 0) a.file = make_shared_file(kArena);
  if (a.file.descriptor < 0) return false;
  const size_t last = (offset + size + kHostPage - 1) / kHostPage;
  if (a.is_shared.size() < last) a.is_shared.resize(last);
  const auto pages = a.is_shared.begin();
  if (std::find(pages + static_cast<ptrdiff_t>(offset / kHostPage),
                pages + static_cast<ptrdiff_t>(last),
                false) == pages + static_cast<ptrdiff_t>(last))
    return true;
  bool all = true;
  open_memory();
  for (size_t page = offset / kHostPage; page < last && all;) {
    size_t end = page;
    while (end < last && !a.is_shared[end]) ++end;
    if (end > page) {
      const size_t begin = page * kHostPage, bytes = (end - page) * kHostPage;
      all = write_at(a.file.descriptor, a.base + begin, bytes, begin) &&
            map_at(a.base + begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   a.file.descriptor, begin) != MAP_FAILED;
      if (all)
        std::fill(a.is_shared.begin() + static_cast<ptrdiff_t>(page),
                  a.is_shared.begin() + static_cast<ptrdiff_t>(end), true);
    }
    page = end + 1;
  }
  close_memory();
  return all;
}

// Neighbours are opened and closed together.
void protect_mapped(int access) {
  for (auto at = mapped().begin(); at != mapped().end();) {
    char *begin = at->first, *end = begin;
    for (; at != mapped().end() && at->first == end; ++at) end += at->second.size;
    ::mprotect(begin, static_cast<size_t>(end - begin), access);
  }
}

}  // namespace

bool is_device_memory(const void* address, int* device) {
  auto* at = const_cast<char*>(static_cast<const char*>(address));
  for (int d = 0; d < device_count(); ++d) {
    Arena& a = arena(d);
    if (at < a.base || at >= a.base + kArena) continue;
    if (device) *device = d;
    return true;
  }
  Lock lock(device_mutex());
  auto next = mapped().upper_bound(at);
  if (next == mapped().begin()) return false;
  --next;
  if (at >= next->first + next->second.size) return false;
  if (device) *device = next->second.device;
  return true;
}

bool share_allocation(const void* address, SharedAllocation* result) {
  Lock lock(device_mutex());
  auto* at = const_cast<char*>(static_cast<const char*>(address));
  for (int d = 0; d < device_count(); ++d) {
    Arena& a = arena(d);
    auto found = a.allocated.upper_bound(at);
    if (found == a.allocated.begin()) continue;
    --found;
    if (at >= found->first + found->second) continue;
    const auto offset = static_cast<size_t>(found->first - a.base);
    *result = {a.file, d, offset, found->second};
    if (!share_pages(a, offset, found->second)) return false;
    result->file = a.file;
    return true;
  }
  return false;
}

bool take_capacity(int device, size_t bytes) {
  Lock lock(device_mutex());
  Arena& a = arena(device);
  if (a.used + bytes > capacity()) return false;
  a.used += bytes;
  return true;
}

void give_back_capacity(int device, size_t bytes) {
  Lock lock(device_mutex());
  arena(device).used -= bytes;
}

void add_device_memory(void* address, size_t size, int device) {
  Lock lock(device_mutex());
  mapped()[static_cast<char*>(address)] = {size, device};
  ::mprotect(address, size, g_open > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void remove_device_memory(void* address) {
  Lock lock(device_mutex());
  mapped().erase(static_cast<char*>(address));
}

bool is_pinned(const void* address) {
  auto* at = const_cast<char*>(static_cast<const char*>(address));
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  auto next = pinned().upper_bound(at);
  if (next == pinned().begin()) return false;
  --next;
  return at < next->first + next->second;
}

void open_memory() {
  if (g_open++ > 0) return;
  for (int d = 0; d < device_count(); ++d) arena(d).protect(PROT_READ | PROT_WRITE);
  protect_mapped(PROT_READ | PROT_WRITE);
}

void close_memory() {
  if (--g_open > 0) return;
  for (int d = 0; d < device_count(); ++d) arena(d).protect(PROT_NONE);
  protect_mapped(PROT_NONE);
}

Open::Open() {
  device_mutex().lock();
  open_memory();
}
Open::~Open() {
  close_memory();
  device_mutex().unlock();
}

}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

cudaError_t cudaMalloc(void** result, size_t bytes) {
  if (!result) return remember(cudaErrorInvalidValue);
  *result = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (cudaError_t error = refuse_if_busy()) return error;
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (cudaError_t error = refuse_in_capture()) return error;
  Arena& a = arena(current_device());
  if (a.used + bytes > capacity()) return remember(cudaErrorMemoryAllocation);
  open_memory();  // what grows the arena is opened below
  const size_t offset = a.ranges.take(rounded(bytes));
  char* at = offset == Ranges::kNone ? nullptr : a.base + offset;
  if (at) {
    a.protect(PROT_READ | PROT_WRITE);
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    // Not a number, for those who read what they have not written.
    std::memset(at, 0xff, bytes);
    ASAN_POISON_MEMORY_REGION(at + bytes, rounded(bytes) - bytes);
    a.allocated[at] = bytes;
    a.used += bytes;
  }
  close_memory();
  *result = at;
  return at ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* address) {
  if (!address) return cudaSuccess;
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  int device;
  if (!is_device_memory(address, &device)) return remember(cudaErrorInvalidValue);
  if (cudaError_t error = refuse_in_capture()) return error;
  run_device(device);  // cudaFree waits for the device
  Arena& a = arena(device);
  auto found = a.allocated.find(static_cast<char*>(address));
  if (found == a.allocated.end()) return remember(cudaErrorInvalidValue);
  size_t bytes = found->second;
  a.allocated.erase(found);
  a.used -= bytes;
  ASAN_POISON_MEMORY_REGION(address, bytes);
  a.ranges.give_back(static_cast<size_t>(static_cast<char*>(address) - a.base), rounded(bytes));
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  *total = capacity();
  *free = capacity() - arena(current_device()).used;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned) {
  if (cudaError_t error = refuse_in_capture()) return error;
  *result = std::aligned_alloc(
      kHostPage, std::max(kHostPage, (bytes + kHostPage - 1) / kHostPage * kHostPage));
  if (!*result) return remember(cudaErrorMemoryAllocation);
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  pinned()[static_cast<char*>(*result)] = std::max<size_t>(bytes, 1);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* address) {
  if (!address) return cudaSuccess;
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  if (!pinned().erase(static_cast<char*>(address))) return remember(cudaErrorInvalidValue);
  for (int d = 0; d < device_count(); ++d) run_device(d);
  std::free(address);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned) {
  if (!address || bytes == 0 || is_pinned(address)) return remember(cudaErrorInvalidValue);
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  pinned()[static_cast<char*>(address)] = bytes;
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* address) {
  std::lock_guard<std::recursive_mutex> lock(device_mutex());
  if (!pinned().count(static_cast<char*>(address))) return remember(cudaErrorInvalidValue);
  for (int d = 0; d < device_count(); ++d) run_device(d);
  pinned().erase(static_cast<char*>(address));
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* result, const void* address) {
  *result = {};
  auto* plain = const_cast<void*>(address);
  if (is_device_memory(address, &result->device)) {
    result->type = cudaMemoryTypeDevice;
    result->devicePointer = plain;
  } else if (is_pinned(address)) {
    result->type = cudaMemoryTypeHost;
    result->devicePointer = result->hostPointer = plain;
  } else {
    result->hostPointer = plain;
  }
  return cudaSuccess;
}

}  // extern "C"
