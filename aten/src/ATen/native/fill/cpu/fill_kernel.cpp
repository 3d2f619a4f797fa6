// Fills memory with one element, bypassing the caches for large blocks.

#include <cstring>

#include <ATen/native/common/cpu/StreamedStores.h>
#include <ATen/native/fill/fill.h>

namespace at::native {

namespace {

// Loops of their own, so that the pattern stays in a register.
char* store_vectors(char* p, const char* end, Words v) {
  for (; end - p >= 4 * kVecBytes; p += 4 * kVecBytes)
    for (int k = 0; k < 4; ++k) reinterpret_cast<Words*>(p)[k] = v;
  for (; end - p >= kVecBytes; p += kVecBytes) *reinterpret_cast<Words*>(p) = v;
  return p;
}

char* stream_vectors(char* p, const char* end, Words v) {
  for (; end - p >= kVecBytes; p += kVecBytes) stream(reinterpret_cast<Words*>(p), v);
  streams_end();
  return p;
}

}  // namespace

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
  p = leaves_caches(end - p) ? stream_vectors(p, end, v) : store_vectors(p, end, v);
  if (p < end) std::memcpy(p, pattern, end - p);
}

REGISTER_DISPATCH(fill_pattern_stub, &fill_pattern)

}  // namespace at::native
