// Derivatives of linear equations, inverses and determinants.

#include <ATen/native/linalg_solve/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/ops/_linalg_svd.h>
#include <ATen/ops/all.h>
#include <ATen/ops/any.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_pinv.h>
#include <ATen/ops/linalg_solve_ex.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/mT.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::mH;

// Solves A^H X = B or X A^H = B. The factors have no derivative, so where one is needed the
// equation is solved again.
static Tensor solve_adjoint(const Tensor& A, const Tensor& LU, const Tensor& pivots,
                            const Tensor& B, bool left) {
  if (at::native::is_differentiated_again(A, B))
    return std::get<0>(at::linalg_solve_ex(mH(A), B, left, false));
  return at::linalg_lu_solve(LU, pivots, B, left, true);
}

std::tuple<Tensor, Tensor> solve_backward(const Tensor& grad, const Tensor& result, const Tensor& A,
                                          const Tensor& LU, const Tensor& pivots, bool left,
                                          at::IntArrayRef b_sizes, std::array<bool, 2> mask) {
  const bool vectors = b_sizes.size() == 1 || b_sizes == A.sizes().slice(0, A.dim() - 1);
  Tensor g = vectors ? at::unsqueeze(grad, -1) : grad,
         X = vectors ? at::unsqueeze(result, -1) : result;
  Tensor gB = solve_adjoint(A, LU, pivots, g, left), gA;
  if (mask[0]) gA = at::sum_to(left ? -at::matmul(gB, mH(X)) : -at::matmul(mH(X), gB), A.sizes());
  if (!mask[1]) return {gA, Tensor()};
  return {gA, at::sum_to(vectors ? at::squeeze(gB, -1) : gB, b_sizes)};
}

Tensor inverse_backward(const Tensor& grad, const Tensor& inverse) {
  Tensor adjoint = mH(inverse);
  return -at::matmul(adjoint, at::matmul(grad, adjoint));
}

// scale * A^-H for a number per matrix.
static Tensor scaled_inverse(const Tensor& scale, const Tensor& A, const Tensor& LU,
                             const Tensor& pivots) {
  Tensor diagonal =
      at::diag_embed(at::expand(at::unsqueeze(scale, -1), A.sizes().slice(0, A.dim() - 1)));
  return solve_adjoint(A, LU, pivots, diagonal, true);
}

// The matrix of cofactors of singular matrices, from their factors P L U: with a number e in place
// of the only zero on U's diagonal, det(A) A^-1 is wrong by a multiple of e, which can be tiny.
// It is 0 where two rows of U are zero. Undefined if another factor has more zeros than one, or the
// determinant of a regular matrix underflows.
static Tensor cofactors_of_factors(const Tensor& grad, const Tensor& A, const Tensor& LU,
                                   const Tensor& pivots, const Tensor& singular) {
  const Tensor diagonal = at::diagonal(LU, 0, -2, -1), zero = at::eq(diagonal, 0);
  const Tensor rows = at::sum(at::any(at::ne(at::triu(LU), 0), -1), -1);
  const Tensor no_cofactors = at::le(rows, A.sizes().back() - 2);
  if (at::item(at::all(no_cofactors)).toBool()) return at::zeros_like(A);
  const Tensor one_zero = at::eq(at::sum(zero, -1), singular);
  if (!at::item(at::all(at::logical_or(one_zero, no_cofactors))).toBool()) return Tensor();
  const bool is_double = at::toRealValueType(LU.scalar_type()) == at::kDouble;
  const Tensor filled = at::masked_fill(diagonal, zero, is_double ? 1e-150 : 1e-18);
  const Tensor order = at::arange(1, pivots.sizes().back() + 1, pivots.options());
  const Tensor swaps = at::sum(at::ne(pivots, order), -1);
  const Tensor det = at::prod(filled, -1) * (1 - 2 * at::remainder(swaps, 2));
  const Tensor cofactors =
      scaled_inverse(grad * conj_of(det), A, LU + at::diag_embed(filled - diagonal), pivots);
  return at::masked_fill(cofactors, at::unsqueeze(at::unsqueeze(no_cofactors, -1), -1), 0);
}

// The gradient is det(A)^* A^-H, the matrix of cofactors. A singular matrix has one too, which its
// factors give, or its singular values.
Tensor det_backward(const Tensor& grad, const Tensor& det, const Tensor& A, const Tensor& LU,
                    const Tensor& pivots) {
  if (A.numel() == 0) return at::matmul(A, mH(A));
  Tensor g = grad * conj_of(det), singular = at::eq(det, 0);
  if (!at::native::may_read(det) || !at::item(at::any(singular)).toBool())
    return scaled_inverse(g, A, LU, pivots);
  if (!at::native::is_differentiated_again(A, grad)) {
    Tensor cofactors = cofactors_of_factors(grad, A, LU, pivots, singular);
    if (cofactors.defined()) return cofactors;
  }
  auto [U, S, Vh] = at::_linalg_svd(A, false, true);
  Tensor one = at::eye(A.sizes().back(), S.options().dtype(at::kBool));
  // The products of all singular values but one.
  Tensor others = at::prod(at::masked_fill(at::unsqueeze(S, -2), one, 1), -1);
  Tensor phase = grad * conj_of(at::linalg_det(U) * at::linalg_det(Vh));
  Tensor cofactors =
      at::matmul(U * at::unsqueeze(others, -2), Vh) * at::unsqueeze(at::unsqueeze(phase, -1), -1);
  return cofactors;
}

Tensor slogdet_backward(const Tensor& grad_sign, const Tensor& grad_log, const Tensor& A,
                        const Tensor& sign, const Tensor& LU, const Tensor& pivots) {
  // For z = trace(A^-1 dA): the logarithm changes by its real part, the sign by i sign Im z.
  Tensor scale = grad_log;
  if (A.is_complex() && grad_sign.defined()) {
    Tensor turn = at::imag(conj_of(grad_sign) * sign);
    scale = grad_log.defined() ? at::complex(grad_log, -turn) : at::complex(turn * 0, -turn);
  }
  if (!scale.defined()) return Tensor();
  if (A.is_complex() && !scale.is_complex()) scale = at::complex(scale, scale * 0);
  return scaled_inverse(scale, A, LU, pivots);
}

static Tensor triangle(const Tensor& g, bool upper, bool unit) {
  return upper ? at::triu(g, unit ? 1 : 0) : at::tril(g, unit ? -1 : 0);
}

std::tuple<Tensor, Tensor> solve_triangular_backward(const Tensor& grad, const Tensor& A,
                                                     at::IntArrayRef b_sizes, const Tensor& X,
                                                     bool upper, bool left, bool unit,
                                                     std::array<bool, 2> mask) {
  Tensor gB = at::linalg_solve_triangular(mH(A), grad, !upper, left, unit), gA;
  if (mask[0]) {
    Tensor full = left ? -at::matmul(gB, mH(X)) : -at::matmul(mH(X), gB);
    gA = triangle(at::sum_to(full, A.sizes()), upper, unit);
  }
  return {gA, mask[1] ? at::sum_to(gB, b_sizes) : Tensor()};
}

std::tuple<Tensor, Tensor> triangular_solve_backward(const Tensor& grad, const Tensor& grad_copy,
                                                     at::IntArrayRef b_sizes, const Tensor& A,
                                                     const Tensor& X, bool upper, bool transpose,
                                                     bool unit, std::array<bool, 2> mask) {
  Tensor gA, gB;
  if (grad.defined()) {
    Tensor adjoint = transpose ? conj_of(A) : mH(A);
    gB = at::linalg_solve_triangular(adjoint, grad, upper == transpose, true, unit);
    if (mask[1]) {
      Tensor full = -at::matmul(gB, mH(X));
      gA = triangle(transpose ? at::mT(full) : full, upper, unit);
    }
    if (mask[0]) gB = at::sum_to(gB, b_sizes);
  }
  if (mask[1] && grad_copy.defined()) gA = gA.defined() ? gA + grad_copy : grad_copy;
  if (gA.defined()) gA = at::sum_to(gA, A.sizes());
  return {gB, gA};
}

// The solution is pinv(A) B, and the residuals are the squares of A X - B.
std::tuple<Tensor, Tensor> lstsq_backward(const Tensor& grad, const Tensor& grad_residuals,
                                          const Tensor& A, const Tensor& b, const Tensor& solution,
                                          std::array<bool, 2> mask) {
  const bool vectors =
      b.dim() == 1 || (A.dim() - 1 == b.dim() && A.sizes().slice(0, A.dim() - 1) == b.sizes());
  Tensor B = vectors ? at::unsqueeze(b, -1) : b,
         X = vectors ? at::unsqueeze(solution, -1) : solution, gA, gB;
  if (grad.defined()) {
    Tensor g = vectors ? at::unsqueeze(grad, -1) : grad;
    Tensor P = at::linalg_pinv(A), Ph = mH(P);
    gB = at::matmul(Ph, g);
    if (mask[0]) {
      // With G = g B^H: -P^H G P^H + (B - A X) g^H P P^H + P^H P B g^H (1 - P A), whose factors are
      // the residuals of both sides.
      Tensor R = B - at::matmul(A, X);
      Tensor rest = mH(g) - at::matmul(at::matmul(mH(g), P), A);
      gA = at::matmul(R, at::matmul(mH(g), at::matmul(P, Ph))) +
           at::matmul(at::matmul(Ph, X), rest) - at::matmul(gB, mH(at::matmul(P, B)));
    }
  }
  if (grad_residuals.defined() && grad_residuals.numel() != 0) {
    Tensor change = (at::matmul(A, X) - B) * (at::unsqueeze(grad_residuals, -2) * 2);
    if (mask[0]) {
      Tensor own = at::matmul(change, mH(X));
      gA = gA.defined() ? gA + own : own;
    }
    gB = gB.defined() ? gB - change : -change;
  }
  if (gA.defined()) gA = at::sum_to(gA, A.sizes());
  if (gB.defined()) gB = at::sum_to(vectors ? at::squeeze(gB, -1) : gB, b.sizes());
  return {gA, mask[1] ? gB : Tensor()};
}

}  // namespace torch::autograd::generated
