#pragma once
// The arguments of sliding windows, which pooling, convolutions and im2col share: their checks, and
// the number of windows along a dimension.

#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

namespace at::native {

// Throws unless every number of the list is at least `min`; `error` is the message for a smaller
// one. Numbers so large that sizes overflow are rejected too.
inline void check_window_argument(const char* op, const char* name, c10::IntArrayRef list,
                                  int64_t min, const char* error) {
  constexpr int64_t kLimit = int64_t(1) << 31;
  for (int64_t x : list) {
    TORCH_CHECK(x >= min, op, ": ", error, list);
    TORCH_CHECK(x < kLimit, op, ": ", name, " is too large: ", list);
  }
}

// The number of elements from the first to the last one that a window touches.
inline int64_t window_extent(int64_t kernel, int64_t dilation) {
  return (kernel - 1) * dilation + 1;
}

// The number of positions of a window. `room`: how far the first window can move, negative if it
// does not fit.
inline int64_t count_windows(int64_t room, int64_t stride) {
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace at::native
