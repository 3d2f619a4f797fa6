// Derivatives of Cholesky and LU factors.

#include <ATen/native/linalg_factor/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cholesky_solve.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/lu_unpack.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/zeros.h>

namespace torch::autograd::generated {

using at::mH;
using at::native::columns_of;
using at::native::rows_of;

// The lower triangle with half of the diagonal.
static Tensor half_diagonal(const Tensor& x) {
  return at::tril(x) - at::diag_embed(at::diagonal(x, 0, -2, -1) * 0.5);
}

// A = L L^H, so that L^-1 dA L^-H = L^-1 dL + (L^-1 dL)^H.
Tensor cholesky_backward(const Tensor& grad, bool upper, const Tensor& result) {
  Tensor L = upper ? mH(result) : result, gL = upper ? mH(grad) : grad;
  Tensor phi = half_diagonal(at::matmul(mH(L), gL));
  phi = (phi + mH(phi)) * 0.5;
  Tensor half = at::linalg_solve_triangular(mH(L), phi, true, true, false);
  return at::linalg_solve_triangular(L, half, false, false, false);
}

// d(A^-1) = -A^-1 dA A^-1, with dA = dL L^H + L dL^H. The kernels read one triangle of the factor.
static Tensor factor_gradient(const Tensor& gA, const Tensor& factor, bool upper) {
  Tensor both = gA + mH(gA);
  return upper ? at::triu(at::matmul(factor, both)) : at::tril(at::matmul(both, factor));
}

static Tensor triangle(const Tensor& factor, bool upper) {
  return upper ? at::triu(factor) : at::tril(factor);
}

Tensor cholesky_inverse_backward(const Tensor& grad, const Tensor& L, bool upper,
                                 const Tensor& inverse) {
  Tensor gA = -at::matmul(inverse, at::matmul(grad, inverse));
  return factor_gradient(gA, triangle(L, upper), upper);
}

std::tuple<Tensor, Tensor> cholesky_solve_backward(const Tensor& grad, const Tensor& L, bool upper,
                                                   const Tensor& X) {
  Tensor gB = at::cholesky_solve(grad, L, upper), factor = triangle(L, upper);
  if (2 * columns_of(X) > columns_of(L))
    return {gB, factor_gradient(-at::matmul(gB, mH(X)), factor, upper)};
  // gB X^H + X gB^H has the rank of B: its product with the factor is one of few columns.
  const auto times = [&](const Tensor& a, const Tensor& b) {
    return upper ? at::matmul(at::matmul(factor, a), mH(b))
                 : at::matmul(a, mH(at::matmul(mH(factor), b)));
  };
  Tensor g = -(times(gB, X) + times(X, gB));
  return {gB, upper ? at::triu(g) : at::tril(g)};
}

// Appends rows and columns of zeros.
static Tensor padded(const Tensor& x, int64_t rows, int64_t columns) {
  return at::constant_pad_nd(x, {0, columns, 0, rows}, 0);
}

// A = P L U. For square factors L^-1 P^T dA U^-1 = L^-1 dL + dU U^-1: a strictly lower and an upper
// triangle. Further rows of L are A2 U^-1, further columns of U are L^-1 P^T A2.
Tensor lu_backward(const Tensor& gL, const Tensor& gU, const Tensor& P, const Tensor& L,
                   const Tensor& U, bool pivot) {
  if (!gL.defined() && !gU.defined()) return Tensor();
  const int64_t m = rows_of(L), n = columns_of(U), k = std::min(m, n);
  Tensor L1 = m > k ? at::slice(L, -2, 0, k) : L, U1 = n > k ? at::slice(U, -1, 0, k) : U;
  Tensor lower, upper, more;
  if (gL.defined()) {
    lower = at::matmul(mH(L1), m > k ? at::slice(gL, -2, 0, k) : gL);
    if (m > k) {
      Tensor g2 = at::slice(gL, -2, k, m);
      upper = -at::matmul(mH(at::slice(L, -2, k, m)), g2);
      more = at::linalg_solve_triangular(mH(U1), g2, false, false, false);
    }
  }
  if (gU.defined()) {
    Tensor own = at::matmul(n > k ? at::slice(gU, -1, 0, k) : gU, mH(U1));
    upper = upper.defined() ? upper + own : own;
    if (n > k) {
      Tensor g2 = at::slice(gU, -1, k, n);
      Tensor other = -at::matmul(g2, mH(at::slice(U, -1, k, n)));
      lower = lower.defined() ? lower + other : other;
      more = at::linalg_solve_triangular(mH(L1), g2, true, true, true);
    }
  }
  Tensor middle = lower.defined() ? at::tril(lower, -1) : Tensor();
  if (upper.defined()) middle = middle.defined() ? middle + at::triu(upper) : at::triu(upper);
  Tensor gA = at::linalg_solve_triangular(mH(L1), middle, true, true, true);
  gA = at::linalg_solve_triangular(mH(U1), gA, false, false, false);
  if (m > k) gA = more.defined() ? at::cat({gA, more}, -2) : padded(gA, m - k, 0);
  if (n > k) gA = more.defined() ? at::cat({gA, more}, -1) : padded(gA, 0, n - k);
  return pivot ? at::matmul(P, gA) : gA;
}

Tensor lu_factor_backward(const Tensor& grad, const Tensor& LU, const Tensor& pivots, bool pivot) {
  auto [P, L, U] = at::lu_unpack(LU, pivots);
  const int64_t m = rows_of(LU), n = columns_of(LU), k = std::min(m, n);
  Tensor gL = n > k ? at::slice(grad, -1, 0, k) : grad,
         gU = m > k ? at::slice(grad, -2, 0, k) : grad;
  return lu_backward(gL, gU, P, L, U, pivot);
}

// Results that were not requested are empty, of one dimension.
Tensor lu_unpack_backward(const Tensor& gL, const Tensor& gU, at::IntArrayRef sizes) {
  const int64_t m = sizes[sizes.size() - 2], n = sizes[sizes.size() - 1], k = std::min(m, n);
  Tensor lower, upper;
  if (gL.defined() && gL.dim() > 1) {
    lower = at::tril(gL, -1);
    if (n > k) lower = padded(lower, 0, n - k);
  }
  if (gU.defined() && gU.dim() > 1) {
    upper = at::triu(gU);
    if (m > k) upper = padded(upper, m - k, 0);
  }
  if (!lower.defined()) return upper;
  return upper.defined() ? lower + upper : lower;
}

// Whether neither is expanded to the other's batch.
static bool has_batch_of(const Tensor& a, const Tensor& b) {
  return a.dim() == b.dim() && a.sizes().slice(0, a.dim() - 2) == b.sizes().slice(0, b.dim() - 2);
}

// For X A = B, transposed; with `adjoint`, A^H takes the place of A. A's gradient is W Z^H, of the
// rank of B: with few columns its products with the factors take less time than those of the
// matrix.
std::tuple<Tensor, Tensor> lu_solve_backward(const Tensor& grad, const Tensor& LU,
                                             const Tensor& pivots, at::IntArrayRef b_sizes,
                                             const Tensor& X, bool left, bool adjoint,
                                             std::array<bool, 2> mask) {
  Tensor gB = at::linalg_lu_solve(LU, pivots, grad, left, !adjoint), gLU;
  if (mask[0]) {
    Tensor W = left ? gB : mH(X), Z = left ? X : mH(gB);
    if (adjoint) std::swap(W, Z);
    auto [P, L, U] = at::lu_unpack(LU, pivots);
    Tensor gU, gL;  // the products with U^H and with L^H
    if (2 * columns_of(W) <= columns_of(LU) && has_batch_of(LU, X)) {
      const Tensor PW = at::matmul(mH(P), W);
      gU = at::matmul(PW, mH(at::matmul(U, Z)));
      gL = at::matmul(at::matmul(mH(L), PW), mH(Z));
    } else {
      const Tensor g = at::matmul(mH(P), at::sum_to(at::matmul(W, mH(Z)), LU.sizes()));
      gU = at::matmul(g, mH(U));
      gL = at::matmul(mH(L), g);
    }
    gLU = -(at::tril(gU, -1) + at::triu(gL));
  }
  return {gLU, mask[1] ? at::sum_to(gB, b_sizes) : Tensor()};
}

}  // namespace torch::autograd::generated
