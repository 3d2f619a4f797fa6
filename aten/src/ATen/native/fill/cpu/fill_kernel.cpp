// Fills memory with one element, bypassing the caches for large blocks.

#include <cstring>

#include <ATen/native/common/ElementBits.h>
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

namespace {

// Runs of N to 2 N bytes: N from the beginning and N up to the end.
template <int N>
void fill_ends(char* p, int64_t step, int64_t runs, const char* pattern, int64_t bytes) {
  char block[N];
  std::memcpy(block, pattern, N);
  for (int64_t r = 0; r < runs; ++r, p += step) {
    std::memcpy(p, block, N);
    std::memcpy(p + bytes - N, block, N);
  }
}

}  // namespace

static void fill_runs(char* p, int64_t step, int64_t runs, const void* value, int64_t item,
                      int64_t n) {
  constexpr int64_t kLong = 4096;
  const int64_t bytes = n * item;
  if (bytes > kLong) {
    for (int64_t r = 0; r < runs; ++r) fill_pattern(p + r * step, value, item, n);
    return;
  }
  alignas(kVecBytes) char pattern[kVecBytes];
  for (int64_t i = 0; i < kVecBytes; i += item) std::memcpy(pattern + i, value, item);
  if (bytes < 2) return fill_ends<1>(p, step, runs, pattern, bytes);
  if (bytes < 4) return fill_ends<2>(p, step, runs, pattern, bytes);
  if (bytes < 8) return fill_ends<4>(p, step, runs, pattern, bytes);
  if (bytes < 16) return fill_ends<8>(p, step, runs, pattern, bytes);
  if (bytes < 32) return fill_ends<16>(p, step, runs, pattern, bytes);
  if (bytes < kVecBytes) return fill_ends<kVecBytes / 2>(p, step, runs, pattern, bytes);
  const Words v = load_words(pattern);
  for (int64_t r = 0; r < runs; ++r, p += step) {
    char* const last = p + bytes - kVecBytes;
    std::memcpy(p, &v, kVecBytes);
    // Aligned from the second on, where elements are aligned to their size.
    const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % kVecBytes);
    char* to = p + kVecBytes - (past % item == 0 ? past : 0);
    for (; to < last; to += kVecBytes) std::memcpy(to, &v, kVecBytes);
    std::memcpy(last, &v, kVecBytes);
  }
}

static void fill_strided(char* first, const int64_t* strides, const int64_t* sizes,
                         const void* value, size_t item) {
  const int64_t n = sizes[0], step = strides[0];
  if (step == static_cast<int64_t>(item))
    return fill_runs(first, strides[1], sizes[1], value, step, n);
  by_size(item, [&]<typename T>(T) {
    T element;
    std::memcpy(&element, value, sizeof element);
    const int64_t next_run = strides[1];
    for (int64_t r = sizes[1]; r > 0; --r, first += next_run) {
      char* p = first;
#pragma GCC unroll 4
      for (int64_t i = 0; i < n; ++i, p += step) std::memcpy(p, &element, sizeof element);
    }
  });
}

REGISTER_DISPATCH(fill_pattern_stub, &fill_pattern)
REGISTER_DISPATCH(fill_strided_stub, &fill_strided)

}  // namespace at::native
