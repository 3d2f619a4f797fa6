// Inverses and determinants.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/BlockedMatrices.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_solve/linalg_solve.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

void first_error_kernel(const Tensor& info, int64_t& index, int64_t& value) {
  TORCH_CHECK(info.scalar_type() == kInt && info.is_contiguous(),
              "_linalg_check_errors: expected info as a contiguous tensor of torch.int32");
  const int* infos = static_cast<const int*>(info.data_ptr());
  index = -1;
  for (int64_t i = 0; i < info.numel(); ++i) {
    if (infos[i] == 0) continue;
    index = i;
    value = infos[i];
    return;
  }
}

void inverse_kernel(const Tensor& A, const Tensor& inverse, const Tensor& info) {
  dispatch_types<LapackTypes>(A.scalar_type(), "inverse", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> from(A), to(inverse);
    int* infos = static_cast<int*>(info.data_ptr());
    const int64_t n = from.rows;
    if (A.numel() == 0) return void(std::fill(infos, infos + from.count, 0));
    if (n <= kSmallMatrix) {
      for_each_matrix(from.count, 2.0 * n * n * n + 30, [&](int64_t b) {
        copy_to_columns(from, b, to[b], n);
        infos[b] = small_inverse(to[b], n, n);
        if (infos[b]) std::fill(to[b], to[b] + n * n, T(std::numeric_limits<Real<T>>::quiet_NaN()));
      });
      return;
    }
    for_each_matrix(from.count, 2.0 * n * n * n, [&](int64_t b) {
      Scratch<T> lu(n * n);
      Scratch<int> pivots(n);
      copy_to_columns(from, b, lu.get(), n);
      infos[b] = blocked_lu(lu.get(), n, n, n, pivots.get());
      T* x = to[b];
      if (infos[b])
        return void(std::fill(x, x + n * n, T(std::numeric_limits<Real<T>>::quiet_NaN())));
      std::fill(x, x + n * n, T(0));
      for (int64_t i = 0; i < n; ++i) x[i * n + i] = T(1);
      // U^-1 L^-1, with columns where P^T has them.
      solve_lower_part(lu.get(), n, n, {false, true}, x, n);
      solve_triangle(lu.get(), n, n, {true, false}, x, n, n);
      for (int64_t k = n - 1; k >= 0; --k) {
        const int64_t p = pivots.get()[k] - 1;
        if (p != k) std::swap_ranges(x + k * n, x + (k + 1) * n, x + p * n);
      }
    });
  });
}

bool is_odd(const int* pivots, int64_t n) {
  bool odd = false;
  for (int64_t i = 0; i < n; ++i) odd ^= pivots[i] != i + 1;
  return odd;
}

void det_kernel(const Tensor& LU, const Tensor& pivots, const Tensor& result) {
  dispatch_types<LapackTypes>(LU.scalar_type(), "det", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> lu(LU);
    const int* p = static_cast<const int*>(pivots.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t n = lu.rows;
    for_each_matrix(lu.count, double(n), [&](int64_t b) {
      const T* a = lu[b];
      T product = T(is_odd(p + b * n, n) ? -1 : 1);
      for (int64_t i = 0; i < n; ++i) product = product * a[i * (n + 1)];
      to[b] = product;
    });
  });
}

void slogdet_kernel(const Tensor& LU, const Tensor& pivots, const Tensor& sign,
                    const Tensor& logabsdet) {
  dispatch_types<LapackTypes>(LU.scalar_type(), "slogdet", [&]<typename T>(TypeTag<T>) {
    using R = Real<T>;
    const MatrixBatch<T> lu(LU);
    const int* p = static_cast<const int*>(pivots.data_ptr());
    T* signs = static_cast<T*>(sign.data_ptr());
    R* logs = static_cast<R*>(logabsdet.data_ptr());
    const int64_t n = lu.rows;
    for_each_matrix(lu.count, 20.0 * n, [&](int64_t b) {
      const T* a = lu[b];
      T s = T(is_odd(p + b * n, n) ? -1 : 1);
      R sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        const T d = a[i * (n + 1)];
        const R size = modulus(d);
        if constexpr (is_complex_type<T>)
          s = size == 0 ? T(0) : s * T(d.real() / size, d.imag() / size);
        else s = d == 0 || std::isnan(d) ? T(0) : d < 0 ? -s : s;
        sum += std::log(size);
      }
      signs[b] = s;
      logs[b] = sum;
    });
  });
}

}  // namespace

REGISTER_DISPATCH(first_error_stub, &first_error_kernel)
REGISTER_DISPATCH(inverse_stub, &inverse_kernel)
REGISTER_DISPATCH(det_stub, &det_kernel)
REGISTER_DISPATCH(slogdet_stub, &slogdet_kernel)

}  // namespace at::native
