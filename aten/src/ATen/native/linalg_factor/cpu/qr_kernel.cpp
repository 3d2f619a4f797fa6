// Householder reflectors: QR factors, and products of the reflectors.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_factor/cpu/BlockedReflectors.h>
#include <ATen/native/linalg_factor/cpu/FewReflectors.h>
#include <ATen/native/linalg_factor/cpu/SmallReflectors.h>
#include <ATen/native/linalg_factor/linalg_factor.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// Scales where squares of the numbers would overflow or vanish.
template <typename T>
void lapack_geqrf(T* a, int64_t m, int64_t n, T* tau) {
  static const Lapack<T> geqrf("geqrf");
  const int rows = lapack_int(m), columns = lapack_int(n);
  T answer;
  int info = 0;
  geqrf(rows, columns, a, rows, tau, &answer, -1, &info);
  const int64_t lwork = workspace_size(answer);
  Scratch<T> work(lwork);
  geqrf(rows, columns, a, rows, tau, work.get(), int(lwork), &info);
}

void geqrf_kernel(const Tensor& a, const Tensor& tau) {
  dispatch_types<LapackTypes>(a.scalar_type(), "geqrf", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> matrices(a);
    T* taus = static_cast<T*>(tau.data_ptr());
    const int64_t m = matrices.rows, n = matrices.columns, steps = std::min(m, n);
    if (a.numel() == 0) return;
    const bool small = std::max(m, n) <= kSmallMatrix;
    const auto factor = [&](int64_t b) {
      bool done = false;
      if (has_few_columns(m, n)) {
        with_constant<1, kFewReflectors>(n, [&]<int count>(std::integral_constant<int, count>) {
          done = geqrf_of_few<count>(matrices[b], m, m, taus + b * steps);
        });
      }
      if (done) return;
      if (!squares_are_safe(matrices[b], m * n))
        return lapack_geqrf(matrices[b], m, n, taus + b * steps);
      if (small) small_geqrf(matrices[b], m, n, m, taus + b * steps);
      else blocked_geqrf(matrices[b], m, n, m, taus + b * steps);
    };
    for_each_matrix(matrices.count, double(m) * n * steps + 1000, factor);
  });
}

void householder_kernel(const Tensor& Q, const Tensor& tau) {
  dispatch_types<LapackTypes>(Q.scalar_type(), "householder_product", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> q(Q);
    T* taus = static_cast<T*>(tau.data_ptr());
    const int64_t m = q.rows, n = q.columns, k = tau.sizes().back();
    if (Q.numel() == 0) return;
    const bool small = m <= kSmallMatrix;
    for_each_matrix(q.count, double(m) * n * n + 1000, [&](int64_t b) {
      if (k == n && has_few_columns(m, n)) {
        with_constant<1, kFewReflectors>(n, [&]<int count>(std::integral_constant<int, count>) {
          const LaneSum<T> none[count] = {};
          orgqr_of_few<count - 1, count>(q[b], m, m, taus + b * k, none);
        });
        return;
      }
      if (small) small_orgqr(q[b], m, n, k, m, taus + b * k);
      else blocked_orgqr(q[b], m, n, k, m, taus + b * k);
    });
  });
}

void ormqr_kernel(const Tensor& reflectors, const Tensor& tau, const Tensor& C, bool left,
                  bool transpose) {
  dispatch_types<LapackTypes>(C.scalar_type(), "ormqr", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> v(reflectors), c(C);
    T* taus = static_cast<T*>(tau.data_ptr());
    const int64_t order = v.rows, k = tau.sizes().back();
    if (C.numel() == 0 || k == 0) return;
    if (left) {
      for_each_matrix(c.count, double(order) * k * c.columns + 1000, [&](int64_t b) {
        const ColumnsOf<T> columns(v, b);
        apply_reflectors(columns.data, order, k, columns.ld, taus + b * k, transpose, c[b],
                         c.columns, c.rows);
      });
      return;
    }
    static const Lapack<T> ormqr("ormqr", "unmqr");
    const int rows = lapack_int(c.rows), columns = lapack_int(c.columns), size = lapack_int(order),
              count = lapack_int(k);
    const char side = 'R', trans = !transpose ? 'N' : is_complex_type<T> ? 'C' : 'T';
    T answer;
    int info = 0;
    ormqr(side, trans, rows, columns, count, v[0], size, taus, c[0], rows, &answer, -1, &info);
    const int64_t lwork = workspace_size(answer);
    BlasThreads threads(c.count == 1 && order > 200);
    for_each_matrix(c.count, double(order) * k * c.rows + 1000, [&](int64_t b) {
      Scratch<T> work(lwork), copy(order * v.columns);
      int failed = 0;
      copy_to_columns(v, b, copy.get(), order);
      ormqr(side, trans, rows, columns, count, copy.get(), size, taus + b * k, c[b], rows,
            work.get(), int(lwork), &failed);
    });
  });
}

}  // namespace

REGISTER_DISPATCH(geqrf_stub, &geqrf_kernel)
REGISTER_DISPATCH(householder_stub, &householder_kernel)
REGISTER_DISPATCH(ormqr_stub, &ormqr_kernel)

}  // namespace at::native
