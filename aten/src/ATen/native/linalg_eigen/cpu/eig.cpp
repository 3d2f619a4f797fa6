// Eigenvalues and eigenvectors, by LAPACK.

#include <limits>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/FiniteValues.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
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

template <typename T>
class Eig {
  using R = Real<T>;
  using C = c10::complex<R>;

 public:
  Eig(int64_t n, bool vectors) : n_(n), size_(lapack_int(n)), job_(vectors ? 'V' : 'N') {
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

void eig_kernel(const Tensor& A, const Tensor& values, const Tensor& vectors, const Tensor& info) {
  dispatch_types<LapackTypes>(A.scalar_type(), "eig", [&]<typename T>(TypeTag<T>) {
    using C = c10::complex<Real<T>>;
    const MatrixBatch<T> a(A);
    const int64_t n = a.rows;
    C* all_values = static_cast<C*>(values.data_ptr());
    C* all_vectors = vectors.defined() ? static_cast<C*>(vectors.data_ptr()) : nullptr;
    int* infos = static_cast<int*>(info.data_ptr());
    if (A.numel() == 0) return void(std::fill(infos, infos + a.count, 0));
    const Eig<T> eig(n, all_vectors != nullptr);
    BlasThreads threads(a.count == 1 && n > 200);
    for_each_matrix(a.count, 10.0 * n * n * n + 2000, [&](int64_t b) {
      const bool finite = all_finite(a[b], n * n);
      TORCH_CHECK(finite || !all_vectors,
                  "torch.linalg.eig: input tensor should not contain infs or NaNs.");
      infos[b] = 0;
      if (finite) {
        infos[b] =
            eig.run(a[b], all_values + b * n, all_vectors ? all_vectors + b * n * n : nullptr);
      } else {
        constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
        std::fill_n(all_values + b * n, n, C(nan, nan));
      }
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(eig_stub, &eig_kernel)

}  // namespace at::native
