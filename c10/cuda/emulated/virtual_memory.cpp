// The driver's calls that reserve addresses and map memory there. Memory is a part of a file, so
// that it can be mapped, unmapped, and mapped elsewhere.

#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "device.h"
#include "ranges.h"
#include "shared_file.h"

namespace torch_emulated_cuda {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr size_t kFile = size_t{1} << 36;

// The file of a device's memory.
struct Physical {
  FileId file = make_shared_file(kFile);
  Ranges ranges{kFile};
};
Physical& physical(int device) {
  static auto* all = new std::vector<Physical>(static_cast<size_t>(device_count()));
  return (*all)[static_cast<size_t>(device)];
}

struct Handle {
  int device;
  size_t offset, size;
  int descriptor;  // of the file that it is a part of
  bool is_exportable = false, is_imported = false;
  int mappings = 0;
  bool is_released = false;
};
struct Mapping {
  size_t size;
  Handle* handle;
};
// Reserved addresses with their sizes, and what is mapped.
struct State {
  std::map<char*, size_t> reserved;
  std::map<char*, Mapping> mapped;
};
State& state() {
  static auto* one = new State();
  return *one;
}

char* pointer(CUdeviceptr address) { return reinterpret_cast<char*>(address); }

bool is_within_reserved(char* begin, size_t size) {
  auto next = state().reserved.upper_bound(begin);
  if (next == state().reserved.begin()) return false;
  --next;
  return begin + size <= next->first + next->second;
}

// The mappings that begin in a range; false if they do not fill it.
template <typename F>
bool each_mapping(char* begin, size_t size, F f) {
  char* at = begin;
  while (at < begin + size) {
    auto found = state().mapped.find(at);
    if (found == state().mapped.end()) return false;
    f(found);
    at += found->second.size;
  }
  return at == begin + size;
}

void free_if_unused(Handle* handle) {
  if (!handle->is_released || handle->mappings > 0) return;
  if (handle->is_imported) {
    ::close(handle->descriptor);
    delete handle;
    return;
  }
  Physical& p = physical(handle->device);
  ::fallocate(p.file.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(handle->offset), static_cast<off_t>(handle->size));
  p.ranges.give_back(handle->offset, handle->size);
  give_back_capacity(handle->device, handle->size);
  delete handle;
}

// Not a number, for those who read what they have not written.
bool fill(const Physical& p, size_t offset, size_t size) {
  static const auto* bytes = new std::vector<char>(kGranularity, '\xff');
  for (size_t done = 0; done < size; done += kGranularity) {
    if (!write_at(p.file.descriptor, bytes->data(), kGranularity, offset + done)) return false;
  }
  return true;
}

// What a descriptor that is exported has in its file.
struct Exported {
  uint64_t mark = 0x746f726368766d6d;
  FileId file;
  int device = 0;
  size_t offset = 0, size = 0;
};

bool is_whole(size_t size) { return size > 0 && size % kGranularity == 0; }

}  // namespace
}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS               ? "no error"
          : error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory"
                                              : "invalid argument";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (device < 0 || device >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute != CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED &&
      attribute != CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)
    return CUDA_ERROR_INVALID_VALUE;
  *value = 1;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* result, size_t size, size_t, CUdeviceptr,
                             unsigned long long) {
  if (!is_whole(size)) return CUDA_ERROR_INVALID_VALUE;
  void* found = map_at(nullptr, size + kGranularity, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  // Cut off what stands before and behind.
  auto at = reinterpret_cast<uintptr_t>(found);
  const size_t before = (kGranularity - at % kGranularity) % kGranularity;
  char* begin = static_cast<char*>(found) + before;
  if (before) ::munmap(found, before);
  ::munmap(begin + size, kGranularity - before);
  Lock lock(device_mutex());
  state().reserved[begin] = size;
  *result = reinterpret_cast<CUdeviceptr>(begin);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  Lock lock(device_mutex());
  char* begin = pointer(address);
  auto found = state().reserved.find(begin);
  if (found == state().reserved.end() || found->second != size) return CUDA_ERROR_INVALID_VALUE;
  auto next = state().mapped.lower_bound(begin);
  if (next != state().mapped.end() && next->first < begin + size) return CUDA_ERROR_INVALID_VALUE;
  state().reserved.erase(found);
  ::munmap(begin, size);
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* result, size_t size,
                     const CUmemAllocationProp* kind, unsigned long long) {
  if (!is_whole(size) || kind->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      kind->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  const int device = kind->location.id;
  if (device < 0 || device >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock(device_mutex());
  if (!take_capacity(device, size)) return CUDA_ERROR_OUT_OF_MEMORY;
  Physical& p = physical(device);
  const size_t offset = p.ranges.take(size);
  if (offset == Ranges::kNone || !fill(p, offset, size)) {
    if (offset != Ranges::kNone) p.ranges.give_back(offset, size);
    give_back_capacity(device, size);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *result = reinterpret_cast<CUmemGenericAllocationHandle>(
      new Handle{device, offset, size, p.file.descriptor,
                 kind->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR});
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  auto* mine = reinterpret_cast<Handle*>(handle);
  Lock lock(device_mutex());
  if (!mine || mine->is_released) return CUDA_ERROR_INVALID_VALUE;
  mine->is_released = true;
  free_if_unused(mine);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  auto* mine = reinterpret_cast<Handle*>(handle);
  char* begin = pointer(address);
  Lock lock(device_mutex());
  if (offset != 0 || size != mine->size || !is_within_reserved(begin, size))
    return CUDA_ERROR_INVALID_VALUE;
  auto next = state().mapped.lower_bound(begin);
  if (next != state().mapped.end() && next->first < begin + size) return CUDA_ERROR_INVALID_VALUE;
  if (map_at(begin, size, PROT_NONE, MAP_SHARED | MAP_FIXED, mine->descriptor, mine->offset) ==
      MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ++mine->mappings;
  state().mapped[begin] = {size, mine};
  return CUDA_SUCCESS;
}

// Memory that is mapped is nobody's before this call.
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc* access,
                        size_t count) {
  Lock lock(device_mutex());
  bool opens = false;
  for (size_t k = 0; k < count; ++k) {
    if (access[k].location.id < 0 || access[k].location.id >= device_count())
      return CUDA_ERROR_INVALID_DEVICE;
    opens |= access[k].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  const bool is_filled = each_mapping(pointer(address), size, [&](auto found) {
    if (opens) add_device_memory(found->first, found->second.size, found->second.handle->device);
  });
  return is_filled ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemExportToShareableHandle(void* result, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long) {
  const auto* mine = reinterpret_cast<Handle*>(handle);
  Lock lock(device_mutex());
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !mine->is_exportable)
    return CUDA_ERROR_INVALID_VALUE;
  Exported content;
  content.file = physical(mine->device).file;
  content.device = mine->device;
  content.offset = mine->offset;
  content.size = mine->size;
  const FileId file = make_shared_file(sizeof content);
  if (file.descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!write_at(file.descriptor, &content, sizeof content, 0))
    return ::close(file.descriptor), CUDA_ERROR_OUT_OF_MEMORY;
  *static_cast<int*>(result) = file.descriptor;
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* result, void* handle,
                                        CUmemAllocationHandleType type) {
  Exported content;
  const auto descriptor = static_cast<int>(reinterpret_cast<intptr_t>(handle));
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
      ::pread(descriptor, static_cast<void*>(&content), sizeof content, 0) != sizeof content ||
      content.mark != Exported().mark)
    return CUDA_ERROR_INVALID_VALUE;
  const int file = open_shared_file(content.file);
  if (file < 0) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<Handle>();
  made->device = content.device < device_count() ? content.device : current_device();
  made->offset = content.offset;
  made->size = content.size;
  made->descriptor = file;
  made->is_imported = true;
  *result = reinterpret_cast<CUmemGenericAllocationHandle>(made.release());
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  Lock lock(device_mutex());
  char* begin = pointer(address);
  if (!each_mapping(begin, size, [](auto) {})) return CUDA_ERROR_INVALID_VALUE;
  for (char* at = begin; at < begin + size;) {
    auto found = state().mapped.find(at);
    const Mapping mapping = found->second;
    state().mapped.erase(found);
    remove_device_memory(at);
    --mapping.handle->mappings;
    free_if_unused(mapping.handle);
    at += mapping.size;
  }
  map_at(begin, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  struct Entry {
    const char* name;
    void* function;
  };
#define ENTRY(function)                           \
  {                                               \
    #function, reinterpret_cast<void*>(&function) \
  }
  static const Entry entries[] = {ENTRY(cuGetErrorString),
                                  ENTRY(cuDeviceGetAttribute),
                                  ENTRY(cuDeviceGetDevResource),
                                  ENTRY(cuDevSmResourceSplitByCount),
                                  ENTRY(cuDevResourceGenerateDesc),
                                  ENTRY(cuGreenCtxCreate),
                                  ENTRY(cuGreenCtxDestroy),
                                  ENTRY(cuGreenCtxStreamCreate),
                                  ENTRY(cuMemGetAllocationGranularity),
                                  ENTRY(cuMemAddressReserve),
                                  ENTRY(cuMemAddressFree),
                                  ENTRY(cuMemCreate),
                                  ENTRY(cuMemRelease),
                                  ENTRY(cuMemMap),
                                  ENTRY(cuMemUnmap),
                                  ENTRY(cuMemSetAccess),
                                  ENTRY(cuMemExportToShareableHandle),
                                  ENTRY(cuMemImportFromShareableHandle)};
#undef ENTRY
  // TORCH_CUDA_EMULATED_VMM=0: a driver without these calls.
  static const bool has_calls = setting("TORCH_CUDA_EMULATED_VMM", 1) != 0;
  *function = nullptr;
  for (const Entry& entry : entries) {
    if (has_calls && std::string(name) == entry.name) *function = entry.function;
  }
  if (status)
    *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // extern "C"
