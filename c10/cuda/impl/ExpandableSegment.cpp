// See Note [Expandable segments].

#include <c10/cuda/impl/ExpandableSegment.h>

#include <unistd.h>

#include <memory>

#include <c10/cuda/impl/DeviceScope.h>

namespace c10::cuda::impl {
namespace {

CUmemAllocationProp memory_of(DeviceIndex device) {
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind.location.id = device;
  // For processes that it is sent to.
  int can_export = 0;
  if (DriverApi::get()->device_get_attribute(
          &can_export, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device) ==
          CUDA_SUCCESS &&
      can_export)
    kind.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return kind;
}

size_t granularity(DeviceIndex device) {
  const DriverApi& driver = *DriverApi::get();
  const CUmemAllocationProp kind = memory_of(device);
  size_t bytes = 0;
  driver.check(
      driver.mem_get_allocation_granularity(&bytes, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
      "cuMemGetAllocationGranularity");
  return bytes;
}

bool has_virtual_memory(DeviceIndex device) {
  const DriverApi* driver = DriverApi::get();
  int has_calls = 0;
  return driver &&
         driver->device_get_attribute(&has_calls,
                                      CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                      device) == CUDA_SUCCESS &&
         has_calls;
}

}  // namespace

bool ExpandableSegment::is_supported(DeviceIndex device) {
  // Each allocation asks: the driver is asked once.
  static const auto* all = [] {
    auto* devices = new std::vector<char>;
    for (DeviceIndex d = 0; d < device_count(); ++d) devices->push_back(has_virtual_memory(d));
    return devices;
  }();
  return (*all)[static_cast<size_t>(device)] != 0;
}

ExpandableSegment* ExpandableSegment::make(DeviceIndex device, size_t page,
                                           std::vector<DeviceIndex> peers) {
  const DriverApi& driver = *DriverApi::get();
  C10_CUDA_CHECK(cudaFree(nullptr));  // the runtime makes the device's context
  const size_t step = granularity(device);
  std::unique_ptr<ExpandableSegment> made(new ExpandableSegment());
  made->device_ = device;
  made->page_ = (page + step - 1) / step * step;
  made->peers_ = std::move(peers);
  // More addresses than memory: free pages between those in use may be too few for a request.
  const size_t total = device_properties(device).totalGlobalMem;
  made->handles_.resize((total + total / 8 + made->page_ - 1) / made->page_);
  made->size_ = made->handles_.size() * made->page_;
  CUdeviceptr base = 0;
  const CUresult result = driver.mem_address_reserve(&base, made->size_, 0, 0, 0);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  driver.check(result, "cuMemAddressReserve");
  made->base_ = reinterpret_cast<char*>(base);
  return made.release();
}

ExpandableSegment::~ExpandableSegment() {
  if (base_) (void)DriverApi::get()->mem_address_free(reinterpret_cast<CUdeviceptr>(base_), size_);
}

void ExpandableSegment::set_access(size_t first, size_t last, DeviceIndex device) const {
  DriverApi::get()->set_access(address_of(first), (last - first) * page_, device);
}

bool ExpandableSegment::map(char* begin, char* end) {
  const DriverApi& driver = *DriverApi::get();
  const CUmemAllocationProp kind = memory_of(device_);
  const size_t first = offset(begin) / page_, last = offset(end) / page_;
  for (size_t k = first; k < last; ++k) {
    CUmemGenericAllocationHandle handle;
    const CUresult result = driver.mem_create(&handle, page_, &kind, 0);
    if (result == CUDA_SUCCESS) {
      handles_[k] = handle;
      continue;
    }
    for (size_t made = first; made < k; ++made)
      driver.check(driver.mem_release(*std::exchange(handles_[made], std::nullopt)),
                   "cuMemRelease");
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
    driver.check(result, "cuMemCreate");
  }
  for (size_t k = first; k < last; ++k)
    driver.check(driver.mem_map(address_of(k), page_, 0, *handles_[k], 0), "cuMemMap");
  set_access(first, last, device_);
  for (DeviceIndex peer : peers_) set_access(first, last, peer);
  return true;
}

void ExpandableSegment::unmap(char* begin, char* end) {
  const DriverApi& driver = *DriverApi::get();
  const size_t first = offset(begin) / page_, last = offset(end) / page_;
  for (size_t k = first; k < last; ++k) {
    driver.check(driver.mem_unmap(address_of(k), page_), "cuMemUnmap");
    driver.check(driver.mem_release(*std::exchange(handles_[k], std::nullopt)), "cuMemRelease");
  }
}

ExportedPages ExpandableSegment::export_pages(char* begin, char* end) const {
  const DriverApi& driver = *DriverApi::get();
  ExportedPages pages{::getpid(), page_, {}};
  for (size_t k = offset(begin) / page_; k < offset(end) / page_; ++k) {
    int descriptor = -1;
    const CUresult result =
        driver.mem_export(&descriptor, *handles_[k], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    if (result == CUDA_SUCCESS) {
      pages.descriptors.push_back(descriptor);
      continue;
    }
    for (int open : pages.descriptors) ::close(open);
    driver.check(result, "cuMemExportToShareableHandle");
  }
  return pages;
}

void ExpandableSegment::allow(DeviceIndex peer) {
  peers_.push_back(peer);
  for (size_t first = 0, last; first < handles_.size(); first = last + 1) {
    for (last = first; last < handles_.size() && handles_[last]; ++last) continue;
    if (last > first) set_access(first, last, peer);
  }
}

}  // namespace c10::cuda::impl
