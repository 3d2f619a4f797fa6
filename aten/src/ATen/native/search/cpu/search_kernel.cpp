// searchsorted, bincount, histc.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/search/search.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace at::native {
namespace {

// The first index whose boundary is not less than the value (or, with right, is greater). NaN sorts
// after everything: it is greater than all boundaries, and a NaN boundary is less than no value.
// Searches for several values at once in boundaries[0, n): each step halves the range without a
// branch that depends on a value, and the searches, which have equal length, overlap their memory
// latency.
template <typename T, bool kRight, int kTogether>
void lower_bounds(const T* boundaries, int64_t n, const T* values, int64_t* positions) {
  auto before = [](T b, T v) { return kRight ? !(b > v) : !(b >= v); };
  int64_t base[kTogether] = {};
  int64_t left = n;
  while (left > 1) {
    int64_t half = left / 2;
    for (int k = 0; k < kTogether; ++k)
      base[k] += before(boundaries[base[k] + half - 1], values[k]) ? half : 0;
    left -= half;
  }
  for (int k = 0; k < kTogether; ++k)
    positions[k] = base[k] + (left == 1 && before(boundaries[base[k]], values[k]));
}

template <typename T, bool kRight>
void search_line(const T* boundaries, int64_t n, const T* values, int64_t count,
                 int64_t* positions) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    lower_bounds<T, kRight, 8>(boundaries, n, values + i, positions + i);
  for (; i < count; ++i) lower_bounds<T, kRight, 1>(boundaries, n, values + i, positions + i);
}

// Calls f(position, value), converting a piece at a time.
template <typename F>
void for_each_integer(const Tensor& x, const F& f) {
  constexpr int64_t kPiece = 2048;
  const bool direct = x.scalar_type() == kLong;
  int64_t buffer[kPiece];
  for (int64_t at = 0; at < x.numel(); at += kPiece) {
    const int64_t n = std::min(kPiece, x.numel() - at);
    const char* from =
        static_cast<const char*>(x.data_ptr()) + at * static_cast<int64_t>(x.itemsize());
    if (!direct) convert_elements(x.scalar_type(), from, kLong, buffer, n);
    const int64_t* p = direct ? reinterpret_cast<const int64_t*>(from) : buffer;
    for (int64_t i = 0; i < n; ++i) f(at + i, p[i]);
  }
}

}  // namespace

static void search_kernel(const Tensor& b, const Tensor& v, int64_t lines, bool right,
                          const Tensor& out) {
  int64_t n = b.dim() ? b.sizes().back() : 1, each = lines ? v.numel() / lines : 0;
  dispatch_types<RealTypes>(b.scalar_type(), "searchsorted_out_cpu", [&]<typename T>(TypeTag<T>) {
    const T *bp = static_cast<const T*>(b.data_ptr()), *vp = static_cast<const T*>(v.data_ptr());
    const bool narrow = out.scalar_type() == kInt;
    parallel_for(0, v.numel(), 512, [&](int64_t begin, int64_t end) {
      constexpr int64_t kPiece = 256;
      int64_t found[kPiece];
      for (int64_t i = begin; i < end;) {
        int64_t line = lines > 1 ? i / each : 0;
        int64_t count = std::min({kPiece, end - i, lines > 1 ? (line + 1) * each - i : kPiece});
        int64_t* to = narrow ? found : static_cast<int64_t*>(out.data_ptr()) + i;
        right ? search_line<T, true>(bp + line * n, n, vp + i, count, to)
              : search_line<T, false>(bp + line * n, n, vp + i, count, to);
        if (narrow) std::copy(found, found + count, static_cast<int32_t*>(out.data_ptr()) + i);
        i += count;
      }
    });
  });
}

static IntegerBounds integer_bounds_kernel(const Tensor& x) {
  IntegerBounds bounds{INT64_MAX, INT64_MIN};
  dispatch_types<IntegralTypes>(x.scalar_type(), "bincount_cpu", [&]<typename T>(TypeTag<T>) {
    const T* p = static_cast<const T*>(x.data_ptr());
    const int64_t n = x.numel();
    if (n == 0) return;
    T min = p[0], max = p[0];
    for (int64_t i = 0; i < n; ++i) {
      min = p[i] < min ? p[i] : min;
      max = p[i] > max ? p[i] : max;
    }
    bounds = {static_cast<int64_t>(min), static_cast<int64_t>(max)};
  });
  return bounds;
}

namespace {

// Counts in several tables by turns: an increment need not wait for one of the same cell.
class Counts {
 public:
  static constexpr int kTables = 4;
  explicit Counts(int64_t cells) : cells_(cells), counts_(static_cast<size_t>(kTables * cells)) {}
  template <typename I>
  void add(const I* cell, int64_t n) {
    int64_t* table = counts_.data();
    int64_t i = 0;
    for (; i + kTables <= n; i += kTables) {
      for (int k = 0; k < kTables; ++k) ++table[k * cells_ + cell[i + k]];
    }
    for (; i < n; ++i) ++table[cell[i]];
  }
  int64_t of(int64_t cell) const {
    int64_t sum = 0;
    for (int k = 0; k < kTables; ++k) sum += counts_[static_cast<size_t>(k * cells_ + cell)];
    return sum;
  }

 private:
  int64_t cells_;
  std::vector<int64_t> counts_;
};

}  // namespace

static void bincount_kernel(const Tensor& x, const Tensor& weights, const Tensor& out) {
  constexpr int64_t kFewCells = 4096;
  if (!weights.defined() && out.numel() <= kFewCells && x.numel() >= out.numel()) {
    Counts counts(out.numel());
    dispatch_types<IntegralTypes>(x.scalar_type(), "bincount_cpu", [&]<typename T>(TypeTag<T>) {
      counts.add(static_cast<const T*>(x.data_ptr()), x.numel());
    });
    int64_t* o = static_cast<int64_t*>(out.data_ptr());
    for (int64_t k = 0; k < out.numel(); ++k) o[k] = counts.of(k);
    return;
  }
  dispatch_types<TypeList<int64_t, float, double>>(out.scalar_type(), "bincount_cpu",
                                                   [&]<typename T>(TypeTag<T>) {
    T* o = static_cast<T*>(out.data_ptr());
    const T* v = weights.defined() ? static_cast<const T*>(weights.data_ptr()) : nullptr;
    for_each_integer(x, [&](int64_t i, int64_t value) { o[value] += v ? v[i] : T(1); });
  });
}

static void histc_kernel(const Tensor& x, double low, double high, const Tensor& out) {
  const int64_t bins = out.numel();
  dispatch_types<FloatingTypes>(x.scalar_type(), "histogram_cpu", [&]<typename T>(TypeTag<T>) {
    const T* p = static_cast<const T*>(x.data_ptr());
    T* o = static_cast<T*>(out.data_ptr());
    const T first = static_cast<T>(low), last = static_cast<T>(high),
            scale = static_cast<T>(bins) / (last - first);
    std::vector<int64_t> total(static_cast<size_t>(bins));
    std::mutex mutex;
    // A thread's cells must not be more work than its numbers.
    parallel_for(0, x.numel(), std::max<int64_t>(kGrainSize, 4 * bins),
                 [&](int64_t begin, int64_t end) {
      // One cell more, for numbers outside of the range.
      Counts counts(bins + 1);
      constexpr int64_t kPiece = 1024;
      int64_t cells[kPiece];
      for (int64_t i = begin; i < end; i += kPiece) {
        const int64_t n = std::min(kPiece, end - i);
        for (int64_t k = 0; k < n; ++k) {
          const T v = p[i + k];
          const bool inside = v >= first && v <= last;
          const int64_t cell = inside ? static_cast<int64_t>((v - first) * scale) : bins;
          cells[k] = inside && cell >= bins ? bins - 1 : cell;
        }
        counts.add(cells, n);
      }
      std::lock_guard<std::mutex> lock(mutex);
      for (int64_t k = 0; k < bins; ++k) total[static_cast<size_t>(k)] += counts.of(k);
    });
    for (int64_t k = 0; k < bins; ++k) o[k] = static_cast<T>(total[static_cast<size_t>(k)]);
  });
}

REGISTER_DISPATCH(search_stub, &search_kernel)
REGISTER_DISPATCH(integer_bounds_stub, &integer_bounds_kernel)
REGISTER_DISPATCH(bincount_stub, &bincount_kernel)
REGISTER_DISPATCH(histc_stub, &histc_kernel)

}  // namespace at::native
