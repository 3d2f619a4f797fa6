// Pages from the system, with huge pages advised.

#include <c10/core/impl/Pages.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace c10::impl {

void* map_pages(size_t size, size_t alignment, bool huge) {
  const size_t padded = size + alignment;
  if (padded < size) {
    return nullptr;
  }
  void* raw = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) {
    return nullptr;
  }
  char* begin = static_cast<char*>(raw);
  const size_t before = -reinterpret_cast<uintptr_t>(begin) & (alignment - 1);
  const size_t after = alignment - before;
  if (before != 0) {
    munmap(begin, before);
  }
  if (after != 0) {
    munmap(begin + before + size, after);
  }
  begin += before;
  if (huge) {
    madvise(begin, size, MADV_HUGEPAGE);
  }
  return begin;
}

void unmap_pages(void* begin, size_t size) { munmap(begin, size); }

void drop_pages(void* begin, size_t size) { madvise(begin, size, MADV_DONTNEED); }

namespace {

// Reads a small file as text, without allocating.
bool read_text(const char* path, char* text, size_t capacity) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  const ssize_t length = read(file, text, capacity - 1);
  close(file);
  if (length <= 0) {
    return false;
  }
  text[length] = '\0';
  return true;
}

bool read_number(const char* path, size_t& value) {
  char text[64];
  if (!read_text(path, text, sizeof(text)) || text[0] < '0' || text[0] > '9') {
    return false;
  }
  value = std::strtoull(text, nullptr, 10);
  return true;
}

}  // namespace

size_t total_memory() {
  size_t total =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t limit = 0;
  if (read_number("/sys/fs/cgroup/memory.max", limit) && limit < total) {
    total = limit;
  }
  return total;
}

size_t available_memory() {
  size_t available = SIZE_MAX;
  char text[512];
  if (read_text("/proc/meminfo", text, sizeof(text))) {
    if (const char* line = std::strstr(text, "MemAvailable:")) {
      available = std::strtoull(line + 13, nullptr, 10) << 10;
    }
  }
  size_t limit = 0, used = 0;
  if (read_number("/sys/fs/cgroup/memory.max", limit) &&
      read_number("/sys/fs/cgroup/memory.current", used)) {
    const size_t left = limit > used ? limit - used : 0;
    available = left < available ? left : available;
  }
  return available;
}

uint64_t coarse_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

}  // namespace c10::impl
