// Products of a few rows with many: each number of the result is a dot product of two rows that are
// dense. The many rows, as the weights of a linear layer, are read once for all of the few.

#include <algorithm>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
namespace {

// The dot products of F few rows with R of the many: registers hold F * R sums.
template <int F, int R, typename T, typename V = SumType<T>, typename W>
void tile_of_dots(const V* few, int64_t few_step, const T* many, int64_t many_step, int64_t k,
                  const W& write) {
  constexpr int64_t kLanes = Vec<V>::size;
  Vec<V> sums[F][R] = {};
  const auto add = [&](int64_t p, const auto&... count) {
    Vec<V> x[F];
#pragma GCC unroll 4
    for (int f = 0; f < F; ++f) x[f] = Vec<V>::load(few + f * few_step + p, count...);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const Vec<V> y = load_wide(many + r * many_step + p, count...);
#pragma GCC unroll 4
      for (int f = 0; f < F; ++f) sums[f][r] += x[f] * y;
    }
  };
  int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) add(p);
  if (p < k) add(p, k - p);
#pragma GCC unroll 4
  for (int f = 0; f < F; ++f) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) write(f, r, sum_lanes(sums[f][r]));
  }
}

template <typename T>
class FewRows {
  using V = SumType<T>;
  // Twelve sums are in registers at a time, those of up to four of the few rows.
  static constexpr int kFew = 4, kSums = 12;

 public:
  // `swapped`: the few rows are columns of B.
  FewRows(const GemmArgs& g, bool swapped)
      : g_(g),
        few_count_(swapped ? g.n : g.m),
        many_count_(swapped ? g.m : g.n),
        many_(static_cast<const T*>(swapped ? g.a : g.b)),
        many_step_(swapped ? g.lda : g.ldb),
        few_step_(divup(g.k, Vec<V>::size) * Vec<V>::size),
        few_(few_count_ * few_step_),
        c_few_step_(swapped ? 1 : g.ldc),
        c_many_step_(swapped ? g.ldc : 1) {
    const T* from = static_cast<const T*>(swapped ? g.b : g.a);
    const int64_t ld = swapped ? g.ldb : g.lda;
    const bool is_dense = swapped ? g.trans_b : !g.trans_a;
    for (int64_t f = 0; f < few_count_; ++f) {
      V* to = few_.get() + f * few_step_;
      if (is_dense) {
        if constexpr (kSumsAreWide<T>) convert_run(from + f * ld, to, g.k);
        else std::copy_n(from + f * ld, g.k, to);
      } else {
        for (int64_t p = 0; p < g.k; ++p) to[p] = static_cast<V>(from[p * ld + f]);
      }
    }
  }

  void run() {
    const int64_t grain = divup(divup(kGrainSize, g_.k * few_count_), kSums) * kSums;
    parallel_for(0, many_count_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; j += kSums) block(j, std::min<int64_t>(end, j + kSums));
    });
  }

 private:
  // All few rows with rows `begin` to `end` of the many, which stay in a cache meanwhile.
  void block(int64_t begin, int64_t end) const {
    for (int64_t i = 0, rows; i < few_count_; i += rows) {
      const int64_t left = few_count_ - i;
      rows = left > kFew && left < 2 * kFew ? divup(left, 2) : std::min<int64_t>(kFew, left);
      with_constant<1, kFew>(rows, [&]<int F>(std::integral_constant<int, F>) {
        constexpr int R = kSums / F;
        int64_t j = begin;
        for (; j + R <= end; j += R) tile<F, R>(i, j);
        for (; j < end; ++j) tile<F, 1>(i, j);
      });
    }
  }

  template <int F, int R>
  void tile(int64_t i, int64_t j) const {
    const V alpha = static_cast<V>(g_.alpha.real()), beta = static_cast<V>(g_.beta.real());
    tile_of_dots<F, R>(few_.get() + i * few_step_, few_step_, many_ + j * many_step_, many_step_,
                       g_.k, [&](int64_t f, int64_t r, V sum) {
      T& to = static_cast<T*>(g_.c)[(i + f) * c_few_step_ + (j + r) * c_many_step_];
      sum *= alpha;
      to = static_cast<T>(beta == V(0) ? sum : sum + beta * static_cast<V>(to));
    });
  }

  const GemmArgs& g_;
  const int64_t few_count_, many_count_;
  const T* many_;
  const int64_t many_step_, few_step_;
  Scratch<V> few_;
  const int64_t c_few_step_, c_many_step_;
};

void few_rows_gemm_kernel(const GemmArgs& g) {
  dispatch_types<FloatingAndReduced>(g.dtype, "addmm_impl_cpu_", [&]<typename T>(TypeTag<T>) {
    FewRows<T>(g, !g.trans_b || (!g.trans_a && g.n < g.m)).run();
  });
}

}  // namespace

REGISTER_DISPATCH(few_rows_gemm_stub, &few_rows_gemm_kernel)

}  // namespace at::native
