// Least squares, by LAPACK. Tall matrices are reduced to triangles first.

#include <memory>
#include <optional>
#include <vector>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/FiniteValues.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_solve/cpu/TallRows.h>
#include <ATen/native/linalg_solve/linalg_solve.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// One call of a driver. With lwork -1, sets the sizes of the workspaces in `work`, `iwork` and
// `rwork`.
template <typename T>
struct Call {
  LstsqDriver driver;
  int m, n, columns, ld;
  Real<T> rcond;

  int operator()(T* a, T* b, int* rank, Real<T>* s, int* pivots, T* work, int lwork, int* iwork,
                 Real<T>* rwork) const {
    int info = 0;
    switch (driver) {
      case LstsqDriver::gels: {
        static const Lapack<T> gels("gels");
        gels('N', m, n, columns, a, m > 0 ? m : 1, b, ld, work, lwork, &info);
        break;
      }
      case LstsqDriver::gelsy: {
        static const Lapack<T> gelsy("gelsy");
        if constexpr (is_complex_type<T>)
          gelsy(m, n, columns, a, m, b, ld, pivots, rcond, rank, work, lwork, rwork, &info);
        else gelsy(m, n, columns, a, m, b, ld, pivots, rcond, rank, work, lwork, &info);
        break;
      }
      case LstsqDriver::gelsd: {
        static const Lapack<T> gelsd("gelsd");
        if constexpr (is_complex_type<T>)
          gelsd(m, n, columns, a, m, b, ld, s, rcond, rank, work, lwork, rwork, iwork, &info);
        else gelsd(m, n, columns, a, m, b, ld, s, rcond, rank, work, lwork, iwork, &info);
        break;
      }
      case LstsqDriver::gelss: {
        static const Lapack<T> gelss("gelss");
        if constexpr (is_complex_type<T>)
          gelss(m, n, columns, a, m, b, ld, s, rcond, rank, work, lwork, rwork, &info);
        else gelss(m, n, columns, a, m, b, ld, s, rcond, rank, work, lwork, &info);
        break;
      }
    }
    return info;
  }
};

// Whether the triangle of a matrix is found block by block of its rows. Wide ones gain from
// products.
bool is_tall(int64_t m, int64_t n) { return m >= 256 && m >= 8 * n && n <= 128; }

// Replaces A X = B by equations with as many unknowns: the triangle of A, and Q^H B in front of it.
// What is left of B becomes that of the residuals: rows n and later of B.
template <typename T>
class TallEquations {
 public:
  TallEquations(const T* a, T* b, int64_t m, int64_t n, int64_t columns, int64_t ldb) {
    constexpr int64_t kRowsOfThread = 4096;
    const int64_t parts = std::min<int64_t>(get_num_threads(), divup(m, kRowsOfThread));
    const int64_t each = divup(m, parts);
    for (int64_t t = 0; t < parts; ++t) rows_.push_back(std::make_unique<TallRows<T>>(n, columns));
    parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t)
        rows_[t]->add(a + t * each, m, b + t * each, ldb, std::min(each, m - t * each));
    });
    for (int64_t t = 1; t < parts; ++t)
      rows_[0]->add(rows_[t]->triangle(), n, rows_[t]->right(), n, n);
    // The solution takes the first rows of B.
    for (int64_t j = 0; j < columns; ++j) {
      auto residual = modulus(b[j * ldb + n]);
      for (int64_t i = 0; i < n; ++i) residual = std::hypot(residual, modulus(b[j * ldb + i]));
      for (int64_t t = 1; t < parts; ++t) {
        for (int64_t i = 0; i < n; ++i)
          residual = std::hypot(residual, modulus(rows_[t]->right()[j * n + i]));
      }
      b[j * ldb + n] = T(residual);
    }
  }
  T* matrix() { return rows_[0]->triangle(); }
  T* right() { return rows_[0]->right(); }

 private:
  std::vector<std::unique_ptr<TallRows<T>>> rows_;
};

void lstsq_driver_kernel(LstsqDriver& driver, bool is_named) {
  if (!is_named) driver = LstsqDriver::gelsy;
}

void lstsq_kernel(const Tensor& A, const Tensor& X, const Tensor& rank,
                  const Tensor& singular_values, LstsqDriver driver, double rcond) {
  dispatch_types<LapackTypes>(A.scalar_type(), "lstsq", [&]<typename T>(TypeTag<T>) {
    using R = Real<T>;
    const MatrixBatch<T> a(A), x(X);
    const int64_t k = std::min(a.rows, a.columns);
    auto* ranks = static_cast<int64_t*>(rank.data_ptr());
    auto* values = static_cast<R*>(singular_values.data_ptr());
    if (rank.numel() == 0) ranks = nullptr;
    if (singular_values.numel() == 0) values = nullptr;
    if (A.numel() == 0 || X.numel() == 0) {
      if (A.numel() == 0) std::fill_n(static_cast<T*>(X.data_ptr()), X.numel(), T(0));
      if (ranks) std::fill_n(ranks, rank.numel(), int64_t{0});
      if (values) std::fill_n(values, singular_values.numel(), R(0));
      return;
    }
    const bool tall = is_tall(a.rows, a.columns);
    const Call<T> call{driver,
                       lapack_int(tall ? a.columns : a.rows),
                       lapack_int(a.columns),
                       lapack_int(x.columns),
                       lapack_int(tall ? a.columns : x.rows),
                       static_cast<R>(rcond)};
    T answer{};
    int iwork_size = 0, unused = 0;
    R rwork_size = 0;
    int pivot = 0;
    call(a[0], x[0], &unused, &rwork_size, &pivot, &answer, -1, &iwork_size, &rwork_size);
    const int64_t lwork = workspace_size(answer);
    int64_t lrwork = driver == LstsqDriver::gelsy ? 2 * a.columns : 5 * k;
    if (driver == LstsqDriver::gelsd) lrwork = static_cast<int64_t>(rwork_size);
    BlasThreads threads(a.count == 1 && k > 200);
    for_each_matrix(a.count, double(a.rows) * a.columns * k * 2 + 5000, [&](int64_t b) {
      bool finite = all_finite(a[b], a.rows * a.columns);
      for (int64_t j = 0; j < x.columns; ++j) finite &= all_finite(x[b] + j * x.rows, a.rows);
      TORCH_CHECK_LINALG(finite, "torch.linalg.lstsq: (Batch element ", b,
                         "): the matrices must contain neither infinities nor NaNs");
      Scratch<T> work(lwork);
      Scratch<R> rwork(lrwork), s(k);
      Scratch<int> iwork(iwork_size), pivots(a.columns);
      std::fill_n(pivots.get(), a.columns, 0);
      int found = 0;
      T *matrix = a[b], *right = x[b];
      std::optional<TallEquations<T>> triangle;
      if (tall) {
        triangle.emplace(a[b], x[b], a.rows, k, x.columns, x.rows);
        matrix = triangle->matrix();
        right = triangle->right();
      }
      const int info = call(matrix, right, &found, values ? values + b * k : s.get(), pivots.get(),
                            work.get(), static_cast<int>(lwork), iwork.get(), rwork.get());
      TORCH_CHECK_LINALG(info <= 0 || driver != LstsqDriver::gels,
                         "torch.linalg.lstsq: (Batch element ", b,
                         "): the matrix does not have full rank (diagonal element ", info,
                         " is zero), which the driver 'gels' needs");
      TORCH_CHECK_LINALG(info <= 0, "torch.linalg.lstsq: (Batch element ", b,
                         "): the singular values did not converge (error code ", info, ")");
      for (int64_t j = 0; j < x.columns && tall; ++j)
        std::copy_n(right + j * k, k, x[b] + j * x.rows);
      if (ranks) ranks[b] = found;
    });
  });
}

}  // namespace

REGISTER_DISPATCH(lstsq_driver_stub, &lstsq_driver_kernel)
REGISTER_DISPATCH(lstsq_stub, &lstsq_kernel)

}  // namespace at::native
