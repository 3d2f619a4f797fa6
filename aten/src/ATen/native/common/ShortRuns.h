#pragma once
// Copies many short runs of bytes: a call of memcpy for each would take longer than the copy.

#include <cstdint>
#include <cstring>

#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/WithConstant.h>
#include <c10/macros/Macros.h>

namespace at::native {

// From where `n` runs of `bytes` each are copied, and to where: run k is at to + k * to_step.
struct ShortRuns {
  char* to;
  int64_t to_step;
  const char* from;
  int64_t from_step, n;

  // A run of one element of type T.
  template <typename T>
  C10_ALWAYS_INLINE void elements() const {
    for (int64_t k = 0; k < n; ++k) std::memcpy(to + k * to_step, from + k * from_step, sizeof(T));
  }
  // From one to two elements of type T, as two that may overlap.
  template <typename T>
  C10_ALWAYS_INLINE void pairs(int64_t bytes) const {
    const int64_t last = bytes - static_cast<int64_t>(sizeof(T));
    for (int64_t k = 0; k < n; ++k) {
      char* t = to + k * to_step;
      const char* f = from + k * from_step;
      std::memcpy(t, f, sizeof(T));
      std::memcpy(t + last, f + last, sizeof(T));
    }
  }
  // More than N - 1 and up to N pieces of 32 bytes, of which the last two overlap.
  template <int N>
  C10_ALWAYS_INLINE void pieces(int64_t bytes) const {
    for (int64_t k = 0; k < n; ++k) {
      char* t = to + k * to_step;
      const char* f = from + k * from_step;
      for (int64_t i = 0; i < N - 1; ++i) std::memcpy(t + i * kPiece, f + i * kPiece, kPiece);
      std::memcpy(t + bytes - kPiece, f + bytes - kPiece, kPiece);
    }
  }
  static constexpr int64_t kPiece = 32;
};

// Longer runs are copied by the library.
constexpr int64_t kLongestShortRun = 256;

// Inlined, so that it has the registers of its caller.
C10_ALWAYS_INLINE void copy_runs(const ShortRuns& r, int64_t bytes) {
  if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16)
    return by_size(static_cast<size_t>(bytes), [&]<typename T>(T) { r.elements<T>(); });
  if (bytes < 4) return r.pairs<uint16_t>(bytes);
  if (bytes < 8) return r.pairs<uint32_t>(bytes);
  if (bytes < 16) return r.pairs<uint64_t>(bytes);
  if (bytes < ShortRuns::kPiece) return r.pairs<Bytes16>(bytes);
  if (bytes <= kLongestShortRun) {
    with_constant<1, kLongestShortRun / ShortRuns::kPiece>(
        (bytes + ShortRuns::kPiece - 1) / ShortRuns::kPiece,
        [&]<int N>(std::integral_constant<int, N>) { r.pieces<N>(bytes); });
    return;
  }
  for (int64_t k = 0; k < r.n; ++k)
    copy_bytes(r.to + k * r.to_step, r.from + k * r.from_step, bytes);
}

}  // namespace at::native
