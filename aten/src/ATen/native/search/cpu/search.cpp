// searchsorted, bincount, histc.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/search/search.h>

#include <algorithm>

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
  for_each_integer(x, [&](int64_t, int64_t value) {
    bounds = {std::min(bounds.min, value), std::max(bounds.max, value)};
  });
  return bounds;
}

static void bincount_kernel(const Tensor& x, const Tensor& weights, const Tensor& out) {
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
    for (int64_t i = 0; i < x.numel(); ++i) {
      if (!(p[i] >= first && p[i] <= last)) continue;
      int64_t b = static_cast<int64_t>((p[i] - first) * scale);
      o[b < bins ? b : bins - 1] += T(1);
    }
  });
}

REGISTER_ALL_CPU_DISPATCH(search_stub, &search_kernel)
REGISTER_ALL_CPU_DISPATCH(integer_bounds_stub, &integer_bounds_kernel)
REGISTER_ALL_CPU_DISPATCH(bincount_stub, &bincount_kernel)
REGISTER_ALL_CPU_DISPATCH(histc_stub, &histc_kernel)

}  // namespace at::native
