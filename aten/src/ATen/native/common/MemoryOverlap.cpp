// Determines whether tensors share memory, and whether one overlaps itself.

#include <ATen/native/common/MemoryOverlap.h>

#include <algorithm>
#include <vector>

namespace at {

bool has_internal_overlap(const TensorImpl& t) {
  if (t.is_non_overlapping_and_dense()) return false;
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (t.strides()[d] == 0 && t.sizes()[d] > 1) return true;
  }
  return false;
}

namespace {

// Looks for integers n[k] in [-low[k], high[k]] with sum(n[k] * stride[k]) within (-near, near) of
// a distance. Strides are in descending order, so that few choices remain for each dimension.
struct Search {
  struct Dim {
    int64_t stride, low, high;
  };
  std::vector<Dim> dims;
  std::vector<int64_t> reach_low, reach_high;  // of the dimensions from k on
  int64_t near_below, near_above;
  int budget = 2000;

  bool found(size_t k, int64_t distance) {
    if (k == dims.size()) return -near_below < distance && distance < near_above;
    if (--budget < 0) return true;
    const Dim& d = dims[k];
    // n * stride must bring the distance within reach of the remaining dimensions.
    int64_t from = distance - reach_high[k + 1] - near_above;
    int64_t to = distance + reach_low[k + 1] + near_below;
    int64_t first = from / d.stride - 1, last = to / d.stride + 1;
    for (int64_t n = std::max(first, -d.low); n <= std::min(last, d.high); ++n) {
      if (found(k + 1, distance - n * d.stride)) return true;
    }
    return false;
  }
};

}  // namespace

bool shares_memory(const TensorImpl& a, const TensorImpl& b) {
  if (!a.storage().is_alias_of(b.storage()) || a.numel() == 0 || b.numel() == 0) return false;
  int64_t size_a = static_cast<int64_t>(a.itemsize()), size_b = static_cast<int64_t>(b.itemsize());
  int64_t start_a = a.storage_offset() * size_a, start_b = b.storage_offset() * size_b;
  Search search;
  auto add = [&](const TensorImpl& t, int64_t itemsize, bool forwards) {
    int64_t reach = 0;
    for (int64_t d = 0; d < t.dim(); ++d) {
      int64_t stride = t.strides()[d] * itemsize, steps = t.sizes()[d] - 1;
      if (stride == 0 || steps == 0) continue;
      reach += stride * steps;
      auto same = std::find_if(search.dims.begin(), search.dims.end(),
                               [&](const Search::Dim& x) { return x.stride == stride; });
      if (same == search.dims.end()) same = search.dims.insert(same, {stride, 0, 0});
      (forwards ? same->high : same->low) += steps;
    }
    return reach + itemsize;
  };
  int64_t end_a = start_a + add(a, size_a, true), end_b = start_b + add(b, size_b, false);
  if (end_a <= start_b || end_b <= start_a) return false;
  if (a.is_non_overlapping_and_dense() && b.is_non_overlapping_and_dense()) return true;
  std::sort(search.dims.begin(), search.dims.end(),
            [](const Search::Dim& x, const Search::Dim& y) { return x.stride > y.stride; });
  size_t n = search.dims.size();
  search.reach_low.assign(n + 1, 0);
  search.reach_high.assign(n + 1, 0);
  for (size_t k = n; k-- > 0;) {
    const Search::Dim& d = search.dims[k];
    search.reach_low[k] = search.reach_low[k + 1] + d.stride * d.low;
    search.reach_high[k] = search.reach_high[k + 1] + d.stride * d.high;
  }
  // Elements share bytes if one starts before the other ends.
  search.near_below = size_b;
  search.near_above = size_a;
  return search.found(0, start_b - start_a);
}

void assert_no_internal_overlap(const TensorImpl& t, const char* op) {
  TORCH_CHECK(!has_internal_overlap(t), op,
              ": unsupported operation: more than one element of the written-to tensor refers to a "
              "single memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace at
