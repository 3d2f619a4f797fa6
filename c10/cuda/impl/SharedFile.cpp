// Files in memory, found by other processes through /proc.

#include <c10/cuda/impl/SharedFile.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace c10::cuda::impl {

std::string FileId::text() const {
  char all[64];
  std::snprintf(all, sizeof all, "%d:%d:%" PRIu64, static_cast<int>(process), descriptor, inode);
  return all;
}

bool FileId::parse(const std::string& text, FileId* result) {
  int process = 0;
  if (std::sscanf(text.c_str(), "%d:%d:%" SCNu64, &process, &result->descriptor, &result->inode) !=
      3)
    return false;
  result->process = process;
  return true;
}

FileId make_shared_file(size_t size) {
  FileId id;
  const int fd = ::memfd_create("torch_cuda", MFD_CLOEXEC);
  struct stat status;
  if (fd < 0) return id;
  if (::ftruncate(fd, static_cast<off_t>(size)) != 0 || ::fstat(fd, &status) != 0) {
    ::close(fd);
    return id;
  }
  id.process = ::getpid();
  id.descriptor = fd;
  id.inode = status.st_ino;
  return id;
}

int open_shared_file(const FileId& id) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(id.process), id.descriptor);
  struct stat status;
  // The number of the process, or of the descriptor, may be another one's by now.
  if (::stat(path, &status) != 0 || status.st_ino != id.inode) return -1;
  return ::open(path, O_RDWR | O_CLOEXEC);
}

}  // namespace c10::cuda::impl
