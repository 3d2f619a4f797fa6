// Triangular equations, least squares, and equations of tensors: shapes and checks.

#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/linalg_solve/linalg_solve.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_lstsq_native.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_solve_triangular_native.h>
#include <ATen/ops/linalg_tensorinv_native.h>
#include <ATen/ops/linalg_tensorsolve_native.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/square.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/triangular_solve_native.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left,
                               bool unitriangular) {
  const char* op = "linalg.solve_triangular";
  check_square(A, op);
  check_is_matrix(B, op, "B");
  check_same_type(A, B, op);
  TORCH_CHECK((left ? rows_of(B) : columns_of(B)) == rows_of(A), op,
              ": Incompatible shapes of A and B for the equation ", left ? "AX" : "XA", " = B (",
              rows_of(A), "x", columns_of(A), " and ", rows_of(B), "x", columns_of(B), ")");
  DimVector batch = broadcast_batches(batch_sizes(A), batch_sizes(B));
  Tensor X = copy_by_columns(at::expand(B, with_sizes(batch, {rows_of(B), columns_of(B)})));
  solve_triangular_stub(X.device().type(),
                        at::expand(A, with_sizes(batch, {rows_of(A), rows_of(A)})), X,
                        {left, upper, unitriangular});
  return X;
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper,
                                            bool transpose, bool unitriangular) {
  const char* op = "triangular_solve";
  check_is_matrix(self, op, "b");
  check_square(A, op);
  check_same_type(A, self, op);
  TORCH_CHECK(rows_of(self) == rows_of(A), op, ": each A matrix is ", rows_of(A), " by ",
              rows_of(A), " but each b matrix is ", rows_of(self), " by ", columns_of(self));
  DimVector batch = broadcast_batches(batch_sizes(A), batch_sizes(self));
  Tensor X =
      copy_by_columns(at::expand(self, with_sizes(batch, {rows_of(self), columns_of(self)})));
  Tensor coefficients = copy_by_columns(at::expand(A, with_sizes(batch, {rows_of(A), rows_of(A)})));
  solve_triangular_stub(X.device().type(), coefficients, X,
                        {true, upper, unitriangular, transpose});
  return {X, coefficients};
}

static LstsqDriver lstsq_driver(std::optional<std::string_view> name) {
  if (!name || *name == "gelsy") return LstsqDriver::gelsy;
  if (*name == "gels") return LstsqDriver::gels;
  if (*name == "gelsd") return LstsqDriver::gelsd;
  TORCH_CHECK(
      *name == "gelss",
      "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got ",
      *name);
  return LstsqDriver::gelss;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& self, const Tensor& b,
                                                        std::optional<double> rcond,
                                                        std::optional<std::string_view> driver) {
  const char* op = "torch.linalg.lstsq";
  check_is_matrix(self, op, "input");
  check_lapack_type(self, op);
  TORCH_CHECK(b.dim() >= 1, op, ": other must have at least 1 dimension.");
  check_same_type(self, b, op);
  LstsqDriver kind = lstsq_driver(driver);
  lstsq_driver_stub(self.device().type(), kind, driver.has_value());
  const bool vectors = b.dim() == 1 || (self.dim() - 1 == b.dim() &&
                                        self.sizes().slice(0, self.dim() - 1) == b.sizes());
  Tensor B = vectors ? at::unsqueeze(b, -1) : b;
  TORCH_CHECK(B.dim() >= 2 && rows_of(B) == rows_of(self), op,
              ": the number of rows of input and other differ: ", self.sizes(), " and ", b.sizes());
  DimVector batch = broadcast_batches(batch_sizes(self), batch_sizes(B));
  const int64_t m = rows_of(self), n = columns_of(self), columns = columns_of(B);
  const ScalarType type = self.scalar_type(), real = toRealValueType(type);
  const Device device = self.device();
  const double precision = real == kFloat ? 1.1920928955078125e-07 : 2.220446049250313e-16;
  Tensor A = copy_by_columns(at::expand(self, with_sizes(batch, {m, n})));
  Tensor X = empty_by_columns(with_sizes(batch, {std::max(m, n), columns}), type, device);
  Tensor first = at::slice(X, -2, 0, m);
  _ops::copy_::call(first, B, false);
  const bool has_rank = kind != LstsqDriver::gels,
             by_svd = kind == LstsqDriver::gelsd || kind == LstsqDriver::gelss;
  Tensor rank = empty_tensor(has_rank ? batch : DimVector{0}, kLong, device);
  Tensor values =
      empty_tensor(by_svd ? with_sizes(batch, {std::min(m, n)}) : DimVector{0}, real, device);
  lstsq_stub(device.type(), A, X, rank, values, kind, rcond ? *rcond : precision * std::max(m, n));
  bool full_rank = true;
  if (by_svd && has_values(rank)) {
    for (int64_t r : int64_values(rank)) full_rank &= r == n;
  }
  Tensor residuals = empty_tensor({0}, real, device);
  if (m > n && full_rank && kind != LstsqDriver::gelsy)
    residuals = at::sum(at::square(at::abs(at::slice(X, -2, n, m))), IntArrayRef{-2});
  Tensor solution = m > n ? at::slice(X, -2, 0, n) : X;
  if (vectors) solution = at::squeeze(solution, -1);
  return {solution, residuals, rank, values};
}

// --- tensors as matrices ---

Tensor linalg_tensorinv(const Tensor& self, int64_t ind) {
  TORCH_CHECK(ind > 0, "Expected a strictly positive integer for 'ind' argument, got ", ind);
  const int64_t first = std::min<int64_t>(ind, self.dim());
  IntArrayRef left = self.sizes().slice(0, first), right = self.sizes().slice(first);
  TORCH_CHECK(product(left) == product(right),
              "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
              "prod(self.shape[:ind]), but got ",
              product(right), " != ", product(left));
  DimVector sizes(right);
  for (int64_t n : left) sizes.push_back(n);
  return at::reshape(at::linalg_inv(at::reshape(self, {product(left), product(right)})), sizes);
}

Tensor linalg_tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims) {
  Tensor A = self;
  if (dims) {
    DimVector to;
    for (size_t i = 0; i < dims->size(); ++i)
      to.push_back(self.dim() - static_cast<int64_t>(dims->size()) + i);
    A = at::movedim(self, *dims, to);
  }
  const int64_t first = std::min(other.dim(), A.dim());
  IntArrayRef left = A.sizes().slice(0, first), right = A.sizes().slice(first);
  TORCH_CHECK(product(right) == product(left),
              "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
              "prod(self.shape[:other.ndim]), but got ",
              product(right), " != ", product(left));
  TORCH_CHECK(product(left) == other.numel(), "torch.linalg.tensorsolve: other has ", other.numel(),
              " elements, but the first dimensions of self have ", product(left));
  Tensor solution = at::linalg_solve(at::reshape(A, {product(left), product(right)}),
                                     at::reshape(other, {other.numel()}));
  return at::reshape(solution, right);
}

}  // namespace at::native
