// from_file: a tensor over the memory of a mapped file.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/from_file_native.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace at::native {
namespace {

class File {
 public:
  File(const std::string& name, bool shared) : name_(name) {
    fd_ = shared ? open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)
                 : open(name.c_str(), O_RDONLY | O_CLOEXEC);
    TORCH_CHECK(fd_ >= 0, "from_file: cannot open ", name,
                shared ? " to read and write: " : " to read: ", std::strerror(errno));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(fd_); }

  size_t size() const {
    struct stat facts;
    TORCH_CHECK(fstat(fd_, &facts) == 0, "from_file: cannot read the size of ", name_, ": ",
                std::strerror(errno));
    TORCH_CHECK(S_ISREG(facts.st_mode), "from_file: ", name_, " is not a file of bytes");
    return static_cast<size_t>(facts.st_size);
  }
  // New bytes are 0.
  void grow(size_t nbytes) {
    TORCH_CHECK(ftruncate(fd_, static_cast<off_t>(nbytes)) == 0, "from_file: cannot make ", name_,
                " ", nbytes, " bytes long: ", std::strerror(errno));
  }
  void* map(size_t nbytes, bool shared) const {
    void* data =
        mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, fd_, 0);
    TORCH_CHECK(data != MAP_FAILED, "from_file: cannot map ", nbytes, " bytes of ", name_, ": ",
                std::strerror(errno));
    return data;
  }

 private:
  const std::string& name_;
  int fd_ = -1;
};

}  // namespace

Tensor from_file(std::string_view filename, std::optional<bool> shared, std::optional<int64_t> size,
                 std::optional<ScalarType> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin_memory) {
  const int64_t n = size.value_or(0);
  TORCH_CHECK(n >= 0, "from_file: size must not be negative, but it is ", n);
  TORCH_CHECK(!device || device->is_cpu(), "from_file: the memory of a file is on the CPU, not on ",
              *device);
  const bool is_shared = shared.value_or(false);
  const TensorOptions options(dtype.value_or(get_default_dtype()));
  const std::string name(filename);
  File file(name, is_shared);
  size_t nbytes = 0;
  TORCH_CHECK(
      !__builtin_mul_overflow(static_cast<size_t>(n), elementSize(options.dtype()), &nbytes) &&
          nbytes <= static_cast<size_t>(INT64_MAX),
      "from_file: size=", n, " is too large");
  const size_t before = file.size();
  if (nbytes == 0)
    return at::empty({0}, options.dtype(), layout, std::nullopt, pin_memory, std::nullopt);
  if (before < nbytes) {
    TORCH_CHECK(is_shared, "from_file: ", name, " has ", before, " bytes, but ", nbytes,
                " are needed");
    file.grow(nbytes);
  }
  const auto unmap = [nbytes](void* data) { munmap(data, nbytes); };
  return at::from_blob(file.map(nbytes, is_shared), {n}, unmap, options);
}

}  // namespace at::native
