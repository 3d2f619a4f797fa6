// Histograms. Every thread counts into cells of its own, which are then added; points that are few
// beside the cells are sorted by theirs.

#include <ATen/native/histogram/axis.h>
#include <ATen/native/histogram/histogram.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace at::native {
namespace {

// Points with their cells and weights.
template <typename T>
struct WeightedPoints {
  const T* data;     // [count, axes]
  const T* weights;  // null: 1
  std::vector<HistogramAxis<T>> axes;

  // -1: outside.
  int64_t cell(int64_t i) const {
    int64_t at = 0;
    for (size_t d = 0; d < axes.size() && at >= 0; ++d) {
      const int64_t cell =
          axes[d].cell(data[i * static_cast<int64_t>(axes.size()) + static_cast<int64_t>(d)]);
      at = cell < 0 ? -1 : at * axes[d].cells + cell;
    }
    return at;
  }
  double weight(int64_t i) const { return weights ? static_cast<double>(weights[i]) : 1.0; }
};

// Most cells are empty: the points are sorted by their cells.
template <typename T>
void few_points(const WeightedPoints<T>& points, int64_t count, T* out, int64_t cells) {
  std::fill_n(out, cells, T(0));
  std::vector<std::pair<int64_t, double>> found;
  for (int64_t i = 0; i < count; ++i)
    if (const int64_t at = points.cell(i); at >= 0) found.emplace_back(at, points.weight(i));
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < found.size();) {
    const int64_t at = found[i].first;
    double sum = 0;
    for (; i < found.size() && found[i].first == at; ++i) sum += found[i].second;
    out[at] = static_cast<T>(sum);
  }
}

template <typename T>
void many_points(const WeightedPoints<T>& points, int64_t count, T* out, int64_t cells) {
  const Scratch<double> total(cells);
  std::fill_n(total.get(), cells, 0.0);
  const auto add = [&](double* sums, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (const int64_t at = points.cell(i); at >= 0) sums[at] += points.weight(i);
  };
  std::mutex mutex;
  // A thread's cells must not be more work than its points.
  const int64_t grain = std::max<int64_t>(kGrainSize / 4, cells);
  parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    if (end - begin == count) return add(total.get(), begin, end);
    const Scratch<double> own(cells);
    std::fill_n(own.get(), cells, 0.0);
    add(own.get(), begin, end);
    std::lock_guard<std::mutex> lock(mutex);
    for (int64_t k = 0; k < cells; ++k) total[k] += own[k];
  });
  for (int64_t k = 0; k < cells; ++k) out[k] = static_cast<T>(total[k]);
}

}  // namespace

static void histogram_kernel(const Tensor& points, TensorList edges, bool equal_widths,
                             const Tensor& weight, const Tensor& hist) {
  const int64_t count = points.sizes()[0], cells = hist.numel();
  dispatch_types<FloatingTypes>(points.scalar_type(), "histogramdd", [&]<typename T>(TypeTag<T>) {
    WeightedPoints<T> weighted{
        static_cast<const T*>(points.data_ptr()),
        weight.defined() ? static_cast<const T*>(weight.data_ptr()) : nullptr,
        {}};
    for (const Tensor& e : edges)
      weighted.axes.push_back({static_cast<const T*>(e.data_ptr()), e.numel() - 1, equal_widths});
    T* out = static_cast<T*>(hist.data_ptr());
    if (count < cells / 16) few_points(weighted, count, out, cells);
    else many_points(weighted, count, out, cells);
  });
}
REGISTER_DISPATCH(histogram_stub, &histogram_kernel)

}  // namespace at::native
