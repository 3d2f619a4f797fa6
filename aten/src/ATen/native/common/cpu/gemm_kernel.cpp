// Our own matrix products: small ones, those with one row, and types that the libraries lack.

#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/IntegerGemm.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideSums.h>

namespace at::native {
namespace {

// --- small products ------------------------------------------------------------------------------
//
// R rows by N vectors of C are held in registers during the loop over k. B's rows are contiguous; A
// may have any strides, since its elements are broadcast one by one.

template <typename T, int R, int N>
inline void tile(const T* a, int64_t ars, int64_t acs, const T* b, int64_t ldb, T* c, int64_t ldc,
                 int64_t k, int64_t tail, T alpha, T beta) {
  constexpr int64_t W = Vec<T>::size;
  Vec<T> acc[R][N];
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < N; ++v) acc[r][v] = Vec<T>(T(0));
  }
  for (int64_t p = 0; p < k; ++p) {
    Vec<T> row[N];
    for (int v = 0; v < N - 1; ++v) row[v] = Vec<T>::load(b + p * ldb + v * W);
    row[N - 1] = tail == W ? Vec<T>::load(b + p * ldb + (N - 1) * W)
                           : Vec<T>::load(b + p * ldb + (N - 1) * W, tail);
    for (int r = 0; r < R; ++r) {
      Vec<T> x(a[r * ars + p * acs]);
      for (int v = 0; v < N; ++v) acc[r][v] += x * row[v];
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < N; ++v) {
      T* to = c + r * ldc + v * W;
      int64_t n = v == N - 1 ? tail : W;
      Vec<T> x = acc[r][v] * Vec<T>(alpha);
      if (n == W) {
        if (beta != T(0)) x += Vec<T>(beta) * Vec<T>::load(to);
        x.store(to);
      } else {
        if (beta != T(0)) x += Vec<T>(beta) * Vec<T>::load(to, n);
        x.store(to, n);
      }
    }
  }
}

template <typename T, int N>
void columns(const T* a, int64_t ars, int64_t acs, const T* b, int64_t ldb, T* c, int64_t ldc,
             int64_t m, int64_t k, int64_t tail, T alpha, T beta) {
  constexpr int R = kVecBytes == 64 ? 6 : 4;
  int64_t i = 0;
  for (; i + R <= m; i += R)
    tile<T, R, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
  for (; i + 2 <= m; i += 2)
    tile<T, 2, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
  for (; i < m; ++i)
    tile<T, 1, N>(a + i * ars, ars, acs, b, ldb, c + i * ldc, ldc, k, tail, alpha, beta);
}

template <typename T>
void small_gemm(const GemmArgs& g) {
  constexpr int64_t W = Vec<T>::size, kDepth = 256, kWidth = 3 * W;
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  int64_t ars = g.trans_a ? 1 : g.lda, acs = g.trans_a ? g.lda : 1;
  T alpha = static_cast<T>(g.alpha.real()), first_beta = static_cast<T>(g.beta.real());
  alignas(64) T packed[kDepth * kWidth];
  for (int64_t p = 0; p == 0 || p < g.k; p += kDepth) {
    int64_t k = std::min(kDepth, g.k - p);
    T beta = p == 0 ? first_beta : T(1);
    for (int64_t j = 0; j < g.n; j += kWidth) {
      int64_t n = std::min(kWidth, g.n - j), vectors = (n + W - 1) / W,
              tail = n - (vectors - 1) * W;
      const T* rows;
      int64_t ldb;
      if (g.trans_b) {
        for (int64_t q = 0; q < n; ++q) {
          const T* from = b + (j + q) * g.ldb + p;
          for (int64_t i = 0; i < k; ++i) packed[i * kWidth + q] = from[i];
        }
        rows = packed;
        ldb = kWidth;
      } else {
        rows = b + p * g.ldb + j;
        ldb = g.ldb;
      }
      const T* left = a + p * acs;
      if (vectors == 1)
        columns<T, 1>(left, ars, acs, rows, ldb, c + j, g.ldc, g.m, k, tail, alpha, beta);
      else if (vectors == 2)
        columns<T, 2>(left, ars, acs, rows, ldb, c + j, g.ldc, g.m, k, tail, alpha, beta);
      else columns<T, 3>(left, ars, acs, rows, ldb, c + j, g.ldc, g.m, k, tail, alpha, beta);
    }
  }
}

}  // namespace

static void native_gemm_kernel(const GemmArgs& g) {
  if (g.dtype == kDouble) small_gemm<double>(g);
  else small_gemm<float>(g);
}

namespace {

// --- matrix times vector -------------------------------------------------------------------------

template <typename T>
struct Accumulator {
  using type = float;
};
template <>
struct Accumulator<double> {
  using type = double;
};

// Dot products of R rows with x at once.
template <typename V, int R>
void row_dots(const V* a, int64_t lda, const V* x, int64_t n, V* result) {
  constexpr int64_t W = Vec<V>::size;
  Vec<V> acc[R][2];
  for (int r = 0; r < R; ++r) acc[r][0] = acc[r][1] = Vec<V>(V(0));
  int64_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    Vec<V> x0 = Vec<V>::load(x + i), x1 = Vec<V>::load(x + i + W);
    for (int r = 0; r < R; ++r) {
      acc[r][0] += Vec<V>::load(a + r * lda + i) * x0;
      acc[r][1] += Vec<V>::load(a + r * lda + i + W) * x1;
    }
  }
  if (i + W <= n) {
    const Vec<V> x0 = Vec<V>::load(x + i);
    for (int r = 0; r < R; ++r) acc[r][0] += Vec<V>::load(a + r * lda + i) * x0;
    i += W;
  }
  if (i < n) {
    const Vec<V> x0 = Vec<V>::load(x + i, n - i);
    for (int r = 0; r < R; ++r) acc[r][1] += Vec<V>::load(a + r * lda + i, n - i) * x0;
  }
  for (int r = 0; r < R; ++r) result[r] = sum_lanes(acc[r][0] + acc[r][1]);
}

// The same for rows of N numbers, too few for vectors.
template <int N, typename V>
void short_row_dots(const V* a, int64_t lda, const V* x, int64_t rows, V* result) {
  V own[N > 0 ? N : 1];
  std::copy_n(x, N, own);
  for (int64_t r = 0; r < rows; ++r) {
    V sum = 0;
    for (int k = 0; k < N; ++k) sum += a[r * lda + k] * own[k];
    result[r] = sum;
  }
}

template <typename V>
void many_row_dots(const V* a, int64_t lda, const V* x, int64_t n, int64_t rows, V* result) {
  constexpr int kShortest = 8;
  if (n <= kShortest) {
    // The function for this length.
    return [&]<int... N>(std::integer_sequence<int, N...>) {
      (void)((n == N && (short_row_dots<N>(a, lda, x, rows, result), true)) || ...);
    }(std::make_integer_sequence<int, kShortest + 1>());
  }
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) row_dots<V, 4>(a + r * lda, lda, x, n, result + r);
  for (; r < rows; ++r) row_dots<V, 1>(a + r * lda, lda, x, n, result + r);
}

// The dot product of n halves with floats. Pieces of the halves are converted.
template <typename T>
float wide_dot(const T* a, const float* x, int64_t n) {
  constexpr int64_t kPiece = 1024;
  float wide[kPiece], sum = 0, part;
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    convert_run(a + i, wide, count);
    row_dots<float, 1>(wide, 0, x + i, count, &part);
    sum += part;
  }
  return sum;
}

// f(i, dot product of row i with x) for rows begin to end.
template <typename T, typename V, typename F>
void each_row_dot(const T* a, int64_t lda, const V* x, int64_t n, int64_t begin, int64_t end,
                  const F& f) {
  constexpr int64_t kRows = 256, kConverted = 2048;
  V sums[kRows];
  if constexpr (std::is_same_v<T, V>) {
    for (int64_t i = begin; i < end; i += kRows) {
      const int64_t rows = std::min(kRows, end - i);
      many_row_dots(a + i * lda, lda, x, n, rows, sums);
      for (int64_t r = 0; r < rows; ++r) f(i + r, sums[r]);
    }
  } else {
    if (n > kConverted / 2) {
      for (int64_t i = begin; i < end; ++i) f(i, wide_dot(a + i * lda, x, n));
      return;
    }
    V wide[kConverted];
    const int64_t together = std::min(kRows, kConverted / std::max<int64_t>(n, 1));
    for (int64_t i = begin; i < end; i += together) {
      const int64_t rows = std::min(together, end - i);
      if (lda == n) convert_run(a + i * lda, wide, rows * n);
      for (int64_t r = 0; r < rows && lda != n; ++r)
        convert_run(a + (i + r) * lda, wide + r * n, n);
      many_row_dots<V>(wide, n, x, n, rows, sums);
      for (int64_t r = 0; r < rows; ++r) f(i + r, sums[r]);
    }
  }
}

template <typename T>
void gemv_as(const GemvArgs& g) {
  using V = typename Accumulator<T>::type;
  const T* a = static_cast<const T*>(g.a);
  const T* x = static_cast<const T*>(g.x);
  T* y = static_cast<T*>(g.y);
  V alpha = static_cast<V>(g.alpha), beta = static_cast<V>(g.beta);
  constexpr int64_t kInline = 512;
  V small[kInline];
  std::vector<V> large;
  const V* vector = small;
  bool in_place = false;
  if constexpr (std::is_same_v<T, V>) {
    in_place = g.incx == 1;
    if (in_place) vector = x;
  }
  if (!in_place) {
    V* copy = small;
    if (g.n > kInline) {
      large.resize(g.n);
      vector = copy = large.data();
    }
    for (int64_t i = 0; i < g.n; ++i) copy[i] = static_cast<V>(x[i * g.incx]);
  }
  auto finish = [&](int64_t i, V sum) {
    V old = beta == V(0) ? V(0) : beta * static_cast<V>(y[i * g.incy]);
    y[i * g.incy] = static_cast<T>(alpha * sum + old);
  };
  if (g.column_stride == 1 || g.n == 1) {
    int64_t lda = g.row_stride;
    parallel_for(
        0, g.m, std::max<int64_t>(4, 2 * kGrainSize / std::max<int64_t>(g.n, 1)),
        [&](int64_t begin, int64_t end) { each_row_dot(a, lda, vector, g.n, begin, end, finish); });
    return;
  }
  // Columns are contiguous: pieces of y stay in the first-level cache while columns are added, four
  // at a time.
  int64_t lda = g.column_stride;
  parallel_for(0, g.m, std::max<int64_t>(64, 2 * kGrainSize / std::max<int64_t>(g.n, 1)),
               [&](int64_t begin, int64_t end) {
    constexpr int64_t kPiece = 512;
    alignas(64) V sums[kPiece];
    for (int64_t i = begin; i < end; i += kPiece) {
      int64_t n = std::min(kPiece, end - i), j = 0;
      std::fill(sums, sums + n, V(0));
      for (; j + 4 <= g.n; j += 4) {
        const T *c0 = a + j * lda + i, *c1 = c0 + lda, *c2 = c1 + lda, *c3 = c2 + lda;
        V x0 = vector[j], x1 = vector[j + 1], x2 = vector[j + 2], x3 = vector[j + 3];
#pragma GCC ivdep
        for (int64_t q = 0; q < n; ++q) {
          sums[q] += static_cast<V>(c0[q]) * x0 + static_cast<V>(c1[q]) * x1 +
                     static_cast<V>(c2[q]) * x2 + static_cast<V>(c3[q]) * x3;
        }
      }
      for (; j < g.n; ++j) {
        const T* column = a + j * lda + i;
#pragma GCC ivdep
        for (int64_t q = 0; q < n; ++q) sums[q] += static_cast<V>(column[q]) * vector[j];
      }
      for (int64_t q = 0; q < n; ++q) finish(i + q, sums[q]);
    }
  });
}

// The dot product of contiguous vectors.
template <typename T>
typename Accumulator<T>::type dense_dot(const T* a, const T* b, int64_t n) {
  using V = typename Accumulator<T>::type;
  V sum = 0;
  if constexpr (std::is_same_v<V, T>) {
    row_dots<T, 1>(a, 0, b, n, &sum);
  } else {
    constexpr int64_t kPiece = 1024;
    V right[kPiece];
    for (int64_t i = 0; i < n; i += kPiece) {
      const int64_t count = std::min(kPiece, n - i);
      convert_run(b + i, right, count);
      sum += wide_dot(a + i, right, count);
    }
  }
  return sum;
}

}  // namespace

static void gemv_kernel(const GemvArgs& g) {
  dispatch_types<FloatingAndReduced>(g.dtype, "addmv_impl_cpu",
                                     [&]<typename T>(TypeTag<T>) { gemv_as<T>(g); });
}

static void dot_kernel(ScalarType dtype, int64_t n, const void* x, int64_t incx, const void* y,
                       int64_t incy, bool conj, void* result) {
  dispatch_types<NumberTypes>(dtype, "dot", [&]<typename T>(TypeTag<T>) {
    const T* a = static_cast<const T*>(x);
    const T* b = static_cast<const T*>(y);
    using V = std::conditional_t<
        std::is_same<T, c10::Half>::value || std::is_same<T, c10::BFloat16>::value, float, T>;
    if constexpr (std::is_floating_point_v<V>) {
      if (incx == 1 && incy == 1) {
        const V total = parallel_reduce(int64_t(0), n, 4 * kGrainSize, V(0),
                                        [&](int64_t begin, int64_t end, V) {
          return dense_dot(a + begin, b + begin, end - begin);
        }, [](V p, V q) { return p + q; });
        *static_cast<T*>(result) = static_cast<T>(total);
        return;
      }
    }
    V sum{};
    for (int64_t i = 0; i < n; ++i) {
      V left = static_cast<V>(a[i * incx]);
      if constexpr (std::is_same<T, c10::complex<float>>::value ||
                    std::is_same<T, c10::complex<double>>::value) {
        if (conj) left = V(left.real(), -left.imag());
      }
      sum = static_cast<V>(sum + left * static_cast<V>(b[i * incy]));
    }
    *static_cast<T*>(result) = static_cast<T>(sum);
  });
}

namespace {

// --- other types ---------------------------------------------------------------------------------

template <typename T>
void complex_gemm(const GemmArgs& g) {
  using R = typename T::value_type;
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  int64_t ars = g.trans_a ? 1 : g.lda, acs = g.trans_a ? g.lda : 1;
  int64_t brs = g.trans_b ? 1 : g.ldb, bcs = g.trans_b ? g.ldb : 1;
  const T alpha(static_cast<R>(g.alpha.real()), static_cast<R>(g.alpha.imag())),
      beta(static_cast<R>(g.beta.real()), static_cast<R>(g.beta.imag()));
  parallel_for(0, g.m, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, g.n * g.k)),
               [&](int64_t begin, int64_t end) {
    std::vector<T> row(g.n);
    for (int64_t i = begin; i < end; ++i) {
      std::fill(row.begin(), row.end(), T(0));
      T* sums = row.data();
      for (int64_t p = 0; p < g.k; ++p) {
        const T x = a[i * ars + p * acs];
        const T* from = b + p * brs;
        for (int64_t j = 0; j < g.n; ++j) sums[j] += x * from[j * bcs];
      }
      T* to = c + i * g.ldc;
      const bool overwrite = beta == T(0);
      for (int64_t j = 0; j < g.n; ++j)
        to[j] = overwrite ? alpha * sums[j] : alpha * sums[j] + beta * to[j];
    }
  });
}

}  // namespace

static void plain_gemm_kernel(const GemmArgs& g) {
  dispatch_types<IntegralTypes, ComplexTypes>(g.dtype, "addmm_impl_cpu_",
                                              [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) IntegerGemm<T>(g).run();
    else complex_gemm<T>(g);
  });
}

REGISTER_DISPATCH(native_gemm_stub, &native_gemm_kernel)
REGISTER_DISPATCH(gemv_stub, &gemv_kernel)
REGISTER_DISPATCH(dot_stub, &dot_kernel)
REGISTER_DISPATCH(plain_gemm_stub, &plain_gemm_kernel)

}  // namespace at::native
