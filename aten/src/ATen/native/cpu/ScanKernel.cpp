// Running sums, products, extremes.

#include <cmath>
#include <memory>

#include <ATen/Parallel.h>
#include <ATen/core/TensorBase.h>
#include <ATen/native/ScanStubs.h>
#include <ATen/native/TypeDispatch.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

constexpr int64_t kColumns = 512;

template <typename T>
struct SumOf {
  using A = std::conditional_t<
      std::is_same_v<T, float>, double,
      std::conditional_t<std::is_same_v<T, c10::complex<float>>, c10::complex<double>, T>>;
  static A start() { return A(0); }
  static A join(A a, A b) { return a + b; }
};
template <typename T>
struct ProductOf {
  using A = T;
  static A start() { return A(1); }
  static A join(A a, A b) { return a * b; }
};
template <typename T>
struct LogSumExpOf {
  using A = double;
  static A start() { return -INFINITY; }
  static A join(A a, A b) {
    double larger = a != a || a > b ? a : b, smaller = a != a || a > b ? b : a;
    if (larger != smaller || std::isfinite(larger))
      return larger + std::log1p(std::exp(smaller - larger));
    return a;
  }
};
// The angle goes on from that of the larger term: it is not brought back to (-pi, pi].
template <typename T>
struct LogSumExpOf<c10::complex<T>> {
  using A = c10::complex<double>;
  static A start() { return A(-INFINITY, 0); }
  static A join(A a, A b) {
    if (c10::isnan(a) || c10::isnan(b)) return A(NAN, NAN);
    A larger = a.real() < b.real() ? b : a, smaller = a.real() < b.real() ? a : b;
    if (std::isinf(smaller.real()) && (larger.real() != smaller.real() || larger == smaller))
      return larger;
    return larger + c10::log1p(c10::exp(smaller - larger));
  }
};

// One running value after another: each waits for the one before.
template <typename T, typename Op>
typename Op::A scan_serial(const T* in, T* out, int64_t n, typename Op::A acc) {
  using A = typename Op::A;
  for (int64_t i = 0; i < n; ++i) {
    acc = Op::join(acc, A(in[i]));
    out[i] = T(acc);
  }
  return acc;
}

// Eight stretches of a block side by side, once their totals are known: eight chains that do not
// wait for each other. Only for sums, of what is exact enough to be regrouped: doubles for float,
// integers.
template <typename T, typename Op>
constexpr bool kRegroups = std::is_same_v<Op, SumOf<T>> && !std::is_same_v<T, double> &&
                           !std::is_same_v<T, c10::complex<double>>;

template <typename T, typename Op>
typename Op::A scan_line(const T* in, T* out, int64_t n, typename Op::A acc) {
  using A = typename Op::A;
  if constexpr (kRegroups<T, Op>) {
    constexpr int64_t kChains = 8, kLength = 128;
    for (; n >= kChains * kLength;
         in += kChains * kLength, out += kChains * kLength, n -= kChains * kLength) {
      A run[kChains];
      A total[kChains];
      for (int64_t k = 0; k < kChains; ++k) total[k] = A(0);
      for (int64_t i = 0; i < kLength; ++i) {
        for (int64_t k = 0; k < kChains; ++k) total[k] = total[k] + A(in[k * kLength + i]);
      }
      for (int64_t k = 0; k < kChains; ++k) {
        run[k] = acc;
        acc = acc + total[k];
      }
      for (int64_t i = 0; i < kLength; ++i) {
        for (int64_t k = 0; k < kChains; ++k) {
          run[k] = run[k] + A(in[k * kLength + i]);
          out[k * kLength + i] = T(run[k]);
        }
      }
    }
  }
  return scan_serial<T, Op>(in, out, n, acc);
}

// Columns side by side, row after row.
template <typename T, typename Op>
void scan_columns(const T* in, T* out, int64_t n, int64_t inner, int64_t width) {
  using A = typename Op::A;
  A acc[kColumns];
  for (int64_t j = 0; j < width; ++j) acc[j] = Op::start();
  for (int64_t i = 0; i < n; ++i, in += inner, out += inner) {
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      acc[j] = Op::join(acc[j], A(in[j]));
      out[j] = T(acc[j]);
    }
  }
}

// A line too long for one thread: totals of its pieces, then the pieces from where the ones before
// leave off.
template <typename T, typename Op>
void scan_long_line(const T* in, T* out, int64_t n) {
  using A = typename Op::A;
  int64_t pieces = get_num_threads(), each = divup(n, pieces);
  std::unique_ptr<A[]> start(new A[pieces + 1]);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      A part[4] = {Op::start(), Op::start(), Op::start(), Op::start()};
      int64_t last = std::min(n, (k + 1) * each);
      for (int64_t i = k * each; i < last; ++i) part[i & 3] = Op::join(part[i & 3], A(in[i]));
      start[k + 1] = Op::join(Op::join(part[0], part[1]), Op::join(part[2], part[3]));
    }
  });
  start[0] = Op::start();
  for (int64_t k = 1; k <= pieces; ++k) start[k] = Op::join(start[k - 1], start[k]);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t first = k * each, last = std::min(n, (k + 1) * each);
      if (first < last) scan_line<T, Op>(in + first, out + first, last - first, start[k]);
    }
  });
}

template <typename T, typename Op>
void scan_all(const void* source, void* destination, Dense3 s) {
  const T* in = static_cast<const T*>(source);
  T* out = static_cast<T*>(destination);
  if (s.inner == 1) {
    if (s.outer < get_num_threads() && s.n > 4 * kGrainSize && kRegroups<T, Op> &&
        !in_parallel_region()) {
      for (int64_t o = 0; o < s.outer; ++o) scan_long_line<T, Op>(in + o * s.n, out + o * s.n, s.n);
      return;
    }
    parallel_for(0, s.outer, std::max<int64_t>(1, kGrainSize / 4 / s.n),
                 [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        scan_line<T, Op>(in + o * s.n, out + o * s.n, s.n, Op::start());
    });
    return;
  }
  int64_t strips = divup(s.inner, kColumns);
  parallel_for(0, s.outer * strips,
               std::max<int64_t>(1, kGrainSize / (s.n * std::min(kColumns, s.inner))),
               [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      int64_t j = u % strips * kColumns, at = u / strips * s.n * s.inner + j;
      scan_columns<T, Op>(in + at, out + at, s.n, s.inner, std::min(kColumns, s.inner - j));
    }
  });
}

// NaN stays once it came; of equal values the latest counts.
template <typename T, bool kMax>
void scan_extremes(const void* source, void* destination, int64_t* places, Dense3 s) {
  const T* in = static_cast<const T*>(source);
  T* out = static_cast<T*>(destination);
  parallel_for(0, s.outer * s.inner, std::max<int64_t>(1, kGrainSize / s.n),
               [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      int64_t at = u / s.inner * s.n * s.inner + u % s.inner;
      T best = in[at];
      int64_t place = 0;
      for (int64_t i = 0; i < s.n; ++i, at += s.inner) {
        T x = in[at];
        if (x != x || (best == best && (kMax ? x >= best : x <= best))) {
          best = x;
          place = i;
        }
        out[at] = best;
        places[at] = place;
      }
    }
  });
}

template <template <typename> class Op>
void scan_numbers(ScalarType dtype, const char* op, const void* in, void* out, Dense3 shape) {
  dispatch_types<FloatingTypes, ComplexTypes, uint64_t>(dtype == kLong ? kUInt64 : dtype, op,
                                                        [&](auto tag) {
    using T = typename decltype(tag)::type;
    scan_all<T, Op<T>>(in, out, shape);
  });
}

template <bool kMax>
void scan_order(ScalarType dtype, const void* in, void* out, int64_t* places, Dense3 shape) {
  dispatch_types<FloatingTypes, int64_t>(dtype, kMax ? "cummax_cpu" : "cummin_cpu", [&](auto tag) {
    scan_extremes<typename decltype(tag)::type, kMax>(in, out, places, shape);
  });
}

void scan_kernel(ScanKind kind, ScalarType dtype, const void* in, void* out, int64_t* places,
                 Dense3 shape) {
  switch (kind) {
    case ScanKind::sum:
      return scan_numbers<SumOf>(dtype, "cumsum_out_cpu", in, out, shape);
    case ScanKind::prod:
      return scan_numbers<ProductOf>(dtype, "cumprod_out_cpu", in, out, shape);
    case ScanKind::max:
      return scan_order<true>(dtype, in, out, places, shape);
    case ScanKind::min:
      return scan_order<false>(dtype, in, out, places, shape);
    case ScanKind::logsumexp:
      dispatch_types<FloatingTypes, ComplexTypes>(dtype, "logcumsumexp_out_cpu", [&](auto tag) {
        using T = typename decltype(tag)::type;
        scan_all<T, LogSumExpOf<T>>(in, out, shape);
      });
  }
}

}  // namespace

REGISTER_DISPATCH(scan_stub, &scan_kernel)

}  // namespace at::native
