// Device memory of other processes: a handle names the file that an allocation is in.

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "asan.h"
#include "device.h"

namespace torch_emulated_cuda {
namespace {

constexpr size_t kPage = 4096;
constexpr uint64_t kMark = 0x746f7263686d656d;

struct MemoryHandle {
  uint64_t mark = kMark;
  SharedAllocation part;
};
static_assert(sizeof(MemoryHandle) <= sizeof(cudaIpcMemHandle_t));

// What is mapped of another process, with a page before and behind that nobody may touch.
struct Import {
  char* mapping;
  size_t size;  // of the mapping
  std::pair<uint64_t, size_t> key;
  int uses = 0;
};
struct Imports {
  std::map<std::pair<uint64_t, size_t>, char*> by_handle;  // inode and offset
  std::map<char*, Import> by_address;
};
Imports& imports() {
  static auto* one = new Imports();
  return *one;
}

char* map_part(const SharedAllocation& part) {
  const int fd = open_shared_file(part.file);
  if (fd < 0) return nullptr;
  const size_t before = part.offset % kPage;
  const size_t bytes = (before + part.size + kPage - 1) / kPage * kPage;
  void* space = map_at(nullptr, bytes + 2 * kPage, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return ::close(fd), nullptr;
  char* begin = static_cast<char*>(space) + kPage;
  void* mapped = map_at(begin, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, part.offset - before);
  ::close(fd);
  if (mapped == MAP_FAILED) return ::munmap(space, bytes + 2 * kPage), nullptr;
  ASAN_POISON_MEMORY_REGION(begin, before);
  ASAN_POISON_MEMORY_REGION(begin + before + part.size, bytes - before - part.size);
  add_device_memory(begin, bytes, part.device < device_count() ? part.device : current_device());
  const std::pair<uint64_t, size_t> key(part.file.inode, part.offset);
  imports().by_address[begin + before] = {begin, bytes, key};
  imports().by_handle[key] = begin + before;
  return begin + before;
}

}  // namespace
}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address) {
  MemoryHandle made;
  if (!handle || !share_allocation(address, &made.part)) return remember(cudaErrorInvalidValue);
  *handle = {};
  std::memcpy(handle, &made, sizeof made);
  return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle, unsigned flags) {
  MemoryHandle given;
  std::memcpy(static_cast<void*>(&given), &handle, sizeof given);
  if (!address || given.mark != kMark || flags != cudaIpcMemLazyEnablePeerAccess)
    return remember(cudaErrorInvalidValue);
  if (given.part.file.process == ::getpid()) return remember(cudaErrorDeviceUninitialized);
  Lock lock(device_mutex());
  if (cudaError_t error = refuse_in_capture()) return error;
  auto found = imports().by_handle.find({given.part.file.inode, given.part.offset});
  char* at = found == imports().by_handle.end() ? map_part(given.part) : found->second;
  if (!at) return remember(cudaErrorMapBufferObjectFailed);
  ++imports().by_address[at].uses;
  *address = at;
  return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void* address) {
  Lock lock(device_mutex());
  auto found = imports().by_address.find(static_cast<char*>(address));
  if (found == imports().by_address.end()) return remember(cudaErrorInvalidValue);
  if (cudaError_t error = refuse_in_capture()) return error;
  if (--found->second.uses > 0) return cudaSuccess;
  for (int d = 0; d < device_count(); ++d) run_device(d);
  const Import import = found->second;
  imports().by_handle.erase(import.key);
  imports().by_address.erase(found);
  remove_device_memory(import.mapping);
  ASAN_UNPOISON_MEMORY_REGION(import.mapping, import.size);
  ::munmap(import.mapping - kPage, import.size + 2 * kPage);
  return cudaSuccess;
}

}  // extern "C"
