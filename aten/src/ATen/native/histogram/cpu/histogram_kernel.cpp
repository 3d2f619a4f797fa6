// Histograms. Every thread counts into cells of its own; these are then added.

#include <ATen/native/histogram/axis.h>
#include <ATen/native/histogram/histogram.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace at::native {
static void histogram_kernel(const Tensor& points, TensorList edges, bool equal_widths,
                             const Tensor& weight, const Tensor& hist) {
  const int64_t count = points.sizes()[0], dims = points.sizes()[1], cells = hist.numel();
  dispatch_types<FloatingTypes>(points.scalar_type(), "histogramdd", [&]<typename T>(TypeTag<T>) {
    std::vector<HistogramAxis<T>> axes;
    for (const Tensor& e : edges) {
      axes.push_back({static_cast<const T*>(e.data_ptr()), e.numel() - 1, equal_widths});
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
          const HistogramAxis<T>& axis = axes[static_cast<size_t>(d)];
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
