#pragma once
// The cells of one dimension of a histogram, on every device.

#include <cmath>

#include <ATen/native/common/BinarySearch.h>

namespace at::native {

template <typename T>
struct HistogramAxis {
  const T* edges;
  int64_t cells;
  bool equal_widths;

  // The cell of a value; -1 if it is outside, or NaN.
  C10_HOST_DEVICE int64_t cell(T v) const {
    const T low = edges[0], high = edges[cells];
    if (!(v >= low && v <= high)) return -1;
    int64_t found;
    if (equal_widths && std::isfinite(high - low)) {
      // The first guess is at most one cell off, because edges are rounded.
      found = inside(static_cast<int64_t>((v - low) * static_cast<T>(cells) / (high - low)));
      while (found > 0 && v < edges[found]) --found;
      while (found < cells - 1 && v >= edges[found + 1]) ++found;
      return found;
    }
    found = count_before(edges, cells + 1, [v](T edge) { return edge <= v; }) - 1;
    // The right edge belongs to the last cell. Edges out of order must not lead outside.
    return inside(found);
  }

 private:
  C10_HOST_DEVICE int64_t inside(int64_t cell) const {
    return cell < 0 ? 0 : cell < cells ? cell : cells - 1;
  }
};

}  // namespace at::native
