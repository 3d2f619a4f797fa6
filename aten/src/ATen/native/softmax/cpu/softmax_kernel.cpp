// softmax and log_softmax, forward and backward: by rows if the dimension is dense, else by strips
// of columns.

#include <cmath>
#include <memory>

#include <ATen/Parallel.h>
#include <ATen/core/TensorBase.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Extremes.h>
#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/softmax/softmax.h>

namespace at::native {
namespace {

constexpr int64_t kColumns = 256;

template <typename T>
T sum_of_exp(const T* x, int64_t n, T max) {
  Vec<T> sums(T(0));
  for_vectors<T>(n, [&](int64_t i, int64_t c) {
    Vec<T> e = exp_up_to_zero(load_part<T>(x + i, c) - max);
    sums += c == Vec<T>::size ? e : first_lanes<T>(e, c, T(0));
  });
  return sum_lanes(sums);
}

// y = x - max - log(sum of exp(x - max)), for rows of n. Logarithms of several rows are one vector.
template <typename T>
void log_softmax_rows(const T* x, T* y, int64_t rows, int64_t n) {
  constexpr int64_t W = Vec<T>::size;
  for (int64_t first = 0; first < rows; first += W) {
    const int64_t some = std::min(W, rows - first);
    T max[W], sum[W] = {};
    for (int64_t r = 0; r < some; ++r) {
      const T* row = x + (first + r) * n;
      max[r] = extreme_row<T, true>(row, n, -static_cast<T>(INFINITY), Same());
      sum[r] = sum_of_exp(row, n, max[r]);
    }
    log(Vec<T>::load(sum)).store(sum);
    for (int64_t r = 0; r < some; ++r) {
      const T* row = x + (first + r) * n;
      T* to = y + (first + r) * n;
      // The maximum is subtracted first: next to large numbers the logarithm would be lost.
      for_vectors<T>(n, [&](int64_t i, int64_t c) {
        store_part<T>(load_part<T>(row + i, c) - max[r] - sum[r], to + i, c);
      });
    }
  }
}

template <typename T>
void softmax_rows(bool log, const T* x, T* y, int64_t rows, int64_t n) {
  if (log) return log_softmax_rows(x, y, rows, n);
  for (; rows > 0; --rows, x += n, y += n) {
    const T max = extreme_row<T, true>(x, n, -static_cast<T>(INFINITY), Same());
    Vec<T> sums(T(0));
    for_vectors<T>(n, [&](int64_t i, int64_t c) {
      Vec<T> e = exp_up_to_zero(load_part<T>(x + i, c) - max);
      store_part<T>(e, y + i, c);
      sums += c == Vec<T>::size ? e : first_lanes<T>(e, c, T(0));
    });
    const Vec<T> scale(T(1) / sum_lanes(sums));
    for_vectors<T>(
        n, [&](int64_t i, int64_t c) { store_part<T>(load_part<T>(y + i, c) * scale, y + i, c); });
  }
}

// The first n lanes of a vector, in the type that is computed in, and back.
template <typename S>
Vec<SumType<S>> load_wide_part(const S* from, int64_t n) {
  return n == Vec<SumType<S>>::size ? load_wide(from) : load_wide(from, n);
}
template <typename S>
void store_narrow_part(Vec<SumType<S>> v, S* to, int64_t n) {
  n == Vec<SumType<S>>::size ? store_narrow(v, to) : store_narrow(v, to, n);
}

// S: the type that is stored. Exponentials are kept in `wide`, whose rows are `step` apart: the
// results' own memory, or a buffer.
template <typename S>
void softmax_columns(bool log, const S* x, S* y, int64_t n, int64_t inner, int64_t width,
                     SumType<S>* wide, int64_t step) {
  using T = SumType<S>;
  alignas(64) T max[kColumns], sum[kColumns];
  for (int64_t j = 0; j < width; ++j) max[j] = -static_cast<T>(INFINITY), sum[j] = T(0);
  for (int64_t i = 0; i < n; ++i) {
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      const Vec<T> row = load_wide_part(x + i * inner + j, c), m = load_part<T>(max + j, c);
      store_part<T>(where((row > m) | (row != row), row, m), max + j, c);
    });
  }
  for (int64_t i = 0; i < n; ++i) {
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      const Vec<T> row = load_wide_part(x + i * inner + j, c);
      const Vec<T> e = exp_up_to_zero(row - load_part<T>(max + j, c));
      if (!log) store_part<T>(e, wide + i * step + j, c);
      store_part<T>(load_part<T>(sum + j, c) + e, sum + j, c);
    });
  }
  for (int64_t j = 0; j < width; ++j) sum[j] = log ? std::log(sum[j]) : T(1) / sum[j];
  for (int64_t i = 0; i < n; ++i) {
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      const Vec<T> s = load_part<T>(sum + j, c);
      const Vec<T> result =
          log ? load_wide_part(x + i * inner + j, c) - load_part<T>(max + j, c) - s
              : load_part<T>(wide + i * step + j, c) * s;
      store_narrow_part(result, y + i * inner + j, c);
    });
  }
}

// S: the type that is stored.
template <typename S>
void backward_row(bool log, const S* g, const S* y, S* out, int64_t n) {
  using T = SumType<S>;
  Vec<T> sums(T(0));
  for_vectors<T>(n, [&](int64_t i, int64_t c) {
    const Vec<T> gi = load_wide_part(g + i, c);
    sums += log ? gi : gi * load_wide_part(y + i, c);
  });
  const T sum = sum_lanes(sums);
  for_vectors<T>(n, [&](int64_t i, int64_t c) {
    const Vec<T> gi = load_wide_part(g + i, c), yi = load_wide_part(y + i, c);
    store_narrow_part(log ? gi - exp(yi) * sum : (gi - sum) * yi, out + i, c);
  });
}

template <typename S>
void backward_columns(bool log, const S* g, const S* y, S* out, int64_t n, int64_t inner,
                      int64_t width) {
  using T = SumType<S>;
  alignas(64) T sum[kColumns];
  for (int64_t j = 0; j < width; ++j) sum[j] = T(0);
  for (int64_t i = 0; i < n; ++i) {
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      const Vec<T> gr = load_wide_part(g + i * inner + j, c);
      const Vec<T> term = log ? gr : gr * load_wide_part(y + i * inner + j, c);
      store_part<T>(load_part<T>(sum + j, c) + term, sum + j, c);
    });
  }
  for (int64_t i = 0; i < n; ++i) {
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      const int64_t at = i * inner + j;
      const Vec<T> gr = load_wide_part(g + at, c), yr = load_wide_part(y + at, c),
                   s = load_part<T>(sum + j, c);
      store_narrow_part(log ? gr - exp(yr) * s : (gr - s) * yr, out + at, c);
    });
  }
}

// Rows longer than this are read in pieces, which stay in the first cache while they are converted.
constexpr int64_t kLongRow = 8192;

// S: a half type.
template <typename S>
void softmax_long_row(bool log, const S* x, S* y, int64_t n) {
  using T = SumType<S>;
  constexpr int64_t kPiece = 2048;
  alignas(64) T wide[kPiece], result[kPiece];
  const auto each_piece = [&](const auto& f) {
    for (int64_t i = 0; i < n; i += kPiece) {
      const int64_t count = std::min(kPiece, n - i);
      widen(x + i, wide, count);
      f(i, count);
    }
  };
  T max = -static_cast<T>(INFINITY);
  each_piece([&](int64_t, int64_t count) { max = extreme_row<T, true>(wide, count, max, Same()); });
  double sum = 0;
  each_piece(
      [&](int64_t, int64_t count) { sum += static_cast<double>(sum_of_exp<T>(wide, count, max)); });
  const T rest = static_cast<T>(std::log(sum)), scale = static_cast<T>(1 / sum);
  each_piece([&](int64_t first, int64_t count) {
    for_vectors<T>(count, [&](int64_t i, int64_t c) {
      const Vec<T> shifted = load_part<T>(wide + i, c) - max;
      store_part<T>(log ? shifted - rest : exp_up_to_zero(shifted) * scale, result + i, c);
    });
    narrow(result, y + first, count);
  });
}

// f(begin, end, strips): rows; or strips of `columns` columns, of which there are `strips` in each
// block.
template <typename F>
void over_units(Dense3 s, int64_t columns, const F& f) {
  if (s.inner == 1) {
    parallel_for(0, s.outer, std::max<int64_t>(1, kGrainSize / 8 / s.n),
                 [&](int64_t begin, int64_t end) { f(begin, end, 1); });
  } else {
    int64_t strips = divup(s.inner, columns);
    parallel_for(0, s.outer * strips,
                 std::max<int64_t>(1, kGrainSize / 8 / (s.n * std::min(columns, s.inner))),
                 [&](int64_t begin, int64_t end) { f(begin, end, strips); });
  }
}

// Strips whose exponentials stay in the second cache: few columns of many rows, but whole cache
// lines.
int64_t columns_in_cache(int64_t rows) {
  constexpr int64_t kInCache = 65536, kMin = 32;
  return std::clamp(kInCache / rows / kMin * kMin, kMin, kColumns);
}

// Rows shorter than this leave most of a vector unused: kColumns of them are transposed, and
// computed as columns.
constexpr int64_t kShortRow = 32;

// Blocks of short rows in the compute type, transposed.
template <typename T>
class ShortRows {
 public:
  explicit ShortRows(int64_t n)
      : n_(n), flat_(new T[n * kColumns]), columns_(new T[n * kColumns]) {}
  // The rows from `first` on as columns; each is `count` wide.
  T* read(ScalarType stored, const void* base, int64_t first, int64_t count) {
    const char* p = static_cast<const char*>(base) + first * n_ * item_of(stored);
    const T* rows = reinterpret_cast<const T*>(p);
    if (stored != kHere) {
      convert_elements(stored, p, kHere, flat_.get(), count * n_);
      rows = flat_.get();
    }
    transpose_copy_stub(c10::kCPU, reinterpret_cast<char*>(columns_.get()), count * kItem,
                        reinterpret_cast<const char*>(rows), n_ * kItem, count, n_, kItem);
    return columns_.get();
  }
  void write(ScalarType stored, void* base, int64_t first, int64_t count) {
    char* p = static_cast<char*>(base) + first * n_ * item_of(stored);
    char* rows = stored == kHere ? p : reinterpret_cast<char*>(flat_.get());
    transpose_copy_stub(c10::kCPU, rows, n_ * kItem, reinterpret_cast<char*>(columns_.get()),
                        count * kItem, n_, count, kItem);
    if (stored != kHere) convert_elements(kHere, flat_.get(), stored, p, count * n_);
  }

 private:
  static constexpr ScalarType kHere = c10::CppTypeToScalarType<T>::value;
  static constexpr int64_t kItem = sizeof(T);
  static int64_t item_of(ScalarType t) { return static_cast<int64_t>(c10::elementSize(t)); }
  int64_t n_;
  std::unique_ptr<T[]> flat_, columns_;
};

// f(first row, number of rows) for blocks of short rows.
template <typename F>
void over_short_rows(int64_t begin, int64_t end, const F& f) {
  for (int64_t r = begin; r < end; r += kColumns) f(r, std::min(kColumns, end - r));
}

// S: the type of x and the results.
template <typename S>
void softmax_typed(bool log, const S* x, S* y, Dense3 s) {
  using T = SumType<S>;
  constexpr ScalarType kStored = c10::CppTypeToScalarType<S>::value;
  constexpr bool kBuffered = !std::is_same_v<S, T>;
  const int64_t columns = kBuffered ? columns_in_cache(s.n) : kColumns;
  over_units(s, columns, [&](int64_t begin, int64_t end, int64_t strips) {
    if (s.inner == 1 && s.n < kShortRow && end - begin >= kColumns) {
      ShortRows<T> rows(s.n);
      over_short_rows(begin, end, [&](int64_t first, int64_t count) {
        T* block = rows.read(kStored, x, first, count);
        softmax_columns<T>(log, block, block, s.n, count, count, block, count);
        rows.write(kStored, y, first, count);
      });
    } else if (s.inner > 1) {
      const int64_t max = std::min(columns, s.inner);
      const Scratch<T> buffer(kBuffered && !log ? s.n * max : 0);
      for (int64_t u = begin; u < end; ++u) {
        const int64_t j = u % strips * columns, at = u / strips * s.n * s.inner + j;
        const int64_t width = std::min(columns, s.inner - j);
        if constexpr (kBuffered)
          softmax_columns(log, x + at, y + at, s.n, s.inner, width, buffer.get(), width);
        else softmax_columns(log, x + at, y + at, s.n, s.inner, width, y + at, s.inner);
      }
    } else if constexpr (!kBuffered) {
      softmax_rows(log, x + begin * s.n, y + begin * s.n, end - begin, s.n);
    } else if (s.n <= kLongRow) {
      // Several rows are converted at once.
      const int64_t together = std::max<int64_t>(1, kLongRow / 4 / s.n);
      const Scratch<T> rows(s.n * together), results(s.n * together);
      for (int64_t u = begin; u < end; u += together) {
        const int64_t at = u * s.n, count = std::min(together, end - u);
        widen(x + at, rows.get(), count * s.n);
        softmax_rows(log, rows.get(), results.get(), count, s.n);
        narrow(results.get(), y + at, count * s.n);
      }
    } else {
      for (int64_t u = begin; u < end; ++u) softmax_long_row(log, x + u * s.n, y + u * s.n, s.n);
    }
  });
}

template <typename S>
void backward_typed(bool log, const S* g, const S* y, S* out, Dense3 s) {
  using T = SumType<S>;
  constexpr ScalarType kStored = c10::CppTypeToScalarType<S>::value;
  over_units(s, kColumns, [&](int64_t begin, int64_t end, int64_t strips) {
    if (s.inner == 1 && s.n < kShortRow && end - begin >= kColumns) {
      ShortRows<T> gs(s.n), ys(s.n);
      over_short_rows(begin, end, [&](int64_t first, int64_t count) {
        T* columns = gs.read(kStored, g, first, count);
        const T* results = ys.read(kStored, y, first, count);
        backward_columns<T>(log, columns, results, columns, s.n, count, count);
        gs.write(kStored, out, first, count);
      });
      return;
    }
    for (int64_t u = begin; u < end; ++u) {
      if (s.inner == 1) {
        const int64_t at = u * s.n;
        backward_row(log, g + at, y + at, out + at, s.n);
      } else {
        const int64_t j = u % strips * kColumns, at = u / strips * s.n * s.inner + j;
        backward_columns(log, g + at, y + at, out + at, s.n, s.inner,
                         std::min(kColumns, s.inner - j));
      }
    }
  });
}

}  // namespace

static void softmax_kernel(bool log, const Tensor& self, const Tensor& out, int64_t dim) {
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "softmax", [&]<typename S>(TypeTag<S>) {
    softmax_typed(log, static_cast<const S*>(self.data_ptr()), static_cast<S*>(out.data_ptr()),
                  dense_shape(self, dim));
  });
}

static void softmax_backward_kernel(bool log, const Tensor& grad, const Tensor& y,
                                    const Tensor& out, int64_t dim) {
  dispatch_types<FloatingAndReduced>(y.scalar_type(), "softmax_backward",
                                     [&]<typename S>(TypeTag<S>) {
    backward_typed(log, static_cast<const S*>(grad.data_ptr()), static_cast<const S*>(y.data_ptr()),
                   static_cast<S*>(out.data_ptr()), dense_shape(y, dim));
  });
}

REGISTER_DISPATCH(softmax_stub, &softmax_kernel)
REGISTER_DISPATCH(softmax_backward_stub, &softmax_backward_kernel)

}  // namespace at::native
