// Fills memory with one element, bypassing the caches for large blocks.

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/fill/fill.h>

namespace at::native {
namespace {

typedef long long Words __attribute__((vector_size(kVecBytes), may_alias));

// The size of the last cache, as the system says.
int64_t last_cache_bytes() {
  int64_t kib = 0;
  if (std::FILE* file = std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r")) {
    if (std::fscanf(file, "%" SCNd64 "K", &kib) != 1) kib = 0;
    std::fclose(file);
  }
  return kib > 0 ? kib << 10 : 4 << 20;
}

// Whether so much data would leave the caches before it is read again.
bool leaves_caches(int64_t bytes) {
  if (bytes < 4 << 20) return false;
  static const int64_t last_cache = last_cache_bytes();
  return bytes > last_cache / 4 * 3;
}

inline void stream(Words* p, Words v) {
#if defined(CPU_CAPABILITY_AVX512)
  __builtin_ia32_movntdq512(p, v);
#elif defined(CPU_CAPABILITY_AVX2)
  __builtin_ia32_movntdq256(p, v);
#elif defined(__x86_64__)
  __builtin_ia32_movntdq(p, v);
#else
  *p = v;
#endif
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
  if (leaves_caches(end - p)) {
    for (; end - p >= kVecBytes; p += kVecBytes) stream(reinterpret_cast<Words*>(p), v);
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
  } else {
    for (; end - p >= kVecBytes; p += kVecBytes) *reinterpret_cast<Words*>(p) = v;
  }
  if (p < end) std::memcpy(p, pattern, end - p);
}

REGISTER_DISPATCH(fill_pattern_stub, &fill_pattern)

}  // namespace at::native
