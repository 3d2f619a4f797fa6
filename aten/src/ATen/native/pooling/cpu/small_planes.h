#pragma once
// Small planes have lines of a few windows: several planes are turned so that they are the channels
// of an image, which fill registers.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Planes that are turned together.
constexpr int64_t kPlanesTogether = 64;

// Whether that is faster than one window after the other.
inline bool turn_well(const PoolShape& s) {
  return s.out_numel() <= 4096 && s.in_numel() <= 4096 && s.batch * s.channels >= 8 &&
         s.mean_taps() <= 64;
}
// Whether it is faster than lines.
inline bool has_small_planes(const PoolShape& s) { return s.out[2] < 16 && turn_well(s); }

// [rows, columns], of which rows are `from_row` apart, becomes [columns, rows].
inline void turn(const void* from, int64_t from_row, void* to, int64_t to_row, int64_t rows,
                 int64_t columns, int64_t item) {
  transpose_copy_stub(kCPU, static_cast<char*>(to), to_row * item, static_cast<const char*>(from),
                      from_row * item, rows, columns, item);
}

// make() gives each thread a function f(first plane, number of planes, number of channels), which
// is called for all planes. Channels fill whole registers of elements of `item` bytes: those behind
// the last plane are of no use.
template <typename Make>
void each_small_planes(const PoolShape& s, int64_t item, const Make& make) {
  const int64_t lanes = std::min<int64_t>(kVecBytes / item, kPlanesTogether);
  const int64_t planes = s.batch * s.channels;
  parallel_for(0, divup(planes, lanes),
               std::max<int64_t>(1, kGrainSize / 4 / (s.out_numel() * s.mean_taps() * lanes)),
               [&](int64_t first, int64_t last) {
    auto f = make();
    const int64_t end = std::min(last * lanes, planes);
    for (int64_t p = first * lanes; p < end; p += kPlanesTogether) {
      const int64_t count = std::min(kPlanesTogether, end - p);
      f(p, count, divup(count, lanes) * lanes);
    }
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
