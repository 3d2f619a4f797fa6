// Takes descriptors of another process, and maps what they stand for.

#include <c10/cuda/impl/ImportedPages.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

namespace c10::cuda::impl {
namespace {

constexpr uint64_t kMark = 0x746f726368706167;
struct Header {
  uint64_t mark, page;
  int32_t process, count;
};

struct Descriptor {
  int value;
  explicit Descriptor(long value) : value(static_cast<int>(value)) {}
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

// glibc has no functions for these two calls everywhere.
long open_process(int process) {
#ifdef SYS_pidfd_open
  return ::syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  return errno = ENOSYS, -1;
#endif
}
long take_descriptor(int process, int descriptor) {
#ifdef SYS_pidfd_getfd
  return ::syscall(SYS_pidfd_getfd, process, descriptor, 0);
#else
  (void)process, (void)descriptor;
  return errno = ENOSYS, -1;
#endif
}

}  // namespace

std::string ExportedPages::bytes() const {
  const Header header{kMark, page, process, static_cast<int32_t>(descriptors.size())};
  std::string all(reinterpret_cast<const char*>(&header), sizeof header);
  all.append(reinterpret_cast<const char*>(descriptors.data()), descriptors.size() * sizeof(int));
  return all;
}

bool ExportedPages::parse(const std::string& bytes, ExportedPages* result) {
  Header header;
  if (bytes.size() <= sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.mark != kMark || header.count <= 0 || header.page == 0 ||
      bytes.size() != sizeof header + static_cast<size_t>(header.count) * sizeof(int))
    return false;
  result->process = header.process;
  result->page = header.page;
  result->descriptors.resize(static_cast<size_t>(header.count));
  std::memcpy(result->descriptors.data(), bytes.data() + sizeof header,
              bytes.size() - sizeof header);
  return true;
}

ImportedPages::ImportedPages(DeviceIndex device, const ExportedPages& pages)
    : page_(pages.page), size_(pages.page * pages.descriptors.size()) {
  TORCH_CHECK(DriverApi::get(),
              "the sender uses expandable_segments, and the driver here has none");
  C10_CUDA_CHECK(cudaFree(nullptr));  // the runtime makes the device's context
  try {
    map(device, pages);
  } catch (...) {
    release();
    throw;
  }
}

ImportedPages::~ImportedPages() { release(); }

void ImportedPages::map(DeviceIndex device, const ExportedPages& pages) {
  const DriverApi& driver = *DriverApi::get();
  const Descriptor process(open_process(pages.process));
  TORCH_CHECK(process.value >= 0, "the process has ended: ", std::strerror(errno));
  for (int theirs : pages.descriptors) {
    const Descriptor mine(take_descriptor(process.value, theirs));
    TORCH_CHECK(
        mine.value >= 0, "pidfd_getfd: ", std::strerror(errno),
        ". Memory of expandable_segments can be sent to processes that may trace the sender "
        "(see kernel.yama.ptrace_scope); that of other segments to all");
    CUmemGenericAllocationHandle handle = 0;
    driver.check(
        driver.mem_import(&handle, reinterpret_cast<void*>(static_cast<intptr_t>(mine.value)),
                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
        "cuMemImportFromShareableHandle");
    handles_.push_back(handle);
  }
  driver.check(driver.mem_address_reserve(&base_, size_, 0, 0, 0), "cuMemAddressReserve");
  for (; mapped_ < handles_.size(); ++mapped_)
    driver.check(driver.mem_map(base_ + mapped_ * page_, page_, 0, handles_[mapped_], 0),
                 "cuMemMap");
  driver.set_access(base_, size_, device);
}

void ImportedPages::release() {
  const DriverApi& driver = *DriverApi::get();
  for (size_t k = 0; k < mapped_; ++k) (void)driver.mem_unmap(base_ + k * page_, page_);
  for (CUmemGenericAllocationHandle handle : handles_) (void)driver.mem_release(handle);
  if (base_) (void)driver.mem_address_free(base_, size_);
}

}  // namespace c10::cuda::impl
