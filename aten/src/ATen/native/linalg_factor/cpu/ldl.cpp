// LDL factors with the pivoting of Bunch and Kaufman, by LAPACK if they are not small.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_factor/cpu/SmallLdl.h>
#include <ATen/native/linalg_factor/linalg_factor.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

void ldl_factor_kernel(const Tensor& LD, const Tensor& pivots, const Tensor& info, bool hermitian) {
  dispatch_types<LapackTypes>(LD.scalar_type(), "ldl_factor", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> a(LD);
    int* infos = static_cast<int*>(info.data_ptr());
    int* all_pivots = static_cast<int*>(pivots.data_ptr());
    const int64_t n = a.rows;
    if (LD.numel() == 0) return void(std::fill(infos, infos + a.count, 0));
    constexpr int64_t kSmall = 16;
    if (n <= kSmall && !(hermitian && is_complex_type<T>)) {
      for_each_matrix(a.count, double(n) * n * n + 20, [&](int64_t b) {
        infos[b] = SmallLdl<T>(a[b], n, all_pivots + b * n).factor();
      });
      return;
    }
    static const Lapack<T> sytrf("sytrf"), hetrf("sytrf", "hetrf");
    const Lapack<T>& factor = hermitian ? hetrf : sytrf;
    const int size = lapack_int(n);
    T answer;
    factor('L', size, a[0], size, all_pivots, &answer, -1, infos);
    const int64_t lwork = workspace_size(answer);
    BlasThreads threads(a.count == 1 && n > 200);
    for_each_matrix(a.count, double(n) * n * n, [&](int64_t b) {
      Scratch<T> work(lwork);
      factor('L', size, a[b], size, all_pivots + b * n, work.get(), static_cast<int>(lwork),
             infos + b);
    });
  });
}

// Pivots from outside may be anything: LAPACK would read and write beyond the matrix.
void check_pivots(const int* pivots, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t p = pivots[k] < 0 ? -int64_t{pivots[k]} : pivots[k];
    bool paired = true;
    if (pivots[k] < 0) {
      // A block of two has the same negative number twice.
      paired = k + 1 < n && pivots[k + 1] == pivots[k];
      ++k;
    }
    TORCH_CHECK(p >= 1 && p <= n && paired,
                "torch.linalg.ldl_solve: the pivots are not those of an LDL factorization");
  }
}

void ldl_solve_kernel(const Tensor& LD, const Tensor& pivots, const Tensor& X, bool hermitian) {
  dispatch_types<LapackTypes>(X.scalar_type(), "ldl_solve", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> factors(LD), x(X);
    const MatrixBatch<int> all_pivots(pivots);
    const int64_t n = factors.rows;
    if (X.numel() == 0) return;
    static const Lapack<T> sytrs("sytrs"), hetrs("sytrs", "hetrs");
    const Lapack<T>& solve = hermitian ? hetrs : sytrs;
    const int size = lapack_int(n), count = lapack_int(x.columns);
    for (int64_t b = 0; b < x.count; ++b) check_pivots(all_pivots[b], n);
    for_each_matrix(x.count, double(n) * n * x.columns + 500, [&](int64_t b) {
      const ColumnsOf<T> columns(factors, b);
      int info = 0;
      solve('L', size, count, columns.data, lapack_int(columns.ld), all_pivots[b], x[b], size,
            &info);
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(ldl_factor_stub, &ldl_factor_kernel)
REGISTER_ALL_CPU_DISPATCH(ldl_solve_stub, &ldl_solve_kernel)

}  // namespace at::native
