// Fills memory with one element, bypassing the caches for large blocks.

#include <cstring>

#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/ShortRuns.h>
#include <ATen/native/common/cpu/StreamedStores.h>
#include <ATen/native/fill/fill.h>

namespace at::native {

namespace {

// A loop of its own, so that the pattern stays in a register.
char* stream_vectors(char* p, const char* end, Words v) {
  for (; end - p >= kVecBytes; p += kVecBytes) stream(reinterpret_cast<Words*>(p), v);
  streams_end();
  return p;
}

// n elements `step` bytes apart.
template <typename T>
void fill_apart(char* p, int64_t step, int64_t n, const void* value) {
  T element;
  std::memcpy(&element, value, sizeof element);
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i, p += step) std::memcpy(p, &element, sizeof element);
}

// At least one vector of the pattern; the first and the last may overlap others.
C10_ALWAYS_INLINE void fill_run(char* p, int64_t bytes, Words v, int64_t item, bool streams) {
  char* const last = p + bytes - kVecBytes;
  std::memcpy(p, &v, kVecBytes);
  // Elements are aligned to their size, so every aligned vector begins with a complete one.
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % kVecBytes);
  const bool aligns = (past & (item - 1)) == 0;
  p += kVecBytes - (aligns ? past : 0);
  if (streams && aligns) p = stream_vectors(p, last, v);
#pragma GCC unroll 4
  for (; p < last; p += kVecBytes) std::memcpy(p, &v, kVecBytes);
  std::memcpy(last, &v, kVecBytes);
}

void fill_runs(char* p, int64_t step, int64_t runs, const void* value, int64_t item, int64_t n) {
  const int64_t bytes = n * item;
  alignas(kVecBytes) char pattern[kVecBytes];
  for (int64_t i = 0; i < kVecBytes; i += item) std::memcpy(pattern + i, value, item);
  // As one element each.
  if (bytes <= 16 && (bytes & (bytes - 1)) == 0)
    return by_size(static_cast<size_t>(bytes),
                   [&]<typename T>(T) { fill_apart<T>(p, step, runs, pattern); });
  if (bytes < kVecBytes) return copy_runs({p, step, pattern, 0, runs}, bytes);
  const Words v = load_words(pattern);
  const bool streams = leaves_caches(bytes);
  for (int64_t r = 0; r < runs; ++r) fill_run(p + r * step, bytes, v, item, streams);
}

}  // namespace

static void fill_pattern(void* data, const void* value, size_t item, int64_t n) {
  fill_runs(static_cast<char*>(data), 0, 1, value, static_cast<int64_t>(item), n);
}

static void fill_strided(char* first, const int64_t* strides, const int64_t* sizes,
                         const void* value, size_t item) {
  const int64_t n = sizes[0], step = strides[0];
  if (step == static_cast<int64_t>(item))
    return fill_runs(first, strides[1], sizes[1], value, step, n);
  by_size(item, [&]<typename T>(T) {
    for (int64_t r = 0; r < sizes[1]; ++r) fill_apart<T>(first + r * strides[1], step, n, value);
  });
}

REGISTER_DISPATCH(fill_pattern_stub, &fill_pattern)
REGISTER_DISPATCH(fill_strided_stub, &fill_strided)

}  // namespace at::native
