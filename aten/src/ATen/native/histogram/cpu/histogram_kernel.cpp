// Histograms. Every thread counts into cells of its own; these are then added.

#include <ATen/native/histogram/histogram.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/BinarySearch.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

namespace at::native {
namespace {

template <typename T>
struct Axis {
  const T* edges;
  int64_t cells;
  bool equal_widths;

  // The cell of a value; -1 if it is outside, or NaN.
  int64_t cell(T v) const {
    if (!(v >= edges[0] && v <= edges[cells])) return -1;
    int64_t found;
    if (equal_widths) {
      // The first guess is at most one cell off, because edges are rounded.
      found =
          static_cast<int64_t>((v - edges[0]) * static_cast<T>(cells) / (edges[cells] - edges[0]));
      found = std::clamp<int64_t>(found, 0, cells - 1);
      while (found > 0 && v < edges[found]) --found;
      while (found < cells - 1 && v >= edges[found + 1]) ++found;
      return found;
    }
    found = count_before(edges, cells + 1, [v](T edge) { return edge <= v; }) - 1;
    // The right edge belongs to the last cell. Edges out of order must not lead outside.
    return std::clamp<int64_t>(found, 0, cells - 1);
  }
};

}  // namespace

static void histogram_kernel(const Tensor& points, TensorList edges, bool equal_widths,
                             const Tensor& weight, const Tensor& hist) {
  const int64_t count = points.sizes()[0], dims = points.sizes()[1], cells = hist.numel();
  dispatch_types<FloatingTypes>(points.scalar_type(), "histogramdd", [&]<typename T>(TypeTag<T>) {
    std::vector<Axis<T>> axes;
    for (const Tensor& e : edges) {
      const T* values = static_cast<const T*>(e.data_ptr());
      const int64_t last = e.numel() - 1;
      axes.push_back({values, last, equal_widths && std::isfinite(values[last] - values[0])});
    }
    const T* data = static_cast<const T*>(points.data_ptr());
    const T* factors = weight.defined() ? static_cast<const T*>(weight.data_ptr()) : nullptr;
    std::vector<double> total(static_cast<size_t>(cells));
    std::mutex mutex;
    // A thread's cells must not be more work than its points.
    const int64_t grain = std::max<int64_t>(kGrainSize / 4, cells);
    parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      std::vector<double> own(static_cast<size_t>(cells));
      for (int64_t i = begin; i < end; ++i) {
        int64_t at = 0;
        for (int64_t d = 0; d < dims && at >= 0; ++d) {
          const Axis<T>& axis = axes[static_cast<size_t>(d)];
          const int64_t cell = axis.cell(data[i * dims + d]);
          at = cell < 0 ? -1 : at * axis.cells + cell;
        }
        if (at >= 0)
          own[static_cast<size_t>(at)] += factors ? static_cast<double>(factors[i]) : 1.0;
      }
      std::lock_guard<std::mutex> lock(mutex);
      for (size_t k = 0; k < own.size(); ++k) total[k] += own[k];
    });
    T* out = static_cast<T*>(hist.data_ptr());
    for (size_t k = 0; k < total.size(); ++k) out[k] = static_cast<T>(total[k]);
  });
}
REGISTER_DISPATCH(histogram_stub, &histogram_kernel)

}  // namespace at::native
