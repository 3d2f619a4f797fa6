#pragma once
// Pages of another process's expandable segment, mapped here.
//
// The sender exports a file descriptor for each page, which the receiver duplicates out of the
// sender's table (pidfd_getfd): the system allows that to whoever may trace the sender.

#include <memory>
#include <string>
#include <vector>

#include <c10/core/Device.h>
#include <c10/cuda/impl/DriverApi.h>

namespace c10::cuda::impl {

struct ExportedPages {
  int process = 0;
  size_t page = 0;               // bytes of each
  std::vector<int> descriptors;  // in the table of the process

  std::string bytes() const;
  // False if the bytes are not those of such pages.
  static bool parse(const std::string& bytes, ExportedPages* result);
};

class ImportedPages {
 public:
  // Throws if the process has ended, or may not be traced.
  ImportedPages(DeviceIndex device, const ExportedPages& pages);
  // The caller must ensure that no work uses the pages.
  ~ImportedPages();
  ImportedPages(const ImportedPages&) = delete;
  ImportedPages& operator=(const ImportedPages&) = delete;

  char* base() const { return reinterpret_cast<char*>(base_); }

 private:
  void map(DeviceIndex device, const ExportedPages& pages);
  void release();

  size_t page_, size_;
  CUdeviceptr base_ = 0;
  size_t mapped_ = 0;  // pages
  std::vector<CUmemGenericAllocationHandle> handles_;
};

}  // namespace c10::cuda::impl
