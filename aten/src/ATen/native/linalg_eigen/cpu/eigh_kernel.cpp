// Eigenvalues and eigenvectors of Hermitian matrices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/FiniteValues.h>
#include <ATen/native/common/cpu/FlushSubnormals.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_eigen/cpu/Tridiagonal.h>
#include <ATen/native/linalg_eigen/cpu/TridiagonalQl.h>
#include <ATen/native/linalg_eigen/cpu/TridiagonalValues.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>
#include <ATen/native/linalg_factor/cpu/SmallReflectors.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// By LAPACK alone.
template <typename T>
class LapackEigh {
  using R = Real<T>;

 public:
  LapackEigh(int64_t n, bool upper, bool vectors)
      : size_(lapack_int(n)), triangle_(upper ? 'U' : 'L'), job_(vectors ? 'V' : 'N') {
    T answer, a{};
    R rwork_size = 0, w{};
    call(&a, &w, &answer, -1, &rwork_size, -1, &iwork_size_, -1);
    lwork_ = workspace_size(answer);
    lrwork_ = is_complex_type<T> ? workspace_size(rwork_size) : 0;
  }

  int run(T* a, R* values) const {
    Scratch<T> work(lwork_);
    Scratch<R> rwork(lrwork_);
    Scratch<int> iwork(iwork_size_);
    return call(a, values, work.get(), lwork_, rwork.get(), lrwork_, iwork.get(), iwork_size_);
  }

 private:
  int call(T* a, R* w, T* work, int64_t lwork, R* rwork, int64_t lrwork, int* iwork,
           int64_t liwork) const {
    static const Lapack<T> syevd("syevd", "heevd");
    int failed = 0;
    if constexpr (is_complex_type<T>)
      syevd(job_, triangle_, size_, a, size_, w, work, int(lwork), rwork, int(lrwork), iwork,
            int(liwork), &failed);
    else syevd(job_, triangle_, size_, a, size_, w, work, int(lwork), iwork, int(liwork), &failed);
    return failed;
  }

  int size_, iwork_size_ = 0;
  char triangle_, job_;
  int64_t lwork_ = 0, lrwork_ = 0;
};

// The eigenvectors of a tridiagonal matrix, by LAPACK's method of divide and conquer.
template <typename R>
int tridiagonal_vectors(int64_t n, R* diagonal, R* beside, R* vectors) {
  static const Lapack<R> stedc("stedc");
  const int size = lapack_int(n);
  R answer = 0;
  int iwork_size = 0, failed = 0;
  stedc('I', size, diagonal, beside, vectors, size, &answer, -1, &iwork_size, -1, &failed);
  const int64_t lwork = workspace_size(answer);
  Scratch<R> work(lwork);
  Scratch<int> iwork(iwork_size);
  stedc('I', size, diagonal, beside, vectors, size, work.get(), int(lwork), iwork.get(), iwork_size,
        &failed);
  return failed;
}

// From here on division and conquest takes less time than rotations (from measurements).
constexpr int64_t kRotated = 64;

// Through our own tridiagonal form.
template <typename T>
int small_eigh(T* a, int64_t n, bool upper, bool vectors, Real<T>* values) {
  using R = Real<T>;
  if (upper) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = j + 1; i < n; ++i) a[i + j * n] = conj_value(a[j + i * n]);
    }
  }
  const Scratch<T> tau(n);
  const Scratch<R> beside(n);
  tridiagonalize(a, n, values, beside.get(), tau.get());
  if (!vectors) return tridiagonal_values(n, values, beside.get());
  if (n <= kRotated) {
    // Q in place of the reflectors, one row and column further down.
    for (int64_t j = n - 1; j > 0; --j) {
      std::copy_n(a + (j - 1) * n + 1, n - 1, a + j * n + 1);
      a[j * n] = T(0);
    }
    std::fill_n(a, n, T(0));
    a[0] = T(1);
    if (n > 1) blocked_orgqr(a + n + 1, n - 1, n - 1, n - 1, n, tau.get());
    // A complex number is two rows.
    return tridiagonal_ql(n, values, beside.get(), reinterpret_cast<R*>(a),
                          is_complex_type<T> ? 2 * n : n);
  }
  const Scratch<R> z(n * n);
  const int failed = tridiagonal_vectors(n, values, beside.get(), z.get());
  if (failed != 0) return failed;
  const Scratch<T> result(n * n);
  std::copy_n(z.get(), n * n, result.get());
  if (n > 1) apply_reflectors(a + 1, n - 1, n - 1, n, tau.get(), false, result.get() + 1, n, n);
  std::copy_n(result.get(), n * n, a);
  return 0;
}

// Larger matrices leave the caches: LAPACK's blocks are faster (from measurements).
constexpr int64_t kInCache = 256;

void eigh_kernel(const Tensor& A, const Tensor& values, const Tensor& info, bool upper,
                 bool vectors) {
  dispatch_types<LapackTypes>(A.scalar_type(), "eigh", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> a(A);
    const int64_t n = a.rows;
    auto* all_values = static_cast<Real<T>*>(values.data_ptr());
    int* infos = static_cast<int*>(info.data_ptr());
    if (A.numel() == 0) return void(std::fill(infos, infos + a.count, 0));
    for_each_matrix(a.count, 4.0 * n * n * n + 2000, [&](int64_t b) {
      // Only one triangle counts.
      const auto holds = [&](const auto& check) {
        bool all = true;
        for (int64_t j = 0; j < n; ++j)
          all &= check(a[b] + j * n + (upper ? 0 : j), upper ? j + 1 : n - j);
        return all;
      };
      const bool is_safe = holds(squares_are_safe<T>);
      const FlushSubnormals flush(is_safe);
      if (n <= kInCache && is_safe) {
        infos[b] = small_eigh(a[b], n, upper, vectors, all_values + b * n);
        return;
      }
      TORCH_CHECK_LINALG(
          holds(all_finite<T>), "linalg.eigh: (Batch element ", b,
          "): the algorithm cannot converge: the matrix has values that are not finite");
      BlasThreads threads(a.count == 1 && n > 200);
      infos[b] = LapackEigh<T>(n, upper, vectors).run(a[b], all_values + b * n);
    });
  });
}

}  // namespace

REGISTER_DISPATCH(eigh_stub, &eigh_kernel)

}  // namespace at::native
