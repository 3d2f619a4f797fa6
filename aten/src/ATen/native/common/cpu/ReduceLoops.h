#pragma once
// Building blocks of ReduceOps: sums of a function of the elements, over rows and over columns.

#include <cstring>

#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Number of elements that are added in their own type before a partial sum is added to a double.
constexpr int64_t kSumBlock = 4096;
constexpr int64_t kRowsPerBlock = 64;
constexpr int64_t kMaxReduceColumns = 2048;

template <typename T>
const T* element_row(const char* p, int64_t r, int64_t row_bytes) {
  return reinterpret_cast<const T*>(p + r * row_bytes);
}

// In double.
template <typename T>
double add_lanes(Vec<T> v) {
  if constexpr (std::is_same_v<T, double>) {
    return sum_lanes(v);
  } else {
    constexpr int kHalf = Vec<T>::size / 2;
    typedef T Half __attribute__((vector_size(kVecBytes / 2)));
    typedef double Wide __attribute__((vector_size(kHalf * sizeof(double))));
    Half halves[2];
    std::memcpy(halves, &v, sizeof v);
    return sum_lanes(Vec<double>(__builtin_convertvector(halves[0], Wide) +
                                 __builtin_convertvector(halves[1], Wide)));
  }
}

// The sum of f(x) over a dense run, of halves as floats. f must return 0 for 0: lanes past the end
// read as 0.
template <typename Stored, typename F>
double sum_row(const Stored* p, int64_t n, const F& f) {
  using V = Vec<SumType<Stored>>;
  constexpr int64_t W = V::size;
  double total = 0;
  while (n > 0) {
    int64_t m = n < kSumBlock ? n : kSumBlock, i = 0;
    V a(0), b(0), c(0), d(0);
    for (; i + 4 * W <= m; i += 4 * W) {
      a += f(load_wide(p + i));
      b += f(load_wide(p + i + W));
      c += f(load_wide(p + i + 2 * W));
      d += f(load_wide(p + i + 3 * W));
    }
    for (; i + W <= m; i += W) a += f(load_wide(p + i));
    if (i < m) b += f(load_wide(p + i, m - i));
    total += add_lanes((a + b) + (c + d));
    p += m;
    n -= m;
  }
  return total;
}

// part[j] += the sum of f over `rows` rows, of halves as floats. f must return 0 for 0: lanes past
// the end of a row read as 0, and those of `part`, which has whole registers, are written too.
template <typename T, typename Stored = T, typename F>
void sum_rows_into(T* part, const char* p, int64_t rows, int64_t row_bytes, int64_t n, const F& f) {
  constexpr int64_t W = Vec<T>::size;
  int64_t r = 0;
  // count: nothing for a whole vector, or the elements of a shorter one.
  const auto load = [&](int64_t row, int64_t j, auto... count) {
    return f(load_wide(element_row<Stored>(p, row, row_bytes) + j, count...));
  };
  const auto add_four = [&](int64_t j, auto... count) {
    const Vec<T> four = (load(r, j, count...) + load(r + 1, j, count...)) +
                        (load(r + 2, j, count...) + load(r + 3, j, count...));
    (Vec<T>::load(part + j) + four).store(part + j);
  };
  for (; r + 4 <= rows; r += 4) {
    int64_t j = 0;
    for (; j + W <= n; j += W) add_four(j);
    if (j < n) add_four(j, n - j);
  }
  for (; r < rows; ++r) {
    int64_t j = 0;
    for (; j + W <= n; j += W) (Vec<T>::load(part + j) + load(r, j)).store(part + j);
    if (j < n) (Vec<T>::load(part + j) + load(r, j, n - j)).store(part + j);
  }
}

template <typename T, typename Stored = T, typename F>
void sum_columns(double* acc, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                 const F& f);

// Short adjacent rows: many of them are treated as one long row, whose sums are folded afterwards.
template <typename T, typename Stored, typename F>
void sum_short_rows(double* acc, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                    const F& f) {
  int64_t together = 1;
  // Folding pays off for several long rows.
  while (2 * together * n <= 512 && 32 * together <= rows) together *= 2;
  const int64_t long_rows = rows / together, width = together * n;
  alignas(64) double wide[512];
  for (int64_t j = 0; j < width; ++j) wide[j] = 0;
  sum_columns<T, Stored>(wide, p, long_rows, width * static_cast<int64_t>(sizeof(Stored)), width,
                         f);
  for (int64_t half = width / 2; half >= n; half /= 2) {
    for (int64_t j = 0; j < half; ++j) wide[j] += wide[j + half];
  }
  for (int64_t j = 0; j < n; ++j) acc[j] += wide[j];
  int64_t done = long_rows * together;
  if (done < rows) sum_columns<T, Stored>(acc, p + done * row_bytes, rows - done, row_bytes, n, f);
}

// The same into doubles, of which `acc` has whole registers, through partial sums over
// kRowsPerBlock rows.
template <typename T, typename Stored, typename F>
void sum_columns(double* acc, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                 const F& f) {
  if (n <= 32 && rows * n >= 2048 && row_bytes == n * static_cast<int64_t>(sizeof(Stored))) {
    return sum_short_rows<T, Stored>(acc, p, rows, row_bytes, n, f);
  }
  if constexpr (std::is_same_v<T, double>) {
    sum_rows_into<T, Stored>(acc, p, rows, row_bytes, n, f);
  } else {
    alignas(64) T part[kMaxReduceColumns];
    for (int64_t r = 0; r < rows; r += kRowsPerBlock) {
      int64_t m = rows - r < kRowsPerBlock ? rows - r : kRowsPerBlock;
      for (int64_t j = 0; j < n; ++j) part[j] = T(0);
      sum_rows_into<T, Stored>(part, p + r * row_bytes, m, row_bytes, n, f);
      for (int64_t j = 0; j < n; ++j) acc[j] += static_cast<double>(part[j]);
    }
  }
}

// --- ReduceOps whose accumulators are n values of A ---------------------------------------------

template <typename A>
A* values_of(char* acc) {
  return reinterpret_cast<A*>(acc);
}
template <typename A>
const A* values_of(const char* acc) {
  return reinterpret_cast<const A*>(acc);
}
template <typename A>
void init_zero(const ReduceOps&, char* acc, int64_t n) {
  for (int64_t j = 0; j < n; ++j) values_of<A>(acc)[j] = A(0);
}
// ReduceOps::rows of a reduction R whose accumulators do not depend on how many there are.
template <typename R>
void rows_by_row(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                 char* acc) {
  for (int64_t r = 0; r < rows; ++r)
    R::row(ops, p + r * row_bytes, n, 0, acc + r * static_cast<int64_t>(ops.acc_size));
}
template <typename A>
void combine_add(const ReduceOps&, char* acc, const char* later, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    values_of<A>(acc)[j] = values_of<A>(acc)[j] + values_of<A>(later)[j];
}

// Families, each in its own file.
bool reduce_sum_ops(ReduceKind kind, ScalarType compute, ReduceOps& ops);
bool reduce_order_ops(ReduceKind kind, ScalarType compute, ReduceOps& ops);
bool reduce_moment_ops(ReduceKind kind, ScalarType compute, ReduceOps& ops);

}  // namespace CPU_CAPABILITY
}  // namespace at::native
