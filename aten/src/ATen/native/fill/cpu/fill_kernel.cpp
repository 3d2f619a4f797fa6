// Fills memory with one element, bypassing the caches for large blocks.

#include <cstring>

#include <ATen/native/common/cpu/StreamedStores.h>
#include <ATen/native/fill/fill.h>

namespace at::native {

static void fill_pattern(void* data, const void* value, size_t item, int64_t n) {
  char* p = static_cast<char*>(data);
  char* const end = p + n * static_cast<int64_t>(item);
  alignas(kVecBytes) char pattern[kVecBytes];
  for (size_t i = 0; i < sizeof pattern; i += item) std::memcpy(pattern + i, value, item);
  // Elements are aligned to their size, so every aligned vector begins with a complete one.
  while (p < end && reinterpret_cast<uintptr_t>(p) % kVecBytes) {
    std::memcpy(p, value, item);
    p += item;
  }
  Words v;
  std::memcpy(&v, pattern, sizeof v);
  if (leaves_caches(end - p)) {
    for (; end - p >= kVecBytes; p += kVecBytes) stream(reinterpret_cast<Words*>(p), v);
    streams_end();
  } else {
    for (; end - p >= kVecBytes; p += kVecBytes) *reinterpret_cast<Words*>(p) = v;
  }
  if (p < end) std::memcpy(p, pattern, end - p);
}

REGISTER_DISPATCH(fill_pattern_stub, &fill_pattern)

}  // namespace at::native
