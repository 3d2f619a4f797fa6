#pragma once
// Files without a name, in memory, that other processes find through /proc. They are gone when the
// last process that has them open or mapped has ended, however it ended.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace c10::cuda::impl {

// What another process needs to open the file.
struct FileId {
  pid_t process = 0;
  int descriptor = -1;
  uint64_t inode = 0;

  std::string text() const;
  // False if the text is not one that text() made.
  static bool parse(const std::string& text, FileId* result);
};

// A file of zeros, which takes memory where it is written. The descriptor is -1 if there is none.
FileId make_shared_file(size_t size);
// A descriptor of another process's file, which the caller closes; -1 if that process has ended.
int open_shared_file(const FileId& id);

}  // namespace c10::cuda::impl
