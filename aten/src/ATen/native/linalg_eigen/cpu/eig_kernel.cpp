// Eigenvalues and eigenvectors of matrices without symmetry.

#include <algorithm>
#include <limits>
#include <optional>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/FiniteValues.h>
#include <ATen/native/common/cpu/FlushSubnormals.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_eigen/cpu/SchurVectors.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// LAPACK gives the vectors of a real matrix's conjugate pair as real and imaginary parts.
template <typename R>
void unpack_pairs(const R* packed, const R* imaginary, int64_t n, c10::complex<R>* vectors) {
  for (int64_t j = 0; j < n; ++j) {
    const R* re = packed + j * n;
    if (imaginary[j] == 0 || j + 1 == n) {
      for (int64_t i = 0; i < n; ++i) vectors[j * n + i] = {re[i], 0};
      continue;
    }
    const R* im = re + n;
    for (int64_t i = 0; i < n; ++i) {
      vectors[j * n + i] = {re[i], im[i]};
      vectors[(j + 1) * n + i] = {re[i], -im[i]};
    }
    ++j;
  }
}

// By LAPACK alone.
template <typename T>
class LapackEig {
  using R = Real<T>;
  using C = c10::complex<R>;

 public:
  LapackEig(int64_t n, bool vectors) : n_(n), size_(lapack_int(n)), job_(vectors ? 'V' : 'N') {
    T answer, a{};
    R real{};
    C value;
    call(&a, &real, &real, &value, &a, &answer, -1, &real);
    lwork_ = workspace_size(answer);
  }

  int run(T* a, C* values, C* vectors) const {
    Scratch<T> work(lwork_);
    Scratch<R> first(2 * n_), second(n_);
    if constexpr (is_complex_type<T>) {
      return call(a, nullptr, nullptr, values, vectors, work.get(), static_cast<int>(lwork_),
                  first.get());
    } else {
      Scratch<R> packed(vectors ? n_ * n_ : 0);
      const int info = call(a, first.get(), second.get(), nullptr, packed.get(), work.get(),
                            static_cast<int>(lwork_), nullptr);
      for (int64_t i = 0; i < n_; ++i) values[i] = {first.get()[i], second.get()[i]};
      if (vectors) unpack_pairs(packed.get(), second.get(), n_, vectors);
      return info;
    }
  }

 private:
  int call(T* a, R* re, R* im, C* values, T* vectors, T* work, int lwork, R* rwork) const {
    static const Lapack<T> geev("geev");
    int info = 0;
    T unused{};
    if constexpr (is_complex_type<T>)
      geev('N', job_, size_, a, size_, values, &unused, 1, vectors, size_, work, lwork, rwork,
           &info);
    else geev('N', job_, size_, a, size_, re, im, &unused, 1, vectors, size_, work, lwork, &info);
    return info;
  }

  int64_t n_, lwork_ = 1;
  int size_;
  char job_;
};

// Permutations and scalings that make rows and columns of similar size, by LAPACK.
template <typename T>
class Balance {
  using R = Real<T>;
  using C = c10::complex<R>;

 public:
  Balance(T* a, int64_t n) : n_(n), span_{0, n} {
    if (is_balanced(a)) return;
    static const Lapack<T> gebal("gebal");
    scale_.emplace(n);
    int info = 0;
    gebal('B', lapack_int(n), a, lapack_int(n), &low_, &high_, scale_->get(), &info);
    span_ = {low_ - 1, high_};
  }
  // The rows that are not triangular yet.
  Span span() const { return span_; }
  void undo(C* vectors) const {
    if (!scale_) return;
    static const Lapack<C> gebak("gebak");
    const int n = lapack_int(n_);
    int info = 0;
    gebak('B', 'R', n, low_, high_, scale_->get(), n, vectors, n, &info);
  }

 private:
  // Whether no row is twice as large as its column, or the other way round.
  bool is_balanced(const T* a) const {
    const Scratch<R> rows(n_);
    const Scratch<R> columns(n_);
    std::fill_n(rows.get(), n_, R(0));
    for (int64_t j = 0; j < n_; ++j) {
      const T* column = a + j * n_;
      R sum = 0;
      for (int64_t i = 0; i < n_; ++i) {
        const R size = i == j ? R(0) : pivot_size(column[i]);
        rows[i] += size;
        sum += size;
      }
      columns[j] = sum;
    }
    bool balanced = true;
    for (int64_t i = 0; i < n_; ++i)
      balanced &= columns[i] < 2 * rows[i] && rows[i] < 2 * columns[i];
    return balanced;
  }

  int64_t n_;
  Span span_;
  std::optional<Scratch<R>> scale_;
  int low_ = 1, high_ = 1;
};

template <typename T>
int small_eig(T* a, int64_t n, c10::complex<Real<T>>* values, c10::complex<Real<T>>* vectors) {
  const Balance<T> balance(a, n);
  const Scratch<T> tau(n);
  const ChasedMatrix<T> h(n, vectors != nullptr);
  reduce_to_hessenberg(a, n, balance.span(), tau.get());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = std::max<int64_t>(i - 1, 0); j < n; ++j) h(i, j) = a[i + j * n];
  }
  if (vectors) orgqr_one_down(a, n, tau.get(), h.z(), h.ldz());
  const int failed = make_triangular(h, balance.span());
  eigenvalues_of(h, values);
  if (failed != 0 || !vectors) return failed;
  schur_vectors(h, values, vectors);
  balance.undo(vectors);
  for (int64_t j = 0; j < n; ++j) {
    normalize(vectors + j * n, n, !is_complex_type<T>);
    if (is_complex_type<T> || values[j].imag() == 0) continue;
    for (int64_t i = 0; i < n; ++i) vectors[(j + 1) * n + i] = conj_value(vectors[j * n + i]);
    ++j;
  }
  return 0;
}

// Larger matrices: LAPACK's sweeps with many shifts are faster (from measurements).
constexpr int64_t kSingleSweeps = 256;
// Two threads take as long as one up to here.
constexpr int64_t kSeveralThreads = 700;

void eig_kernel(const Tensor& A, const Tensor& values, const Tensor& vectors, const Tensor& info) {
  dispatch_types<LapackTypes>(A.scalar_type(), "eig", [&]<typename T>(TypeTag<T>) {
    using C = c10::complex<Real<T>>;
    const MatrixBatch<T> a(A);
    const int64_t n = a.rows;
    C* all_values = static_cast<C*>(values.data_ptr());
    C* all_vectors = vectors.defined() ? static_cast<C*>(vectors.data_ptr()) : nullptr;
    int* infos = static_cast<int*>(info.data_ptr());
    if (A.numel() == 0) return void(std::fill(infos, infos + a.count, 0));
    for_each_matrix(a.count, 10.0 * n * n * n + 2000, [&](int64_t b) {
      const bool finite = all_finite(a[b], n * n);
      TORCH_CHECK(finite || !all_vectors,
                  "torch.linalg.eig: input tensor should not contain infs or NaNs.");
      infos[b] = 0;
      if (finite) {
        C* own_vectors = all_vectors ? all_vectors + b * n * n : nullptr;
        const bool is_safe = squares_are_safe(a[b], n * n);
        const FlushSubnormals flush(is_safe);
        if (n <= kSingleSweeps && is_safe) {
          infos[b] = small_eig(a[b], n, all_values + b * n, own_vectors);
        } else {
          BlasThreads threads(a.count == 1 && n > kSeveralThreads);
          infos[b] = LapackEig<T>(n, own_vectors).run(a[b], all_values + b * n, own_vectors);
        }
      } else {
        constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
        std::fill_n(all_values + b * n, n, C(nan, nan));
      }
    });
  });
}

}  // namespace

REGISTER_DISPATCH(eig_stub, &eig_kernel)

}  // namespace at::native
