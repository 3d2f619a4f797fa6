// Eigenvalues and singular values: shapes and checks.

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>
#include <ATen/native/linalg_eigen/tall_svd.h>

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/ops/_linalg_eigh.h>
#include <ATen/ops/_linalg_eigh_native.h>
#include <ATen/ops/_linalg_eigvals.h>
#include <ATen/ops/_linalg_eigvals_native.h>
#include <ATen/ops/_linalg_svd.h>
#include <ATen/ops/_linalg_svd_native.h>
#include <ATen/ops/linalg_eig.h>
#include <ATen/ops/linalg_eig_native.h>
#include <ATen/ops/linalg_eigh_native.h>
#include <ATen/ops/linalg_eigvals_native.h>
#include <ATen/ops/linalg_eigvalsh_native.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/linalg_svd_native.h>
#include <ATen/ops/linalg_svdvals_native.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/svd_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {

static Tensor empty_info(const Tensor& A) { return empty_tensor(batch_sizes(A), kInt, A.device()); }

// --- eigenvalues ---

std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self) {
  check_square(self, "linalg.eig");
  check_lapack_type(self, "linalg.eig");
  const ScalarType type = toComplexType(self.scalar_type());
  Tensor info = empty_info(self);
  Tensor values = empty_tensor(self.sizes().slice(0, self.dim() - 1), type, self.device());
  Tensor vectors = empty_by_columns(self.sizes(), type, self.device());
  eig_stub(self.device().type(), copy_by_columns(self), values, vectors, info);
  check_info(info, "torch.linalg.eig", self.dim() == 2);
  return {values, vectors};
}

Tensor _linalg_eigvals(const Tensor& self) {
  check_square(self, "linalg.eigvals");
  check_lapack_type(self, "linalg.eigvals");
  Tensor info = empty_info(self);
  Tensor values = empty_tensor(self.sizes().slice(0, self.dim() - 1),
                               toComplexType(self.scalar_type()), self.device());
  eig_stub(self.device().type(), copy_by_columns(self), values, Tensor(), info);
  check_info(info, "torch.linalg.eigvals", self.dim() == 2);
  return values;
}

Tensor linalg_eigvals(const Tensor& self) {
  return may_need_derivative(self) ? std::get<0>(at::linalg_eig(self)) : at::_linalg_eigvals(self);
}

std::tuple<Tensor, Tensor> _linalg_eigh(const Tensor& A, std::string_view UPLO, bool compute_v) {
  check_square(A, "linalg.eigh");
  check_lapack_type(A, "linalg.eigh");
  const bool upper = UPLO == "U" || UPLO == "u";
  TORCH_CHECK(upper || UPLO == "L" || UPLO == "l",
              "linalg.eigh: Expected UPLO argument to be 'L' or 'U', but got ", UPLO);
  Tensor info = empty_info(A), vectors = copy_by_columns(A);
  Tensor values =
      empty_tensor(A.sizes().slice(0, A.dim() - 1), toRealValueType(A.scalar_type()), A.device());
  eigh_stub(A.device().type(), vectors, values, info, upper, compute_v);
  check_info(info, "linalg.eigh", A.dim() == 2);
  return {values, compute_v ? vectors : empty_tensor({0}, A.scalar_type(), A.device())};
}

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO) {
  return at::_linalg_eigh(self, UPLO, true);
}

Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO) {
  return std::get<0>(at::_linalg_eigh(self, UPLO, may_need_derivative(self)));
}

// --- singular values ---

std::tuple<Tensor, Tensor, Tensor> _linalg_svd(const Tensor& A, bool full_matrices, bool compute_uv,
                                               std::optional<std::string_view> driver) {
  check_is_matrix(A, "linalg.svd");
  check_lapack_type(A, "linalg.svd");
  const int64_t m = rows_of(A), n = columns_of(A), k = std::min(m, n);
  const ScalarType type = A.scalar_type();
  const Device device = A.device();
  if (A.is_cpu() && n > m && is_tall(n, m)) {
    // The other way round.
    auto [V, S, Uh] = native::_linalg_svd(at::mH(A), full_matrices, compute_uv, driver);
    if (!compute_uv) return {V, S, Uh};
    return {copy_by_columns(at::mH(Uh)), S, copy_by_columns(at::mH(V))};
  }
  Tensor info = empty_info(A), U, Vh;
  Tensor S = empty_tensor(with_sizes(batch_sizes(A), {k}), toRealValueType(type), device);
  if (compute_uv) {
    U = empty_by_columns(with_sizes(batch_sizes(A), {m, full_matrices ? m : k}), type, device);
    Vh = empty_by_columns(with_sizes(batch_sizes(A), {full_matrices ? n : k, n}), type, device);
  }
  if (A.is_cpu() && !driver && A.numel() > 0 && is_tall(m, n)) {
    svd_of_tall(A, U, S, Vh, info);
  } else {
    svd_stub(device.type(), copy_by_columns(A), U, S, Vh, info, driver);
  }
  check_info(info, "linalg.svd", A.dim() == 2);
  if (compute_uv) return {U, S, Vh};
  return {empty_tensor({0}, type, device), S, empty_tensor({0}, type, device)};
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices,
                                              std::optional<std::string_view> driver) {
  return at::_linalg_svd(A, full_matrices, true, driver);
}

Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view> driver) {
  return std::get<1>(at::_linalg_svd(A, false, may_need_derivative(A), driver));
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some, bool compute_uv) {
  check_is_matrix(self, "torch.svd", "input");
  if (compute_uv) {
    auto [U, S, Vh] = at::linalg_svd(self, !some);
    return {U, S, at::mH(Vh)};
  }
  // Without vectors, zeros of the shapes of complete ones.
  Tensor S = std::get<1>(at::_linalg_svd(self, false, may_need_derivative(self)));
  const int64_t m = rows_of(self), n = columns_of(self);
  return {at::zeros(with_sizes(batch_sizes(self), {m, m}), self.options()), S,
          at::mH(at::zeros(with_sizes(batch_sizes(self), {n, n}), self.options()))};
}

}  // namespace at::native
