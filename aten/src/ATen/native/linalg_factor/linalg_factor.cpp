// Cholesky, LU and LDL factors, and solutions that use them: shapes and checks.

#include <ATen/native/linalg_factor/linalg_factor.h>

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/ops/_cholesky_solve_helper.h>
#include <ATen/ops/_cholesky_solve_helper_native.h>
#include <ATen/ops/_lu_with_info_native.h>
#include <ATen/ops/cholesky_inverse_native.h>
#include <ATen/ops/cholesky_native.h>
#include <ATen/ops/cholesky_solve_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/fill__ops.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_cholesky_ex_native.h>
#include <ATen/ops/linalg_cholesky_native.h>
#include <ATen/ops/linalg_ldl_factor_ex.h>
#include <ATen/ops/linalg_ldl_factor_ex_native.h>
#include <ATen/ops/linalg_ldl_factor_native.h>
#include <ATen/ops/linalg_ldl_solve_native.h>
#include <ATen/ops/linalg_lu_factor_ex.h>
#include <ATen/ops/linalg_lu_factor_ex_native.h>
#include <ATen/ops/linalg_lu_factor_native.h>
#include <ATen/ops/linalg_lu_native.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_lu_solve_native.h>
#include <ATen/ops/lu_solve_native.h>
#include <ATen/ops/lu_unpack.h>
#include <ATen/ops/lu_unpack_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace at::native {

// --- Cholesky ---

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, bool upper, bool check_errors) {
  check_square(A, "linalg.cholesky");
  check_lapack_type(A, "linalg.cholesky");
  Tensor L = empty_by_columns(A.sizes(), A.scalar_type(), A.device());
  Tensor info = empty_tensor(batch_sizes(A), kInt, A.device());
  cholesky_stub(A.device().type(), A, L, info, upper);
  if (check_errors) check_info(info, "linalg.cholesky_ex", A.dim() == 2);
  return {L, info};
}

static Tensor checked_cholesky(const Tensor& A, bool upper, const char* op) {
  auto [L, info] = at::linalg_cholesky_ex(A, upper, false);
  check_info(info, op, A.dim() == 2);
  return L;
}

Tensor linalg_cholesky(const Tensor& A, bool upper) {
  return checked_cholesky(A, upper, "linalg.cholesky");
}
Tensor cholesky(const Tensor& A, bool upper) { return checked_cholesky(A, upper, "cholesky"); }

Tensor cholesky_inverse(const Tensor& self, bool upper) {
  check_square(self, "cholesky_inverse");
  check_lapack_type(self, "cholesky_inverse");
  Tensor X = copy_by_columns(self);
  cholesky_inverse_stub(self.device().type(), X, upper);
  return X;
}

// Checks the shapes of A X = B or X A = B.
static void check_solvable(const Tensor& A, const Tensor& B, bool left, const char* op) {
  check_square(A, op);
  check_is_matrix(B, op, "B");
  check_same_type(A, B, op);
  TORCH_CHECK(columns_of(A) == (left ? rows_of(B) : columns_of(B)), op,
              ": Incompatible shapes of A and B for the equation ", left ? "AX" : "XA", " = B (",
              rows_of(A), "x", columns_of(A), " and ", rows_of(B), "x", columns_of(B), ")");
}

static DimVector with_batch(IntArrayRef batch, const Tensor& A) {
  return with_sizes(batch, {rows_of(A), columns_of(A)});
}

Tensor _cholesky_solve_helper(const Tensor& self, const Tensor& A, bool upper) {
  check_solvable(A, self, true, "cholesky_solve");
  check_lapack_type(A, "cholesky_solve");
  DimVector batch = broadcast_batches(batch_sizes(self), batch_sizes(A));
  Tensor X = copy_by_columns(at::expand(self, with_batch(batch, self)));
  cholesky_solve_stub(X.device().type(), at::expand(A, with_batch(batch, A)), X, upper);
  return X;
}

Tensor cholesky_solve(const Tensor& self, const Tensor& A, bool upper) {
  check_solvable(A, self, true, "cholesky_solve");
  DimVector batch = broadcast_batches(batch_sizes(self), batch_sizes(A));
  return at::_cholesky_solve_helper(at::expand(self, with_batch(batch, self)),
                                    at::expand(A, with_batch(batch, A)), upper);
}

// --- LU ---

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool pivot,
                                                       bool check_errors) {
  check_is_matrix(A, "torch.lu_factor");
  check_lapack_type(A, "torch.lu_factor");
  Tensor LU = empty_by_columns(A.sizes(), A.scalar_type(), A.device());
  Tensor pivots = empty_tensor(with_sizes(batch_sizes(A), {std::min(rows_of(A), columns_of(A))}),
                               kInt, A.device());
  Tensor info = empty_tensor(batch_sizes(A), kInt, A.device());
  lu_factor_stub(A.device().type(), A, LU, pivots, info, pivot);
  if (check_errors) check_info(info, "torch.linalg.lu_factor_ex", A.dim() == 2);
  return {LU, pivots, info};
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot) {
  auto [LU, pivots, info] = at::linalg_lu_factor_ex(A, pivot, false);
  check_info(info, "torch.linalg.lu_factor", A.dim() == 2);
  return {LU, pivots};
}

std::tuple<Tensor, Tensor, Tensor> _lu_with_info(const Tensor& self, bool pivot,
                                                 bool check_errors) {
  return at::linalg_lu_factor_ex(self, pivot, check_errors);
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot) {
  auto [LU, pivots, info] = at::linalg_lu_factor_ex(A, pivot, false);
  return at::lu_unpack(LU, pivots, true, pivot);
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU, const Tensor& pivots,
                                             bool unpack_data, bool unpack_pivots) {
  check_is_matrix(LU, "torch.lu_unpack", "LU_data");
  const int64_t m = rows_of(LU), n = columns_of(LU), k = std::min(m, n);
  Tensor empty = empty_tensor({0}, LU.scalar_type(), LU.device()), P = empty, L = empty, U = empty;
  if (unpack_pivots) {
    TORCH_CHECK(pivots.scalar_type() == kInt,
                "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
                "dtype, got ",
                toString(pivots.scalar_type()));
    TORCH_CHECK(pivots.sizes() == IntArrayRef(with_sizes(batch_sizes(LU), {k})),
                "torch.lu_unpack: LU_pivots has the shape ", pivots.sizes(), ", expected ",
                with_sizes(batch_sizes(LU), {k}));
    P = at::zeros(with_sizes(batch_sizes(LU), {m, m}), LU.options());
    lu_permutation_stub(P.device().type(), at::contiguous(pivots), P);
  }
  if (unpack_data) {
    L = at::contiguous(at::tril(n > k ? at::slice(LU, -1, 0, k) : LU, -1));
    Tensor diagonal = at::diagonal(L, 0, -2, -1);
    at::_ops::fill__Scalar::call(diagonal, 1);
    U = at::contiguous(at::triu(m > k ? at::slice(LU, -2, 0, k) : LU));
  }
  return {P, L, U};
}

Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left,
                       bool adjoint) {
  check_solvable(LU, B, left, "linalg.lu_solve");
  check_lapack_type(LU, "linalg.lu_solve");
  TORCH_CHECK(pivots.scalar_type() == kInt,
              "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32, got ",
              toString(pivots.scalar_type()));
  TORCH_CHECK(pivots.sizes() == IntArrayRef(with_sizes(batch_sizes(LU), {columns_of(LU)})),
              "linalg.lu_solve: pivots have the shape ", pivots.sizes(), ", expected ",
              with_sizes(batch_sizes(LU), {columns_of(LU)}));
  DimVector batch = broadcast_batches(batch_sizes(B), batch_sizes(LU));
  DimVector sizes = with_batch(batch, B);
  // Like PyTorch, by columns if A stands left of the unknowns, by rows if it stands right.
  Tensor X = copy_by_columns(at::expand(B, sizes));
  Tensor expanded =
      at::expand(at::unsqueeze(at::contiguous(pivots), -2), with_sizes(batch, {1, columns_of(LU)}));
  lu_solve_stub(X.device().type(), at::expand(LU, with_batch(batch, LU)), expanded, X, left,
                adjoint);
  return left ? X : at::contiguous(X);
}

Tensor lu_solve(const Tensor& self, const Tensor& LU, const Tensor& pivots) {
  return at::linalg_lu_solve(LU, pivots, self);
}

// --- LDL ---

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self, bool hermitian,
                                                        bool check_errors) {
  check_square(self, "torch.linalg.ldl_factor_ex");
  check_lapack_type(self, "torch.linalg.ldl_factor_ex");
  Tensor LD = copy_by_columns(at::tril(self));
  Tensor pivots = empty_tensor(self.sizes().slice(0, self.dim() - 1), kInt, self.device());
  Tensor info = empty_tensor(batch_sizes(self), kInt, self.device());
  ldl_factor_stub(self.device().type(), LD, pivots, info, hermitian);
  if (check_errors) check_info(info, "torch.linalg.ldl_factor_ex", self.dim() == 2);
  return {LD, pivots, info};
}

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, bool hermitian) {
  auto [LD, pivots, info] = at::linalg_ldl_factor_ex(self, hermitian, false);
  check_info(info, "torch.linalg.ldl_factor", self.dim() == 2);
  return {LD, pivots};
}

Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
  check_solvable(LD, B, true, "torch.linalg.ldl_solve");
  check_lapack_type(LD, "torch.linalg.ldl_solve");
  TORCH_CHECK(pivots.sizes() == LD.sizes().slice(0, LD.dim() - 1),
              "torch.linalg.ldl_solve: pivots have the shape ", pivots.sizes(), ", expected ",
              LD.sizes().slice(0, LD.dim() - 1));
  TORCH_CHECK(pivots.scalar_type() == kInt,
              "torch.linalg.ldl_solve: Expected pivots to be torch.int32, got ",
              toString(pivots.scalar_type()));
  DimVector batch = broadcast_batches(batch_sizes(B), batch_sizes(LD));
  Tensor X = copy_by_columns(at::expand(B, with_batch(batch, B)));
  Tensor expanded =
      at::expand(at::unsqueeze(at::contiguous(pivots), -2), with_sizes(batch, {1, rows_of(LD)}));
  ldl_solve_stub(X.device().type(), at::expand(LD, with_batch(batch, LD)), expanded, X, hermitian);
  return X;
}

}  // namespace at::native
