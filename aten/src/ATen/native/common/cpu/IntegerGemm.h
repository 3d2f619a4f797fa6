#pragma once
// Matrix products of integers, for which there is no library. Sums wrap around in the type of the
// elements, so 8-bit numbers can be added up as 16-bit ones, which processors multiply.
//
// Columns of B are packed into panels, two vectors wide; four rows of A then meet them in
// registers. The vectors of the result are converted and stored as vectors, since products with a
// short inner dimension do little else.

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/cpu/Interleaved.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
using IntegerSum = std::conditional_t<sizeof(T) == 1, uint16_t, std::make_unsigned_t<T>>;

template <typename T>
class IntegerGemm {
  using S = IntegerSum<T>;
  typedef S V __attribute__((vector_size(kVecBytes), may_alias, aligned(alignof(S))));
  static constexpr int64_t kLanes = kVecBytes / sizeof(S), kWidth = 2 * kLanes;
  // As many elements in memory.
  typedef T Stored __attribute__((vector_size(kLanes * sizeof(T)), may_alias, aligned(alignof(T))));
  // What is packed at once stays in the first-level cache.
  static constexpr int64_t kDepth = 256, kPacked = kDepth * kWidth;

 public:
  explicit IntegerGemm(const GemmArgs& g)
      : g_(g),
        a_(static_cast<const T*>(g.a)),
        b_(static_cast<const T*>(g.b)),
        c_(static_cast<T*>(g.c)),
        alpha_(number(g.alpha.real())),
        beta_(number(g.beta.real())) {
    for (int64_t k = 0; k < kLanes; ++k) lanes_[k] = static_cast<S>(k);
    ars_ = g.trans_a ? 1 : g.lda, acs_ = g.trans_a ? g.lda : 1;
    brs_ = g.trans_b ? 1 : g.ldb, bcs_ = g.trans_b ? g.ldb : 1;
  }

  void run() const {
    if (acs_ == 1 && (g_.n == 1 || (brs_ == 1 && g_.n <= 8))) {
      for (int64_t j = 0; j < g_.n; ++j) dots(j);
      return;
    }
    if (g_.n == 1 && ars_ == 1 && g_.ldc == 1) return column_sums();
    if (g_.m >= g_.n) {
      const int64_t work = std::max<int64_t>(1, g_.n * g_.k);
      parallel_for(0, g_.m, std::max<int64_t>(4, 8 * kGrainSize / work),
                   [&](int64_t begin, int64_t end) { block(begin, end, 0, g_.n); });
      return;
    }
    const int64_t work = std::max<int64_t>(1, g_.m * g_.k * kWidth);
    parallel_for(0, divup(g_.n, kWidth), std::max<int64_t>(1, 8 * kGrainSize / work),
                 [&](int64_t begin, int64_t end) {
      block(0, g_.m, begin * kWidth, std::min(g_.n, end * kWidth));
    });
  }

 private:
  static S number(double x) { return static_cast<S>(static_cast<int64_t>(x)); }

  void write(T* to, S sum) const {
    *to = static_cast<T>(
        static_cast<S>(1u * alpha_ * sum + (beta_ == 0 ? S(0) : S(1u * beta_ * S(*to)))));
  }

  // One column, with rows of A that are dense.
  void dots(int64_t j) const {
    std::vector<T> copy;
    const T* x = b_ + j * bcs_;
    if (brs_ != 1) {
      copy.resize(static_cast<size_t>(g_.k));
      for (int64_t p = 0; p < g_.k; ++p) copy[p] = x[p * brs_];
      x = copy.data();
    }
    const int64_t grain = std::max<int64_t>(1, 2 * kGrainSize / std::max<int64_t>(1, g_.k));
    parallel_for(0, g_.m, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* row = a_ + i * ars_;
        S sum = 0;
        for (int64_t p = 0; p < g_.k; ++p) sum = static_cast<S>(sum + 1u * S(row[p]) * S(x[p]));
        write(c_ + i * g_.ldc + j, sum);
      }
    });
  }

  // One column, with columns of A that are dense: a multiple of each is added.
  void column_sums() const {
    const int64_t grain = std::max<int64_t>(64, 2 * kGrainSize / std::max<int64_t>(1, g_.k));
    parallel_for(0, g_.m, grain, [&](int64_t begin, int64_t end) {
      std::vector<S> result(static_cast<size_t>(end - begin));
      S* sums = result.data();
      for (int64_t p = 0; p < g_.k; ++p) {
        const S x = static_cast<S>(b_[p * brs_]);
        const T* column = a_ + p * acs_ + begin;
#pragma GCC ivdep
        for (int64_t i = 0; i < end - begin; ++i)
          sums[i] = static_cast<S>(sums[i] + 1u * x * S(column[i]));
      }
      for (int64_t i = 0; i < end - begin; ++i) write(c_ + begin + i, sums[i]);
    });
  }

  // Rows i0 to i1 and columns j0 to j1 of the result.
  void block(int64_t i0, int64_t i1, int64_t j0, int64_t j1) const {
    if (i1 - i0 < 4) return few_rows(i0, i1, j0, j1);
    alignas(kVecBytes) S packed[kPacked];
    for (int64_t p = 0; p == 0 || p < g_.k; p += kDepth) {
      const int64_t k = std::min(kDepth, g_.k - p);
      const int64_t together = kPacked / std::max<int64_t>(1, k) / kWidth * kWidth;
      for (int64_t j = j0; j < j1; j += together) {
        const Columns columns{packed, p, k, j, std::min(j1, j + together), p == 0 ? beta_ : S(1)};
        pack(columns);
        int64_t i = i0;
        for (; i + 4 <= i1; i += 4) rows<4>(i, columns);
        for (; i < i1; ++i) rows<1>(i, columns);
      }
    }
  }

  // Too few rows to pack B for.
  void few_rows(int64_t i0, int64_t i1, int64_t j0, int64_t j1) const {
    // Up to this, sums stay in registers until they are stored.
    constexpr int64_t kShort = 16;
    int64_t j = j0;
    if (g_.k <= kShort && bcs_ <= 1) {
      const int64_t end = j0 + (j1 - j0) / kLanes * kLanes;
      if (i1 - i0 == 3) short_sums<3>(i0, j, end);
      else if (i1 - i0 == 2) short_sums<2>(i0, j, end);
      else short_sums<1>(i0, j, end);
      j = end;
    }
    if (j < j1) {
      for (int64_t i = i0; i < i1; ++i) one_row(i, j, j1);
    }
  }

  // R rows of whole vectors of columns, which are dense or all the same.
  template <int R>
  void short_sums(int64_t i, int64_t j, int64_t end) const {
    const int64_t k = g_.k, brs = brs_, bcs = bcs_, ars = ars_, acs = acs_, ldc = g_.ldc;
    const T* rows = a_ + i * ars;
    for (; j < end; j += kLanes) {
      V sums[R] = {};
      for (int64_t p = 0; p < k; ++p) {
        const T* from = b_ + p * brs + j * bcs;
        const V right = bcs == 0
                            ? V{} + static_cast<S>(*from)
                            : __builtin_convertvector(*reinterpret_cast<const Stored*>(from), V);
#pragma GCC unroll 3
        for (int r = 0; r < R; ++r)
          sums[r] += (V{} + static_cast<S>(rows[r * ars + p * acs])) * right;
      }
#pragma GCC unroll 3
      for (int r = 0; r < R; ++r) {
        Stored& stored = *reinterpret_cast<Stored*>(c_ + (i + r) * ldc + j);
        sums[r] *= alpha_;
        if (beta_ != 0) sums[r] += beta_ * __builtin_convertvector(stored, V);
        stored = __builtin_convertvector(sums[r], Stored);
      }
    }
  }

  void one_row(int64_t i, int64_t j0, int64_t j1) const {
    const int64_t n = j1 - j0;
    std::vector<S> row(static_cast<size_t>(n));
    S* sums = row.data();
    for (int64_t p = 0; p < g_.k; ++p) {
      const S x = static_cast<S>(a_[i * ars_ + p * acs_]);
      const T* from = b_ + p * brs_ + j0 * bcs_;
      const auto add = [&](int64_t step) {
#pragma GCC ivdep
        for (int64_t j = 0; j < n; ++j)
          sums[j] = static_cast<S>(sums[j] + 1u * x * S(from[j * step]));
      };
      // A constant step makes a loop of vectors.
      if (bcs_ == 1) add(1);
      else add(bcs_);
    }
    T* to = c_ + i * g_.ldc + j0;
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) write(to + j, sums[j]);
  }

  // Columns j to end of B, packed, in rows p to p + k. The result is multiplied by beta first.
  struct Columns {
    S* packed;
    int64_t p, k, j, end;
    S beta;

    int64_t vectors() const { return divup(end - j, kLanes); }
    // Vector v of each row, which are kWidth numbers apart.
    S* vector(int64_t v) const { return packed + v / 2 * k * kWidth + v % 2 * kLanes; }
    // The last vector begins early, so that it is full, if there are that many columns. Its first
    // lanes then repeat those of the vector before.
    int64_t begin(int64_t v) const { return std::max(j, std::min(j + v * kLanes, end - kLanes)); }
  };

  void pack(const Columns& columns) const {
    const int64_t width = std::min(kLanes, columns.end - columns.j);
    for (int64_t v = 0; v < columns.vectors(); ++v) {
      const T* from = b_ + columns.p * brs_ + columns.begin(v) * bcs_;
      S* to = columns.vector(v);
      if (bcs_ == 1 && width == kLanes) {
        for (int64_t p = 0; p < columns.k; ++p)
          *reinterpret_cast<V*>(to + p * kWidth) =
              __builtin_convertvector(*reinterpret_cast<const Stored*>(from + p * brs_), V);
      } else if (bcs_ == 0) {
        for (int64_t p = 0; p < columns.k; ++p)
          *reinterpret_cast<V*>(to + p * kWidth) = V{} + static_cast<S>(from[p * brs_]);
      } else if (width == kLanes && take_columns_apart(from, columns.k, to)) {
        continue;
      } else {
        for (int64_t p = 0; p < columns.k && width < kLanes; ++p)
          *reinterpret_cast<V*>(to + p * kWidth) = V{};
        for (int64_t q = 0; q < width; ++q) {
          for (int64_t p = 0; p < columns.k; ++p)
            to[p * kWidth + q] = static_cast<S>(from[p * brs_ + q * bcs_]);
        }
      }
    }
  }

  // kLanes short columns, one after the other in memory.
  bool take_columns_apart(const T* from, int64_t k, S* to) const {
    return brs_ == 1 && bcs_ == k && for_interleaved(k, [&]<int K>(std::integral_constant<int, K>) {
      T rows[K * kLanes];
      split_rows<K, K>(rows, kLanes, from, kLanes);
      for (int64_t p = 0; p < K; ++p)
        *reinterpret_cast<V*>(to + p * kWidth) =
            __builtin_convertvector(*reinterpret_cast<const Stored*>(rows + p * kLanes), V);
    });
  }

  // What becomes of a result: it is written, added to C, or both are multiplied first.
  enum class Scaling { kWrite, kAdd, kFactors };

  template <int R>
  void rows(int64_t i, const Columns& columns) const {
    if (alpha_ == 1 && columns.beta == 0) rows_as<R, Scaling::kWrite>(i, columns);
    else if (alpha_ == 1 && columns.beta == 1) rows_as<R, Scaling::kAdd>(i, columns);
    else rows_as<R, Scaling::kFactors>(i, columns);
  }

  template <int R, Scaling scaling>
  void rows_as(int64_t i, const Columns& columns) const {
    const int64_t vectors = columns.vectors();
    int64_t v = 0;
    for (; v + 2 <= vectors; v += 2) tile<R, 2, scaling>(i, columns, v);
    if (v < vectors) tile<R, 1, scaling>(i, columns, v);
  }

  // Loops over registers must be unrolled: registers have no index.
  template <int R, int N, Scaling scaling>
  void tile(int64_t i, const Columns& columns, int64_t v) const {
    V sums[R][N] = {};
    const int64_t ars = ars_, acs = acs_, k = columns.k;
    const T* rows = a_ + i * ars + columns.p * acs;
    const S* panel = columns.vector(v);
    for (int64_t p = 0; p < k; ++p) {
      V right[N];
      for (int q = 0; q < N; ++q)
        right[q] = *reinterpret_cast<const V*>(panel + p * kWidth + q * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const V x = V{} + static_cast<S>(rows[r * ars + p * acs]);
#pragma GCC unroll 2
        for (int q = 0; q < N; ++q) sums[r][q] += x * right[q];
      }
    }
    const int64_t ldc = g_.ldc;
    T* to = c_ + i * ldc;
    if (columns.end - columns.j < kLanes) {
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) store_few<scaling>(to + r * ldc, sums[r][0], columns);
      return;
    }
    const int64_t first = columns.begin(v), last = columns.begin(v + N - 1);
    const bool is_whole = last == columns.j + (v + N - 1) * kLanes;
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      if constexpr (N == 2) store<scaling>(to + r * ldc + first, sums[r][0], columns, true);
      store<scaling>(to + r * ldc + last, sums[r][N - 1], columns, is_whole);
    }
  }

  // Leaves repeated lanes as they are, unless all are new.
  template <Scaling scaling>
  void store(T* to, V result, const Columns& columns, bool is_whole) const {
    Stored& stored = *reinterpret_cast<Stored*>(to);
    if constexpr (scaling == Scaling::kAdd) result += __builtin_convertvector(stored, V);
    if constexpr (scaling == Scaling::kFactors) {
      result *= alpha_;
      if (columns.beta != 0) result += columns.beta * __builtin_convertvector(stored, V);
    }
    if (!is_whole) {
      const V lane = *reinterpret_cast<const V*>(lanes_);
      const V repeated = V{} + static_cast<S>(kLanes - (columns.end - columns.j) % kLanes);
      result = lane < repeated ? __builtin_convertvector(stored, V) : result;
    }
    stored = __builtin_convertvector(result, Stored);
  }

  // Less than a vector of columns.
  template <Scaling scaling>
  __attribute__((noinline)) void store_few(T* to, V result, const Columns& columns) const {
    const int64_t count = columns.end - columns.j;
    T lanes[kLanes] = {};
    if (scaling != Scaling::kWrite && columns.beta != 0) std::copy_n(to + columns.j, count, lanes);
    store<scaling>(lanes, result, columns, true);
    std::copy_n(lanes, count, to + columns.j);
  }

  const GemmArgs& g_;
  const T *a_, *b_;
  T* c_;
  S alpha_, beta_, lanes_[kLanes];
  int64_t ars_, acs_, brs_, bcs_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
