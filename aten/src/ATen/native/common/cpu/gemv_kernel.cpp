// Products of a matrix and a vector, which are bound by memory.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RowDots.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
namespace {

// f(i, dot product of row i with x) for rows begin to end.
template <typename T, typename X, typename F>
void each_row_dot(const T* a, int64_t lda, const X* x, int64_t n, int64_t begin, int64_t end,
                  const F& f) {
  using V = SumType<T>;
  constexpr int64_t kRows = 256, kConverted = 2048;
  V sums[kRows];
  if (!kSumsAreWide<T> || n > kConverted / 16) {
    for (int64_t i = begin; i < end; i += kRows) {
      const int64_t rows = std::min(kRows, end - i);
      many_row_dots(a + i * lda, lda, x, n, rows, sums);
      for (int64_t r = 0; r < rows; ++r) f(i + r, sums[r]);
    }
    return;
  }
  // Short rows of halves are converted, many at once.
  if constexpr (kSumsAreWide<T> && std::is_same_v<V, X>) {
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

// sums += the first n elements of K columns, times the elements of x. `sums` has whole registers.
template <int K, typename T, typename V>
void add_columns(const T* column, int64_t lda, const V* x, int64_t n, V* sums) {
  const auto sum_at = [&](int64_t q, auto... size) {
    Vec<V> sum = Vec<V>::load(sums + q);
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) sum += load_wide(column + k * lda + q, size...) * Vec<V>(x[k]);
    sum.store(sums + q);
  };
  int64_t q = 0;
  for (; q + Vec<V>::size <= n; q += Vec<V>::size) sum_at(q);
  if (q < n) sum_at(q, n - q);
}

template <typename T>
void gemv_as(const GemvArgs& g) {
  using V = SumType<T>;
  const T* a = static_cast<const T*>(g.a);
  const T* x = static_cast<const T*>(g.x);
  T* y = static_cast<T*>(g.y);
  V alpha = static_cast<V>(g.alpha), beta = static_cast<V>(g.beta);
  constexpr int64_t kInline = 512;
  V small[kInline];
  std::vector<V> large;
  const V* vector = small;
  const bool is_dense = g.incx == 1, by_rows = g.column_stride == 1 || g.n == 1;
  if constexpr (!kSumsAreWide<T>) {
    if (is_dense) vector = x;
  }
  // Long rows of halves meet a vector of halves.
  const bool as_it_is = kSumsAreWide<T> && by_rows && is_dense && g.n > kInline;
  if (vector == small && !as_it_is) {
    V* copy = small;
    if (g.n > kInline) {
      large.resize(g.n);
      vector = copy = large.data();
    }
    if constexpr (kSumsAreWide<T>) {
      if (is_dense) convert_run(x, copy, g.n);
    }
    for (int64_t i = 0; i < g.n && !is_dense; ++i) copy[i] = static_cast<V>(x[i * g.incx]);
  }
  auto finish = [&](int64_t i, V sum) {
    V old = beta == V(0) ? V(0) : beta * static_cast<V>(y[i * g.incy]);
    y[i * g.incy] = static_cast<T>(alpha * sum + old);
  };
  if (by_rows) {
    int64_t lda = g.row_stride;
    parallel_for(0, g.m, std::max<int64_t>(4, 2 * kGrainSize / std::max<int64_t>(g.n, 1)),
                 [&](int64_t begin, int64_t end) {
      if (as_it_is) each_row_dot(a, lda, x, g.n, begin, end, finish);
      else each_row_dot(a, lda, vector, g.n, begin, end, finish);
    });
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
      std::fill(sums, sums + divup(n, int64_t(Vec<V>::size)) * Vec<V>::size, V(0));
      for (; j + 4 <= g.n; j += 4) add_columns<4>(a + j * lda + i, lda, vector + j, n, sums);
      for (; j < g.n; ++j) add_columns<1>(a + j * lda + i, lda, vector + j, n, sums);
      for (int64_t q = 0; q < n; ++q) finish(i + q, sums[q]);
    }
  });
}

}  // namespace

static void gemv_kernel(const GemvArgs& g) {
  dispatch_types<FloatingAndReduced>(g.dtype, "addmv_impl_cpu",
                                     [&]<typename T>(TypeTag<T>) { gemv_as<T>(g); });
}

REGISTER_DISPATCH(gemv_stub, &gemv_kernel)

}  // namespace at::native
