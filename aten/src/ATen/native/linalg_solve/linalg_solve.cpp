// Solutions, inverses and determinants: shapes and checks.

#include <ATen/native/linalg_solve/linalg_solve.h>

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/ops/_linalg_check_errors_native.h>
#include <ATen/ops/_linalg_det.h>
#include <ATen/ops/_linalg_det_native.h>
#include <ATen/ops/_linalg_slogdet.h>
#include <ATen/ops/_linalg_slogdet_native.h>
#include <ATen/ops/_linalg_solve_ex.h>
#include <ATen/ops/_linalg_solve_ex_native.h>
#include <ATen/ops/add.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/det_native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/inverse_native.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_det_native.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_inv_ex.h>
#include <ATen/ops/linalg_inv_ex_native.h>
#include <ATen/ops/linalg_inv_native.h>
#include <ATen/ops/linalg_slogdet.h>
#include <ATen/ops/linalg_slogdet_native.h>
#include <ATen/ops/linalg_solve_ex_native.h>
#include <ATen/ops/linalg_solve_native.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logdet_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/slogdet_native.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

void _linalg_check_errors(const Tensor& info, std::string_view api_name, bool is_matrix) {
  if (!has_values(info)) return;
  int64_t index = -1, value = 0;
  first_error_stub(info.device().type(), at::contiguous(info), index, value);
  if (index < 0) return;
  std::string op(api_name), element;
  if (!is_matrix) element = "(Batch element " + std::to_string(index) + "): ";
  const auto about = [&](const char* name) { return op.find(name) != std::string::npos; };
  TORCH_CHECK_LINALG(value > 0, op, ": ", element, "argument ", -value,
                     " of the LAPACK routine has a wrong value, which is a mistake in torch");
  TORCH_CHECK_LINALG(!about("inv"), op, ": ", element, "the diagonal element ", value,
                     " is zero: the matrix is singular and has no inverse");
  TORCH_CHECK_LINALG(!about("solve"), op, ": ", element,
                     "the matrix is singular: there is no unique solution");
  TORCH_CHECK_LINALG(!about("cholesky"), op, ": ", element,
                     "the matrix is not positive-definite: its leading minor of order ", value,
                     " is not");
  TORCH_CHECK_LINALG(
      !about("svd"), op, ": ", element,
      "the algorithm failed to converge: the matrix is ill-conditioned or has too many "
      "equal singular values (error code: ",
      value, ")");
  TORCH_CHECK_LINALG(
      !about("eig"), op, ": ", element,
      "the algorithm failed to converge: the matrix is ill-conditioned or has too many "
      "equal eigenvalues (error code: ",
      value, ")");
  TORCH_CHECK(!about("lu_factor"), op, ": ", element, "U[", value, ",", value,
              "] is zero, so that lu_solve would divide by zero. linalg.lu and linalg.lu_factor_ex "
              "factor such a matrix without an error");
  TORCH_CHECK_LINALG(false, op, ": ", element, "D[", value, ",", value,
                     "] is zero: the matrix is singular");
}

// Whether B stands for a batch of vectors: (..., n) beside A of (..., n, n).
static bool has_vectors(const Tensor& A, const Tensor& B) {
  return B.dim() == 1 || (A.dim() - 1 == B.dim() && B.sizes() == A.sizes().slice(0, A.dim() - 1));
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_solve_ex(const Tensor& A, const Tensor& B,
                                                            bool left, bool check_errors) {
  check_square(A, "linalg.solve");
  check_lapack_type(A, "linalg.solve");
  check_same_type(A, B, "linalg.solve");
  TORCH_CHECK(B.dim() >= 1, "linalg.solve: B must have at least one dimension");
  const bool vectors = has_vectors(A, B);
  Tensor b = vectors ? at::unsqueeze(B, -1) : B;
  TORCH_CHECK(b.dim() >= 2 && (left ? rows_of(b) : columns_of(b)) == rows_of(A),
              "linalg.solve: Incompatible shapes of A and B for the equation ", left ? "AX" : "XA",
              " = B (", rows_of(A), "x", columns_of(A), " and ", rows_of(b), "x", columns_of(b),
              ")");
  DimVector batch = broadcast_batches(batch_sizes(A), batch_sizes(b));
  const Device device = A.device();
  const int64_t n = rows_of(A);
  Tensor LU = empty_by_columns(A.sizes(), A.scalar_type(), device);
  Tensor pivots = empty_tensor(with_sizes(batch_sizes(A), {n}), kInt, device);
  Tensor info = empty_tensor(batch_sizes(A), kInt, device);
  lu_factor_stub(device.type(), A, LU, pivots, info, true);
  Tensor X = copy_by_columns(at::expand(b, with_sizes(batch, {rows_of(b), columns_of(b)})));
  lu_solve_stub(device.type(), at::expand(LU, with_sizes(batch, {n, n})),
                at::expand(at::unsqueeze(pivots, -2), with_sizes(batch, {1, n})), X, left, false);
  if (check_errors) check_info(info, "torch.linalg.solve_ex", A.dim() == 2);
  if (!left) X = at::contiguous(X);
  if (vectors) {
    Tensor flat = at::squeeze(X, -1);
    // PyTorch lays a batch of vectors out as one matrix, by columns.
    X = flat.dim() > 1 ? copy_by_columns(flat) : flat;
  }
  return {X, LU, pivots, info};
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left,
                                           bool check_errors) {
  auto [X, LU, pivots, info] = at::_linalg_solve_ex(A, B, left, check_errors);
  return {X, info};
}

Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
  auto [X, LU, pivots, info] = at::_linalg_solve_ex(A, B, left, false);
  check_info(info, "torch.linalg.solve", A.dim() == 2);
  return X;
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors) {
  check_square(A, "linalg.inv");
  check_lapack_type(A, "linalg.inv");
  Tensor inverse = empty_by_columns(A.sizes(), A.scalar_type(), A.device());
  Tensor info = empty_tensor(batch_sizes(A), kInt, A.device());
  inverse_stub(A.device().type(), A, inverse, info);
  if (check_errors) check_info(info, "linalg.inv_ex", A.dim() == 2);
  return {inverse, info};
}

Tensor linalg_inv(const Tensor& A) {
  auto [inverse, info] = at::linalg_inv_ex(A, false);
  check_info(info, "linalg.inv", A.dim() == 2);
  return inverse;
}

Tensor inverse(const Tensor& self) { return at::linalg_inv(self); }

// --- determinants ---

struct Factors {
  Tensor LU, pivots;
};

static Factors lu_factors(const Tensor& A, const char* op) {
  check_square(A, op);
  check_lapack_type(A, op);
  Factors f{empty_by_columns(A.sizes(), A.scalar_type(), A.device()),
            empty_tensor(A.sizes().slice(0, A.dim() - 1), kInt, A.device())};
  Tensor info = empty_tensor(batch_sizes(A), kInt, A.device());
  lu_factor_stub(A.device().type(), A, f.LU, f.pivots, info, true);
  return f;
}

std::tuple<Tensor, Tensor, Tensor> _linalg_det(const Tensor& A) {
  auto [LU, pivots] = lu_factors(A, "linalg.det");
  Tensor result = empty_tensor(batch_sizes(A), A.scalar_type(), A.device());
  det_stub(A.device().type(), LU, pivots, result);
  return {result, LU, pivots};
}

Tensor linalg_det(const Tensor& A) { return std::get<0>(at::_linalg_det(A)); }
Tensor det(const Tensor& self) { return at::linalg_det(self); }

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_slogdet(const Tensor& A) {
  auto [LU, pivots] = lu_factors(A, "linalg.slogdet");
  Tensor sign = empty_tensor(batch_sizes(A), A.scalar_type(), A.device());
  Tensor logabsdet = empty_tensor(batch_sizes(A), toRealValueType(A.scalar_type()), A.device());
  slogdet_stub(A.device().type(), LU, pivots, sign, logabsdet);
  return {sign, logabsdet, LU, pivots};
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
  auto [sign, logabsdet, LU, pivots] = at::_linalg_slogdet(A);
  return {sign, logabsdet};
}
std::tuple<Tensor, Tensor> slogdet(const Tensor& self) { return at::linalg_slogdet(self); }

Tensor logdet(const Tensor& self) {
  check_square(self, "logdet", "input");
  check_lapack_type(self, "logdet");
  auto [sign, logabsdet] = at::linalg_slogdet(self);
  // The logarithm of a negative sign is NaN; that of 0, which a singular matrix has, is -inf.
  return at::add(at::log(sign), logabsdet);
}

}  // namespace at::native
