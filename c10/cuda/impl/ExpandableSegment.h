#pragma once
// A range of addresses of a device that memory is mapped to page by page.
//
// Note [Expandable segments]
// A segment of cudaMalloc keeps its size: what programs with growing requests free is in pieces too
// small for the next request. An expandable segment reserves as many addresses as the device has
// memory, which costs nothing, and maps pages (2 MiB for small requests, 20 MiB for large ones)
// where they are needed. A free block at its end grows instead of staying behind, and free pages
// anywhere can be unmapped.

#include <optional>
#include <vector>

#include <c10/core/Device.h>
#include <c10/cuda/impl/DriverApi.h>
#include <c10/cuda/impl/ImportedPages.h>

namespace c10::cuda::impl {

class ExpandableSegment {
 public:
  // Whether the device and its driver have what is needed.
  static bool is_supported(DeviceIndex device);

  // Reserves addresses. Null if there are not so many.
  static ExpandableSegment* make(DeviceIndex device, size_t page, std::vector<DeviceIndex> peers);
  // All pages must be unmapped.
  ~ExpandableSegment();
  ExpandableSegment(const ExpandableSegment&) = delete;
  ExpandableSegment& operator=(const ExpandableSegment&) = delete;

  char* base() const { return base_; }
  size_t size() const { return size_; }
  size_t page() const { return page_; }
  // The beginning of the first page at or behind an address, and the end of the last one before it.
  char* round_up(char* address) const {
    return base_ + (offset(address) + page_ - 1) / page_ * page_;
  }
  char* round_down(char* address) const { return base_ + offset(address) / page_ * page_; }

  // Whole pages. False if the device has no memory for all of them: then none is mapped.
  bool map(char* begin, char* end);
  // The caller must ensure that no work uses the pages.
  void unmap(char* begin, char* end);
  // A descriptor for each page, which the caller closes, by which another process maps it.
  ExportedPages export_pages(char* begin, char* end) const;
  // Another device reads and writes the segment directly.
  void allow(DeviceIndex peer);

 private:
  ExpandableSegment() = default;
  size_t offset(char* address) const { return static_cast<size_t>(address - base_); }
  CUdeviceptr address_of(size_t page) const {
    return reinterpret_cast<CUdeviceptr>(base_ + page * page_);
  }
  void set_access(size_t first, size_t last, DeviceIndex device) const;

  DeviceIndex device_ = 0;
  size_t page_ = 0, size_ = 0;
  char* base_ = nullptr;
  std::vector<DeviceIndex> peers_;
  std::vector<std::optional<CUmemGenericAllocationHandle>> handles_;  // of pages that are mapped
};

}  // namespace c10::cuda::impl
