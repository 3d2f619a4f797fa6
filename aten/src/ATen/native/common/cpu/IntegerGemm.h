#pragma once
// Matrix products of integers, for which there is no library. Sums wrap around in the type of the
// elements, so 8-bit numbers can be added up as 16-bit ones, which processors multiply.
//
// A panel of B, two vectors wide, is packed; four rows of A then meet it in registers.

#include <type_traits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
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

 public:
  explicit IntegerGemm(const GemmArgs& g)
      : g_(g),
        a_(static_cast<const T*>(g.a)),
        b_(static_cast<const T*>(g.b)),
        c_(static_cast<T*>(g.c)),
        alpha_(number(g.alpha.real())),
        beta_(number(g.beta.real())) {
    ars_ = g.trans_a ? 1 : g.lda, acs_ = g.trans_a ? g.lda : 1;
    brs_ = g.trans_b ? 1 : g.ldb, bcs_ = g.trans_b ? g.ldb : 1;
  }

  void run() const {
    if (acs_ == 1 && (g_.n == 1 || (brs_ == 1 && g_.n <= 8))) {
      for (int64_t j = 0; j < g_.n; ++j) dots(j);
      return;
    }
    if (g_.n == 1 && ars_ == 1 && g_.ldc == 1) return column_sums();
    const int64_t work = std::max<int64_t>(1, g_.n * g_.k);
    parallel_for(0, g_.m, std::max<int64_t>(4, 8 * kGrainSize / work),
                 [&](int64_t begin, int64_t end) {
      if (end - begin < 4) rows_one_by_one(begin, end);
      else panels(begin, end);
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

  void rows_one_by_one(int64_t begin, int64_t end) const {
    std::vector<S> row(static_cast<size_t>(g_.n));
    S* sums = row.data();
    for (int64_t i = begin; i < end; ++i) {
      std::fill(row.begin(), row.end(), S(0));
      for (int64_t p = 0; p < g_.k; ++p) {
        const S x = static_cast<S>(a_[i * ars_ + p * acs_]);
        const T* from = b_ + p * brs_;
#pragma GCC ivdep
        for (int64_t j = 0; j < g_.n; ++j)
          sums[j] = static_cast<S>(sums[j] + 1u * x * S(from[j * bcs_]));
      }
      for (int64_t j = 0; j < g_.n; ++j) write(c_ + i * g_.ldc + j, sums[j]);
    }
  }

  void panels(int64_t begin, int64_t end) const {
    std::vector<S> packed(static_cast<size_t>(g_.k * kWidth));
    for (int64_t j = 0; j < g_.n; j += kWidth) {
      const int64_t width = std::min(kWidth, g_.n - j);
      for (int64_t p = 0; p < g_.k; ++p) {
        const T* from = b_ + p * brs_ + j * bcs_;
        S* to = packed.data() + p * kWidth;
        for (int64_t q = 0; q < width; ++q) to[q] = static_cast<S>(from[q * bcs_]);
      }
      int64_t i = begin;
      for (; i + 4 <= end; i += 4) tile<4>(packed.data(), i, j, width);
      for (; i < end; ++i) tile<1>(packed.data(), i, j, width);
    }
  }

  template <int R>
  void tile(const S* panel, int64_t i, int64_t j, int64_t width) const {
    V sums[R][2] = {};
    const T* rows = a_ + i * ars_;
    for (int64_t p = 0; p < g_.k; ++p) {
      const V left = *reinterpret_cast<const V*>(panel + p * kWidth);
      const V right = *reinterpret_cast<const V*>(panel + p * kWidth + kLanes);
      for (int r = 0; r < R; ++r) {
        const V x = V{} + static_cast<S>(rows[r * ars_ + p * acs_]);
        sums[r][0] += x * left;
        sums[r][1] += x * right;
      }
    }
    for (int r = 0; r < R; ++r) {
      T* to = c_ + (i + r) * g_.ldc + j;
      for (int64_t q = 0; q < width; ++q) write(to + q, sums[r][q / kLanes][q % kLanes]);
    }
  }

  const GemmArgs& g_;
  const T *a_, *b_;
  T* c_;
  S alpha_, beta_;
  int64_t ars_, acs_, brs_, bcs_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
