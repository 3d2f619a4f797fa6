// Copies of long runs by vectors, which every processor moves at full speed.

#include <ATen/native/common/CopyBytes.h>

namespace at::native {

void copy_bytes_by_vectors(void* to, const void* from, int64_t n) {
  typedef uint64_t Vector __attribute__((vector_size(16), may_alias));
  constexpr int64_t kSize = sizeof(Vector), kUnrolled = 8;
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  // Stores are aligned from the second one on.
  std::memcpy(t, f, kSize);
  const int64_t first = kSize - static_cast<int64_t>(reinterpret_cast<uintptr_t>(t) % kSize);
  int64_t i = first;
  for (; i + kUnrolled * kSize <= n; i += kUnrolled * kSize) {
    Vector v[kUnrolled];
    for (int64_t k = 0; k < kUnrolled; ++k) std::memcpy(&v[k], f + i + k * kSize, kSize);
    for (int64_t k = 0; k < kUnrolled; ++k)
      *reinterpret_cast<Vector*>(__builtin_assume_aligned(t + i + k * kSize, kSize)) = v[k];
  }
  std::memcpy(t + i, f + i, static_cast<size_t>(n - i));
}

}  // namespace at::native
