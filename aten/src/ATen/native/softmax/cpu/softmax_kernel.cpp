// softmax and log_softmax, forward and backward: by rows if the dimension is dense, else by strips
// of columns.

#include <cmath>
#include <memory>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/core/TensorBase.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Extremes.h>
#include <ATen/native/common/cpu/FastMath.h>
#include <ATen/native/common/cpu/RowMath.h>
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

template <typename T>
void softmax_columns(bool log, const T* x, T* y, int64_t n, int64_t inner, int64_t width) {
  alignas(64) T max[kColumns], sum[kColumns];
  for (int64_t j = 0; j < width; ++j) max[j] = -static_cast<T>(INFINITY), sum[j] = T(0);
  for (int64_t i = 0; i < n; ++i) {
    const T* row = x + i * inner;
    for (int64_t j = 0; j < width; ++j)
      max[j] = (row[j] > max[j]) | (row[j] != row[j]) ? row[j] : max[j];
  }
  for (int64_t i = 0; i < n; ++i) {
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      Vec<T> e = exp_up_to_zero(load_part<T>(x + i * inner + j, c) - load_part<T>(max + j, c));
      if (!log) store_part<T>(e, y + i * inner + j, c);
      store_part<T>(load_part<T>(sum + j, c) + e, sum + j, c);
    });
  }
  for (int64_t j = 0; j < width; ++j) sum[j] = log ? std::log(sum[j]) : T(1) / sum[j];
  for (int64_t i = 0; i < n; ++i) {
    const T* row = x + i * inner;
    T* out = y + i * inner;
    for (int64_t j = 0; j < width; ++j) out[j] = log ? row[j] - max[j] - sum[j] : out[j] * sum[j];
  }
}

template <typename T>
void backward_row(bool log, const T* g, const T* y, T* out, int64_t n) {
  Vec<T> sums(T(0));
  for_vectors<T>(n, [&](int64_t i, int64_t c) {
    sums += log ? load_part<T>(g + i, c) : load_part<T>(g + i, c) * load_part<T>(y + i, c);
  });
  const T sum = sum_lanes(sums);
  if (log) {
    for_vectors<T>(n, [&](int64_t i, int64_t c) {
      store_part<T>(load_part<T>(g + i, c) - exp(load_part<T>(y + i, c)) * sum, out + i, c);
    });
  } else {
    for_vectors<T>(n, [&](int64_t i, int64_t c) {
      store_part<T>((load_part<T>(g + i, c) - sum) * load_part<T>(y + i, c), out + i, c);
    });
  }
}

template <typename T>
void backward_columns(bool log, const T* g, const T* y, T* out, int64_t n, int64_t inner,
                      int64_t width) {
  alignas(64) T sum[kColumns];
  for (int64_t j = 0; j < width; ++j) sum[j] = T(0);
  for (int64_t i = 0; i < n; ++i) {
    const T *gr = g + i * inner, *yr = y + i * inner;
    for (int64_t j = 0; j < width; ++j) sum[j] += log ? gr[j] : gr[j] * yr[j];
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = i * inner;
    for_vectors<T>(width, [&](int64_t j, int64_t c) {
      Vec<T> gr = load_part<T>(g + at + j, c), yr = load_part<T>(y + at + j, c),
             s = load_part<T>(sum + j, c);
      store_part<T>(log ? gr - exp(yr) * s : (gr - s) * yr, out + at + j, c);
    });
  }
}

// A piece of an operand in the compute type: in place, or in a buffer, dense with `width` elements
// per row. Either all operands of a call are buffered or none, so that they have one row length.
template <typename T>
struct Piece {
  Piece(ScalarType stored, bool buffered, int64_t capacity)
      : stored_(stored), item_(static_cast<int64_t>(c10::elementSize(stored))) {
    if (buffered) buffer_.reset(new T[capacity]);
  }
  bool direct() const { return !buffer_; }
  const T* read(const void* base, int64_t at, int64_t rows, int64_t inner, int64_t width) {
    const char* p = static_cast<const char*>(base) + at * item_;
    if (direct()) return reinterpret_cast<const T*>(p);
    if (width == inner) width *= std::exchange(rows, 1);
    for (int64_t i = 0; i < rows; ++i)
      convert_elements(stored_, p + i * inner * item_, c10::CppTypeToScalarType<T>::value,
                       buffer_.get() + i * width, width);
    return buffer_.get();
  }
  T* target(void* base, int64_t at) {
    return direct() ? reinterpret_cast<T*>(static_cast<char*>(base) + at * item_) : buffer_.get();
  }
  void write(void* base, int64_t at, int64_t rows, int64_t inner, int64_t width) {
    if (direct()) return;
    char* p = static_cast<char*>(base) + at * item_;
    if (width == inner) width *= std::exchange(rows, 1);
    for (int64_t i = 0; i < rows; ++i)
      convert_elements(c10::CppTypeToScalarType<T>::value, buffer_.get() + i * width, stored_,
                       p + i * inner * item_, width);
  }

 private:
  ScalarType stored_;
  int64_t item_;
  std::unique_ptr<T[]> buffer_;
};

// Rows longer than this are read in pieces, which stay in the first cache while they are converted.
constexpr int64_t kLongRow = 8192;

template <typename T>
void softmax_long_row(bool log, ScalarType from, const void* in, ScalarType to, void* out,
                      int64_t at, int64_t n) {
  constexpr int64_t kPiece = 2048;
  Piece<T> source(from, true, kPiece), result(to, true, kPiece);
  const auto each_piece = [&](const auto& f) {
    for (int64_t i = 0; i < n; i += kPiece) {
      const int64_t count = std::min(kPiece, n - i);
      f(source.read(in, at + i, 1, count, count), i, count);
    }
  };
  T max = -static_cast<T>(INFINITY);
  each_piece([&](const T* x, int64_t, int64_t count) {
    max = extreme_row<T, true>(x, count, max, Same());
  });
  double sum = 0;
  each_piece([&](const T* x, int64_t, int64_t count) {
    sum += static_cast<double>(sum_of_exp(x, count, max));
  });
  const T rest = static_cast<T>(std::log(sum)), scale = static_cast<T>(1 / sum);
  each_piece([&](const T* x, int64_t first, int64_t count) {
    T* y = result.target(out, at + first);
    for_vectors<T>(count, [&](int64_t i, int64_t c) {
      const Vec<T> shifted = load_part<T>(x + i, c) - max;
      store_part<T>(log ? shifted - rest : exp_up_to_zero(shifted) * scale, y + i, c);
    });
    result.write(out, at + first, 1, count, count);
  });
}

// work(begin, end) on rows; or f(at, width) on strips of columns.
template <typename F>
void over_units(Dense3 s, const F& f) {
  if (s.inner == 1) {
    parallel_for(0, s.outer, std::max<int64_t>(1, kGrainSize / 8 / s.n),
                 [&](int64_t begin, int64_t end) { f(begin, end, 1); });
  } else {
    int64_t strips = divup(s.inner, kColumns);
    parallel_for(0, s.outer * strips,
                 std::max<int64_t>(1, kGrainSize / 8 / (s.n * std::min(kColumns, s.inner))),
                 [&](int64_t begin, int64_t end) { f(begin, end, strips); });
  }
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

template <typename T>
void softmax_typed(bool log, ScalarType from, const void* in, ScalarType to, void* out, Dense3 s) {
  over_units(s, [&](int64_t begin, int64_t end, int64_t strips) {
    if (s.inner == 1 && s.n < kShortRow && end - begin >= kColumns) {
      ShortRows<T> x(s.n);
      over_short_rows(begin, end, [&](int64_t first, int64_t count) {
        T* columns = x.read(from, in, first, count);
        softmax_columns(log, columns, columns, s.n, count, count);
        x.write(to, out, first, count);
      });
      return;
    }
    constexpr ScalarType kHere = c10::CppTypeToScalarType<T>::value;
    const bool buffered = from != kHere || to != kHere;
    if (s.inner == 1 && buffered && s.n <= kLongRow) {
      // Several rows are converted at once.
      const int64_t together = std::max<int64_t>(1, kLongRow / 4 / s.n);
      Piece<T> rows(from, true, s.n * together), results(to, true, s.n * together);
      for (int64_t u = begin; u < end; u += together) {
        const int64_t at = u * s.n, count = std::min(together, end - u);
        const T* x = rows.read(in, at, 1, count * s.n, count * s.n);
        T* y = results.target(out, at);
        softmax_rows(log, x, y, count, s.n);
        results.write(out, at, 1, count * s.n, count * s.n);
      }
      return;
    }
    if (s.inner == 1 && buffered) {
      for (int64_t u = begin; u < end; ++u)
        softmax_long_row<T>(log, from, in, to, out, u * s.n, s.n);
      return;
    }
    if (s.inner == 1) {
      softmax_rows(log, static_cast<const T*>(in) + begin * s.n, static_cast<T*>(out) + begin * s.n,
                   end - begin, s.n);
      return;
    }
    const int64_t max = std::min(kColumns, s.inner);
    Piece<T> source(from, buffered, s.n * max), result(to, buffered, s.n * max);
    for (int64_t u = begin; u < end; ++u) {
      const int64_t j = u % strips * kColumns, at = u / strips * s.n * s.inner + j;
      const int64_t width = std::min(kColumns, s.inner - j);
      const T* x = source.read(in, at, s.n, s.inner, width);
      softmax_columns(log, x, result.target(out, at), s.n, source.direct() ? s.inner : width,
                      width);
      result.write(out, at, s.n, s.inner, width);
    }
  });
}

template <typename T>
void backward_typed(bool log, ScalarType dtype, const void* grad, const void* y, ScalarType to,
                    void* out, Dense3 s) {
  over_units(s, [&](int64_t begin, int64_t end, int64_t strips) {
    if (s.inner == 1 && s.n < kShortRow && end - begin >= kColumns) {
      ShortRows<T> g(s.n), o(s.n);
      over_short_rows(begin, end, [&](int64_t first, int64_t count) {
        T* columns = g.read(dtype, grad, first, count);
        const T* results = o.read(dtype, y, first, count);
        backward_columns(log, columns, results, columns, s.n, count, count);
        g.write(to, out, first, count);
      });
      return;
    }
    int64_t max = s.inner == 1 ? 1 : std::min(kColumns, s.inner);
    constexpr ScalarType kHere = c10::CppTypeToScalarType<T>::value;
    const bool buffered = dtype != kHere || to != kHere;
    Piece<T> g(dtype, buffered, s.n * max), o(dtype, buffered, s.n * max),
        result(to, buffered, s.n * max);
    for (int64_t u = begin; u < end; ++u) {
      int64_t j = s.inner == 1 ? 0 : u % strips * kColumns, at = u / strips * s.n * s.inner + j;
      int64_t width = s.inner == 1 ? 1 : std::min(kColumns, s.inner - j);
      if (s.inner == 1) {
        backward_row(log, g.read(grad, at, 1, s.n, s.n), o.read(y, at, 1, s.n, s.n),
                     result.target(out, at), s.n);
        result.write(out, at, 1, s.n, s.n);
      } else {
        const T *gp = g.read(grad, at, s.n, s.inner, width),
                *yp = o.read(y, at, s.n, s.inner, width);
        backward_columns(log, gp, yp, result.target(out, at), s.n, g.direct() ? s.inner : width,
                         width);
        result.write(out, at, s.n, s.inner, width);
      }
    }
  });
}

bool in_double(ScalarType t) { return t == c10::kDouble; }

}  // namespace

static void softmax_kernel(bool log, const Tensor& self, const Tensor& out, int64_t dim) {
  const ScalarType from = self.scalar_type(), to = out.scalar_type();
  const Dense3 shape = dense_shape(self, dim);
  in_double(from) ? softmax_typed<double>(log, from, self.data_ptr(), to, out.data_ptr(), shape)
                  : softmax_typed<float>(log, from, self.data_ptr(), to, out.data_ptr(), shape);
}

static void softmax_backward_kernel(bool log, const Tensor& grad, const Tensor& y,
                                    const Tensor& out, int64_t dim) {
  const ScalarType dtype = y.scalar_type();
  const auto run = in_double(dtype) ? backward_typed<double> : backward_typed<float>;
  run(log, dtype, grad.data_ptr(), y.data_ptr(), out.scalar_type(), out.data_ptr(),
      dense_shape(y, dim));
}

REGISTER_DISPATCH(softmax_stub, &softmax_kernel)
REGISTER_DISPATCH(softmax_backward_stub, &softmax_backward_kernel)

}  // namespace at::native
