// Condition numbers, ranks and pseudoinverses, from singular values or eigenvalues.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/linalg_cond_native.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/linalg_eigvalsh.h>
#include <ATen/ops/linalg_inv_ex.h>
#include <ATen/ops/linalg_matrix_norm.h>
#include <ATen/ops/linalg_matrix_rank.h>
#include <ATen/ops/linalg_matrix_rank_native.h>
#include <ATen/ops/linalg_pinv.h>
#include <ATen/ops/linalg_pinv_native.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/pinverse_native.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

TensorOptions real_options(const Tensor& A) {
  return A.options().dtype(toRealValueType(A.scalar_type()));
}

template <typename Order>
Tensor condition(const Tensor& self, const Order& p) {
  if (self.numel() == 0) return at::zeros(batch_sizes(self), real_options(self));
  check_square(self, "linalg.cond");
  auto [inverse, info] = at::linalg_inv_ex(self, false);
  Tensor result = at::linalg_matrix_norm(self, p) * at::linalg_matrix_norm(inverse, p);
  // A singular matrix has no inverse.
  return at::masked_fill(result, at::isnan(result), INFINITY);
}

// What counts as zero, for each matrix.
struct Tolerances {
  Tensor atol, rtol;
};

Tolerances tolerances(const Tensor& A, const std::optional<Tensor>& atol,
                      const std::optional<Tensor>& rtol, const char* op) {
  for (const auto& t : {atol, rtol}) {
    if (t) TORCH_CHECK(!t->is_complex(), op, ": tolerances of complex type are not supported");
  }
  const TensorOptions options =
      A.options().dtype(toRealValueType(A.scalar_type()) == kFloat ? kFloat : kDouble);
  const double precision =
      options.dtype() == kFloat ? 1.1920928955078125e-07 : 2.220446049250313e-16;
  Tensor absolute = atol ? *atol : at::zeros({}, options);
  if (rtol) return {absolute, *rtol};
  Tensor standard = at::zeros({}, options) + precision * std::max(rows_of(A), columns_of(A));
  return {absolute, atol ? at::where(at::gt(absolute, 0), Scalar(0.0), standard) : standard};
}

std::optional<Tensor> as_tensor(const Tensor& A, std::optional<double> value) {
  if (!value) return std::nullopt;
  return at::zeros({}, TensorOptions(kDouble).device(A.device())) + *value;
}

Tensor cutoff(const Tolerances& t, const Tensor& largest) {
  return at::maximum(at::unsqueeze(t.atol, -1), at::unsqueeze(t.rtol, -1) * largest);
}

}  // namespace

Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p) {
  check_is_matrix(self, "linalg.cond");
  const double order = p ? p->toDouble() : 2, size = std::abs(order);
  TORCH_CHECK(size == 1 || size == 2 || std::isinf(size),
              "linalg.cond got an invalid norm type: ", order);
  if (size != 2) return condition(self, *p);
  if (self.numel() == 0) return at::zeros(batch_sizes(self), real_options(self));
  Tensor S = at::linalg_svdvals(self), largest = at::select(S, -1, 0),
         smallest = at::select(S, -1, -1);
  return order > 0 ? largest / smallest : smallest / largest;
}

Tensor linalg_cond(const Tensor& self, std::string_view p) {
  TORCH_CHECK(p == "fro" || p == "nuc", "linalg.cond got an invalid norm type: ", p);
  return condition(self, p);
}

Tensor linalg_matrix_rank(const Tensor& input, const std::optional<Tensor>& atol,
                          const std::optional<Tensor>& rtol, bool hermitian) {
  const char* op = "torch.linalg.matrix_rank";
  check_is_matrix(input, op, "input");
  check_lapack_type(input, op);
  if (hermitian) check_square(input, op, "input");
  Tensor A = at::detach(input);
  const Tolerances t = tolerances(A, atol, rtol, op);
  if (A.numel() == 0) return at::zeros(batch_sizes(A), A.options().dtype(kLong));
  Tensor S = hermitian ? at::abs(at::linalg_eigvalsh(A)) : at::linalg_svdvals(A);
  return at::sum(at::gt(S, cutoff(t, at::amax(S, {-1}, true))), IntArrayRef{-1});
}

Tensor linalg_matrix_rank(const Tensor& self, std::optional<double> atol,
                          std::optional<double> rtol, bool hermitian) {
  return at::linalg_matrix_rank(self, as_tensor(self, atol), as_tensor(self, rtol), hermitian);
}
Tensor linalg_matrix_rank(const Tensor& self, double tol, bool hermitian) {
  return at::linalg_matrix_rank(self, as_tensor(self, tol), as_tensor(self, 0.0), hermitian);
}
Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol, bool hermitian) {
  return at::linalg_matrix_rank(input, std::make_optional(tol), as_tensor(input, 0.0), hermitian);
}

Tensor linalg_pinv(const Tensor& self, const std::optional<Tensor>& atol,
                   const std::optional<Tensor>& rtol, bool hermitian) {
  check_is_matrix(self, "linalg.pinv", "input");
  check_lapack_type(self, "linalg.pinv");
  if (hermitian) check_square(self, "linalg.pinv", "input");
  const Tolerances t = tolerances(self, atol, rtol, "linalg.pinv");
  if (self.numel() == 0)
    return empty_tensor(with_sizes(batch_sizes(self), {columns_of(self), rows_of(self)}),
                        self.scalar_type(), self.device());
  if (hermitian) {
    auto [L, Q] = at::linalg_eigh(self);
    Tensor size = at::abs(L);
    Tensor inverse = at::where(at::gt(size, cutoff(t, at::amax(size, {-1}, true))),
                               at::reciprocal(L), Scalar(0.0));
    return at::matmul(Q * at::unsqueeze(inverse, -2), at::mH(Q));
  }
  auto [U, S, Vh] = at::linalg_svd(self, false);
  Tensor inverse =
      at::where(at::gt(S, cutoff(t, at::amax(S, {-1}, true))), at::reciprocal(S), Scalar(0.0));
  return at::matmul(at::mH(Vh) * at::unsqueeze(inverse, -2), at::mH(U));
}

Tensor linalg_pinv(const Tensor& self, std::optional<double> atol, std::optional<double> rtol,
                   bool hermitian) {
  return at::linalg_pinv(self, as_tensor(self, atol), as_tensor(self, rtol), hermitian);
}
Tensor linalg_pinv(const Tensor& self, double rcond, bool hermitian) {
  return at::linalg_pinv(self, as_tensor(self, 0.0), as_tensor(self, rcond), hermitian);
}
Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, bool hermitian) {
  return at::linalg_pinv(self, as_tensor(self, 0.0), std::make_optional(rcond), hermitian);
}
Tensor pinverse(const Tensor& self, double rcond) { return at::linalg_pinv(self, rcond, false); }

}  // namespace at::native
