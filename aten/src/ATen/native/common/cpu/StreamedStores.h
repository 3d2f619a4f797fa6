#pragma once
// Stores past the caches, for results that leave them before they are read again.

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

typedef long long Words __attribute__((vector_size(kVecBytes), may_alias));

C10_ALWAYS_INLINE Words load_words(const char* from) {
  Words v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// The size of the last cache, as the system says.
inline int64_t last_cache_bytes() {
  int64_t kib = 0;
  if (std::FILE* file = std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r")) {
    if (std::fscanf(file, "%" SCNd64 "K", &kib) != 1) kib = 0;
    std::fclose(file);
  }
  return kib > 0 ? kib << 10 : 4 << 20;
}

// Whether so much data would leave the caches before it is read again.
inline bool leaves_caches(int64_t bytes) {
  if (bytes < 4 << 20) return false;
  static const int64_t last_cache = last_cache_bytes();
  return bytes > last_cache / 4 * 3;
}

// The address is a multiple of kVecBytes. streams_end() follows the last store.
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

inline void streams_end() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
