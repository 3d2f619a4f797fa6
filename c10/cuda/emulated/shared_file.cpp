// Calls of the system for memory that is shared.

#include "shared_file.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace torch_emulated_cuda {

bool is_alive(pid_t process) {
  char path[64], state = 'Z';
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  std::FILE* file = std::fopen(path, "r");
  if (!file) return false;
  // PID (NAME) STATE ...; Z and X have ended and wait for their parent.
  const bool is_read = std::fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  std::fclose(file);
  return is_read && state != 'Z' && state != 'X';
}

void* map_at(void* address, size_t size, int access, int flags, int descriptor, size_t offset) {
  return reinterpret_cast<void*>(
      ::syscall(SYS_mmap, address, size, access, flags, descriptor, offset));
}

bool write_at(int descriptor, const void* bytes, size_t size, size_t offset) {
  for (size_t done = 0; done < size;) {
    const long count = ::syscall(SYS_pwrite64, descriptor, static_cast<const char*>(bytes) + done,
                                 size - done, offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace torch_emulated_cuda
