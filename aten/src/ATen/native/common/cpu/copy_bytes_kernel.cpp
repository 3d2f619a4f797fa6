// Copies of long runs by vectors, which every processor moves at full speed.

#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/cpu/StreamedStores.h>

namespace at::native {

static void copy_bytes_kernel(void* to, const void* from, int64_t n) {
  constexpr int64_t kSize = sizeof(Words);
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  // Stores are aligned from the second one on.
  std::memcpy(t, f, kSize);
  int64_t i = kSize - static_cast<int64_t>(reinterpret_cast<uintptr_t>(t) % kSize);
  for (; i + 4 * kSize <= n; i += 4 * kSize) {
    // GCC would keep an array of these in memory.
    const Words a = load_words(f + i), b = load_words(f + i + kSize);
    const Words c = load_words(f + i + 2 * kSize), d = load_words(f + i + 3 * kSize);
    Words* const w = reinterpret_cast<Words*>(t + i);
    w[0] = a;
    w[1] = b;
    w[2] = c;
    w[3] = d;
  }
  std::memcpy(t + i, f + i, static_cast<size_t>(n - i));
}

REGISTER_DISPATCH(copy_bytes_stub, &copy_bytes_kernel)

}  // namespace at::native
