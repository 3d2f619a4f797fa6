// QR factors and products of Householder reflectors: shapes and checks.

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/geqrf_native.h>
#include <ATen/ops/linalg_householder_product.h>
#include <ATen/ops/linalg_householder_product_native.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linalg_qr_native.h>
#include <ATen/ops/orgqr_native.h>
#include <ATen/ops/ormqr_native.h>
#include <ATen/ops/qr_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/triu.h>

namespace at::native {

static DimVector tau_sizes(const Tensor& A) {
  return with_sizes(batch_sizes(A), {std::min(rows_of(A), columns_of(A))});
}

std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  check_is_matrix(self, "torch.geqrf", "input");
  check_lapack_type(self, "torch.geqrf");
  Tensor a = copy_by_columns(self);
  Tensor tau = empty_tensor(tau_sizes(self), self.scalar_type(), self.device());
  geqrf_stub(a.device().type(), a, tau);
  return {a, tau};
}

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode) {
  check_is_matrix(A, "linalg.qr");
  check_lapack_type(A, "linalg.qr");
  const bool reduced = mode == "reduced", complete = mode == "complete";
  TORCH_CHECK(reduced || complete || mode == "r", "qr received unrecognized mode '", mode,
              "' but expected one of 'reduced' (default), 'r', or 'complete'");
  const int64_t m = rows_of(A), n = columns_of(A), k = std::min(m, n);
  auto [a, tau] = native::geqrf(A);
  // R has the first rows of what geqrf gives.
  const int64_t r_rows = complete ? m : k;
  Tensor R = empty_by_columns(with_sizes(batch_sizes(A), {r_rows, n}), A.scalar_type(), A.device());
  _ops::copy_::call(R, at::triu(r_rows < m ? at::slice(a, -2, 0, r_rows) : a), false);
  if (mode == "r") return {empty_tensor({0}, A.scalar_type(), A.device()), R};
  const int64_t q_columns = complete ? m : k;
  Tensor Q = a;
  if (q_columns != n) {
    Q = empty_by_columns(with_sizes(batch_sizes(A), {m, q_columns}), A.scalar_type(), A.device());
    Tensor first = at::slice(Q, -1, 0, k);
    _ops::copy_::call(first, at::slice(a, -1, 0, k), false);
  }
  householder_stub(Q.device().type(), Q, tau);
  return {Q, R};
}

std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some) {
  return at::linalg_qr(self, some ? "reduced" : "complete");
}

static void check_reflectors(const Tensor& input, const Tensor& tau, const char* op) {
  check_is_matrix(input, op, "input");
  check_lapack_type(input, op);
  check_same_type(input, tau, op);
  TORCH_CHECK(rows_of(input) >= columns_of(input), op,
              ": input.shape[-2] must be greater than or equal to input.shape[-1], got ",
              rows_of(input), " and ", columns_of(input));
  TORCH_CHECK(tau.dim() == input.dim() - 1, op,
              ": Expected tau to have one dimension less than input, got ", tau.dim(), " and ",
              input.dim());
  TORCH_CHECK(tau.sizes().slice(0, tau.dim() - 1) == batch_sizes(input), op,
              ": Expected batch dimensions of tau to be equal to input.shape[:-2], got ",
              tau.sizes());
  TORCH_CHECK(tau.sizes().back() <= columns_of(input), op,
              ": input.shape[-1] must be greater than or equal to tau.shape[-1], got ",
              columns_of(input), " and ", tau.sizes().back());
}

Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  check_reflectors(input, tau, "torch.linalg.householder_product");
  Tensor Q = copy_by_columns(input);
  householder_stub(Q.device().type(), Q, at::contiguous(tau));
  return Q;
}

Tensor orgqr(const Tensor& self, const Tensor& tau) {
  return at::linalg_householder_product(self, tau);
}

Tensor ormqr(const Tensor& self, const Tensor& tau, const Tensor& other, bool left,
             bool transpose) {
  check_is_matrix(self, "torch.ormqr", "input");
  check_is_matrix(other, "torch.ormqr", "other");
  check_lapack_type(self, "torch.ormqr");
  check_same_type(self, tau, "torch.ormqr");
  check_same_type(self, other, "torch.ormqr");
  const char* side = left ? "-2" : "-1";
  const int64_t order = left ? rows_of(other) : columns_of(other);
  TORCH_CHECK(
      tau.dim() == self.dim() - 1 && other.dim() == self.dim(),
      "torch.ormqr: Expected tau with one dimension less than input, and other with as many, got ",
      tau.dim(), " and ", other.dim(), " for ", self.dim());
  TORCH_CHECK(tau.sizes().slice(0, tau.dim() - 1) == batch_sizes(self) &&
                  batch_sizes(other) == batch_sizes(self),
              "torch.ormqr: the batches of input, tau and other differ: ", self.sizes(), ", ",
              tau.sizes(), " and ", other.sizes());
  TORCH_CHECK(tau.sizes().back() <= std::min(order, columns_of(self)), "torch.ormqr: other.shape[",
              side, "] must be greater than or equal to tau.shape[-1], got ", order, " and ",
              tau.sizes().back());
  TORCH_CHECK(order == rows_of(self), "torch.ormqr: other.shape[", side,
              "] must be equal to input.shape[-2], got ", order, " and ", rows_of(self));
  Tensor C = copy_by_columns(other);
  ormqr_stub(C.device().type(), self, at::contiguous(tau), C, left, transpose);
  return C;
}

}  // namespace at::native
