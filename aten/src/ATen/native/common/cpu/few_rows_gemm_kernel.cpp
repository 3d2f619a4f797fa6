// Products of a few rows with many: each number of the result is a dot product of two dense rows.

#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RowTiles.h>

namespace at::native {
namespace {

template <typename T>
void few_rows_gemm(const GemmArgs& g) {
  using V = SumType<T>;
  // The few rows are those of A, or columns of B.
  const bool swapped = !g.trans_b || (!g.trans_a && g.n < g.m);
  const int64_t few_count = swapped ? g.n : g.m, many_count = swapped ? g.m : g.n;
  const T *a = static_cast<const T*>(g.a), *b = static_cast<const T*>(g.b);
  const T* many = swapped ? a : b;
  const int64_t many_step = swapped ? g.lda : g.ldb, ld = swapped ? g.ldb : g.lda;
  const bool is_dense = swapped ? g.trans_b : !g.trans_a;
  const PaddedRows<V> few(swapped ? b : a, few_count, g.k, is_dense ? ld : 1, is_dense ? 1 : ld);
  const int64_t i_step = swapped ? 1 : g.ldc, j_step = swapped ? g.ldc : 1;
  const V alpha = static_cast<V>(g.alpha.real()), beta = static_cast<V>(g.beta.real());
  T* c = static_cast<T*>(g.c);
  each_row_tile(few_count, many_count, g.k, [&]<int F, int R>(int64_t i, int64_t j, RowTile<F, R>) {
    const FloatDots<T> rows{{few.row(i), few.step}, many + j * many_step, many_step};
    tile_of_dots<F, R>(rows, g.k, [&](int64_t f, int64_t r, V sum) {
      T& to = c[(i + f) * i_step + (j + r) * j_step];
      sum *= alpha;
      to = static_cast<T>(beta == V(0) ? sum : sum + beta * static_cast<V>(to));
    });
  });
}

void few_rows_gemm_kernel(const GemmArgs& g) {
  dispatch_types<FloatingAndReduced>(g.dtype, "addmm_impl_cpu_",
                                     [&]<typename T>(TypeTag<T>) { few_rows_gemm<T>(g); });
}

}  // namespace

REGISTER_DISPATCH(few_rows_gemm_stub, &few_rows_gemm_kernel)

}  // namespace at::native
