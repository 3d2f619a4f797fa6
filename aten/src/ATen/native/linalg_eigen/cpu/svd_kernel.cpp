// Singular values and vectors: of matrices that stay in the caches through our own bidiagonal form,
// of others by LAPACK's method of divide and conquer.

#include <optional>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/FiniteValues.h>
#include <ATen/native/common/cpu/FlushSubnormals.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_eigen/cpu/Bidiagonal.h>
#include <ATen/native/linalg_eigen/cpu/BidiagonalQr.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// By LAPACK alone.
template <typename T>
class LapackSvd {
  using R = Real<T>;

 public:
  LapackSvd(int64_t m, int64_t n, char job, int64_t vh_rows)
      : m_(m),
        n_(n),
        rows_(lapack_int(m)),
        columns_(lapack_int(n)),
        ldv_(lapack_int(std::max<int64_t>(vh_rows, 1))),
        job_(job) {
    T answer{}, a{};
    R real{};
    int iwork = 0;
    call(&a, &real, &a, &a, &answer, -1, &real, &iwork);
    lwork_ = workspace_size(answer);
  }

  int run(T* a, T* u, R* s, T* vh) const {
    const int64_t small = std::min(m_, n_), large = std::max(m_, n_);
    int64_t lrwork = 0;
    if (is_complex_type<T>)
      lrwork = job_ == 'N' ? 7 * small : small * std::max(5 * small + 7, 2 * large + 2 * small + 1);
    Scratch<T> work(lwork_);
    Scratch<R> rwork(lrwork);
    Scratch<int> iwork(8 * small);
    return call(a, s, u, vh, work.get(), static_cast<int>(lwork_), rwork.get(), iwork.get());
  }

 private:
  int call(T* a, R* s, T* u, T* vh, T* work, int lwork, R* rwork, int* iwork) const {
    static const Lapack<T> gesdd("gesdd");
    int info = 0;
    if constexpr (is_complex_type<T>)
      gesdd(job_, rows_, columns_, a, rows_, s, u, rows_, vh, ldv_, work, lwork, rwork, iwork,
            &info);
    else gesdd(job_, rows_, columns_, a, rows_, s, u, rows_, vh, ldv_, work, lwork, iwork, &info);
    return info;
  }

  int64_t m_, n_, lwork_ = 1;
  int rows_, columns_, ldv_;
  char job_;
};

// The singular vectors of a bidiagonal matrix, by LAPACK's method of divide and conquer.
template <typename R>
int bidiagonal_vectors(int64_t n, R* diagonal, R* above, R* u, R* vt) {
  static const Lapack<R> bdsdc("bdsdc");
  const int size = lapack_int(n);
  const Scratch<R> work(3 * n * n + 4 * n);
  const Scratch<int> iwork(8 * n);
  R unused{};
  int unused_integer = 0, failed = 0;
  bdsdc('U', 'I', size, diagonal, above, u, size, vt, size, &unused, &unused_integer, work.get(),
        iwork.get(), &failed);
  return failed;
}

template <typename R>
int bidiagonal_values(int64_t n, R* diagonal, R* above) {
  static const Lapack<R> lasq1("lasq1");
  const Scratch<R> work(4 * n);
  int failed = 0;
  lasq1(lapack_int(n), diagonal, above, work.get(), &failed);
  return failed;
}

// to[j, i] = conj(from[i, j]) for columns of `rows` and `columns` numbers.
template <typename T>
void copy_adjoint(const T* from, int64_t rows, int64_t columns, T* to) {
  copy_to_columns<T>(from, rows, 1, columns, rows, to, columns);
  if constexpr (is_complex_type<T>) {
    for (int64_t i = 0; i < rows * columns; ++i) to[i] = conj_value(to[i]);
  }
}

// Up to so many values, rotations take less time than division and conquest (from measurements).
constexpr int64_t kRotated = 64;

// A of m x n, m >= n: `left` becomes m x left_columns, `right` n x n; both are null without
// vectors.
template <typename T>
int long_svd(T* a, int64_t m, int64_t n, Real<T>* values, T* left, int64_t left_columns, T* right) {
  using R = Real<T>;
  constexpr int64_t kParts = is_complex_type<T> ? 2 : 1;
  const Scratch<R> above(n);
  const Scratch<T> tau_q(n), tau_p(n), reflectors(n * n);
  bidiagonalize(a, m, n, values, above.get(), tau_q.get(), reflectors.get(), tau_p.get());
  if (!left) return bidiagonal_values(n, values, above.get());
  if (n <= kRotated) {
    std::copy_n(a, m * n, left);
    blocked_orgqr(left, m, left_columns, n, m, tau_q.get());
    orgqr_one_down(reflectors.get(), n, tau_p.get(), right, n);
    return BidiagonalQr<R>(n, values, above.get(), {reinterpret_cast<R*>(left), m * kParts},
                           {reinterpret_cast<R*>(right), n * kParts})
        .run();
  }
  const Scratch<R> u(n * n), vt(n * n);
  const int failed = bidiagonal_vectors(n, values, above.get(), u.get(), vt.get());
  if (failed != 0) return failed;
  std::fill_n(left, m * left_columns, T(0));
  for (int64_t j = 0; j < left_columns; ++j) {
    if (j < n) std::copy_n(u.get() + j * n, n, left + j * m);
    else left[j * (m + 1)] = T(1);
  }
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) right[j * n + i] = T(vt[i * n + j]);
  }
  apply_reflectors(a, m, n, m, tau_q.get(), false, left, left_columns, m);
  apply_reflectors(reflectors.get() + 1, n - 1, n - 1, n, tau_p.get(), false, right + 1, n, n);
  return 0;
}

// U is m x u_columns and Vh vh_rows x n.
template <typename T>
int small_svd(T* a, int64_t m, int64_t n, T* u, int64_t u_columns, Real<T>* values, T* vh,
              int64_t vh_rows) {
  const int64_t k = std::min(m, n);
  if (m >= n) {
    const Scratch<T> v(u ? n * n : 0);
    const int failed = long_svd(a, m, n, values, u, u_columns, u ? v.get() : nullptr);
    if (u) copy_adjoint(v.get(), n, k, vh);
    return failed;
  }
  const Scratch<T> adjoint(m * n), left(u ? n * vh_rows : 0);
  copy_adjoint(a, m, n, adjoint.get());
  const int failed = long_svd(adjoint.get(), n, m, values, u ? left.get() : nullptr, vh_rows, u);
  if (u) copy_adjoint(left.get(), n, vh_rows, vh);
  return failed;
}

// Larger matrices leave the caches, and long ones have fewer reflectors after a QR factorization.
inline bool is_small_svd(int64_t m, int64_t n) {
  return std::max(m, n) <= 256 && std::max(m, n) <= 2 * std::min(m, n);
}

template <typename T>
void set_identities(const Tensor& t) {
  const MatrixBatch<T> matrices(t);
  for (int64_t b = 0; b < matrices.count; ++b) {
    std::fill_n(matrices[b], matrices.rows * matrices.columns, T(0));
    for (int64_t i = 0; i < std::min(matrices.rows, matrices.columns); ++i)
      matrices[b][i * (matrices.rows + 1)] = T(1);
  }
}

void svd_kernel(const Tensor& A, const Tensor& U, const Tensor& S, const Tensor& Vh,
                const Tensor& info, std::optional<std::string_view> driver) {
  TORCH_CHECK(!driver,
              "linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
              "cuSOLVER backend.");
  dispatch_types<LapackTypes>(A.scalar_type(), "svd", [&]<typename T>(TypeTag<T>) {
    using R = Real<T>;
    const MatrixBatch<T> a(A);
    const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
    const bool vectors = U.defined();
    int* infos = static_cast<int*>(info.data_ptr());
    if (A.numel() == 0) {
      std::fill(infos, infos + a.count, 0);
      if (vectors) {
        set_identities<T>(U);
        set_identities<T>(Vh);
      }
      return;
    }
    T* all_u = vectors ? static_cast<T*>(U.data_ptr()) : nullptr;
    T* all_vh = vectors ? static_cast<T*>(Vh.data_ptr()) : nullptr;
    R* all_s = static_cast<R*>(S.data_ptr());
    const int64_t u_size = vectors ? m * U.sizes().back() : 0;
    const int64_t vh_rows = vectors ? Vh.sizes()[Vh.dim() - 2] : 1, vh_size = vh_rows * n;
    const bool full = vectors && (U.sizes().back() > k || vh_rows > k);
    const bool is_small = is_small_svd(m, n);
    std::optional<LapackSvd<T>> lapack;
    const char job = !vectors ? 'N' : full ? 'A' : 'S';
    if (!is_small) lapack.emplace(m, n, job, vh_rows);
    for_each_matrix(a.count, 10.0 * m * n * k + 3000, [&](int64_t b) {
      T *u = vectors ? all_u + b * u_size : nullptr, *vh = vectors ? all_vh + b * vh_size : nullptr;
      const bool is_safe = squares_are_safe(a[b], m * n);
      const FlushSubnormals flush(is_safe);
      if (is_small && is_safe) {
        infos[b] =
            small_svd(a[b], m, n, u, vectors ? U.sizes().back() : 0, all_s + b * k, vh, vh_rows);
        return;
      }
      TORCH_CHECK_LINALG(
          all_finite(a[b], m * n), "linalg.svd: (Batch element ", b,
          "): the algorithm cannot converge: the matrix has values that are not finite");
      BlasThreads threads(a.count == 1 && k > 200);
      infos[b] = lapack ? lapack->run(a[b], u, all_s + b * k, vh)
                        : LapackSvd<T>(m, n, job, vh_rows).run(a[b], u, all_s + b * k, vh);
    });
  });
}

}  // namespace

REGISTER_DISPATCH(svd_stub, &svd_kernel)

}  // namespace at::native
