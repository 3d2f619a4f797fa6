// Singular values and vectors, by LAPACK's method of divide and conquer.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/FiniteValues.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

template <typename T>
class Svd {
  using R = Real<T>;

 public:
  Svd(int64_t m, int64_t n, char job, int64_t vh_rows)
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
    const Svd<T> svd(m, n, !vectors ? 'N' : full ? 'A' : 'S', vh_rows);
    BlasThreads threads(a.count == 1 && k > 200);
    for_each_matrix(a.count, 10.0 * m * n * k + 3000, [&](int64_t b) {
      TORCH_CHECK_LINALG(
          all_finite(a[b], m * n), "linalg.svd: (Batch element ", b,
          "): the algorithm cannot converge: the matrix has values that are not finite");
      infos[b] = svd.run(a[b], vectors ? all_u + b * u_size : nullptr, all_s + b * k,
                         vectors ? all_vh + b * vh_size : nullptr);
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(svd_stub, &svd_kernel)

}  // namespace at::native
