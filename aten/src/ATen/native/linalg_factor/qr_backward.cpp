// Derivatives of QR factors and of products of Householder reflectors.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/linalg_factor/backward.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ormqr.h>
#include <ATen/ops/real.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::mH;
using at::native::batch_sizes;
using at::native::columns_of;
using at::native::rows_of;

// Of N, the strict upper triangle, its conjugate below, and the real part of the diagonal.
static Tensor mirrored(const Tensor& N) {
  Tensor upper = at::triu(N, 1), diagonal = at::diagonal(N, 0, -2, -1);
  if (N.is_complex()) diagonal = at::real(diagonal) + 0 * diagonal;
  return upper + mH(upper) + at::diag_embed(diagonal);
}

// A = Q R with Q^H Q = 1 gives Q^H dA R^-1 = Q^H dQ + dR R^-1, where the first part is skew and the
// second one is upper triangular with a real diagonal. Further columns of R are Q^H A2.
Tensor qr_backward(const Tensor& gQ, const Tensor& gR, const Tensor& Q, const Tensor& R,
                   std::string_view mode) {
  TORCH_CHECK(mode != "r",
              "linalg_qr_backward: The derivative of linalg.qr depends on Q, which mode='r' does "
              "not compute; use "
              "mode='reduced'");
  const int64_t m = rows_of(Q), n = columns_of(R);
  TORCH_CHECK(mode != "complete" || m <= n,
              "linalg_qr_backward: The QR decomposition is not differentiable when mode='complete' "
              "and nrows > ncols");
  if (!gQ.defined() && !gR.defined()) return Tensor();
  if (m >= n) {
    Tensor N;
    if (gR.defined()) N = at::matmul(gR, mH(R));
    if (gQ.defined()) {
      Tensor own = at::matmul(mH(Q), gQ);
      N = N.defined() ? N - own : -own;
    }
    Tensor g = at::matmul(Q, mirrored(N));
    if (gQ.defined()) g = g + gQ;
    return at::linalg_solve_triangular(mH(R), g, false, false, false);
  }
  Tensor R1 = at::slice(R, -1, 0, m), R2 = at::slice(R, -1, m, n), g1, g2, inner = gQ;
  if (gR.defined()) {
    g1 = at::slice(gR, -1, 0, m);
    Tensor gR2 = at::slice(gR, -1, m, n);
    g2 = at::matmul(Q, gR2);
    Tensor own = at::matmul(at::matmul(Q, R2), mH(gR2));
    inner = inner.defined() ? inner + own : own;
  }
  Tensor first = qr_backward(inner, g1, Q, R1, "reduced");
  return g2.defined() ? at::cat({first, g2}, -1) : at::constant_pad_nd(first, {0, n - m}, 0);
}

static Tensor column(const Tensor& x, int64_t i) { return at::slice(x, -1, i, i + 1); }

// Q = H_1 ... H_k E with H_i = 1 - tau_i v_i v_i^H. The products H_i ... H_k E and the gradients
// with respect to them are computed from the first to the last one: the inverse of a reflector is
// another one.
std::tuple<Tensor, Tensor> householder_product_backward(const Tensor& grad, const Tensor& result,
                                                        const Tensor& input, const Tensor& tau) {
  const int64_t m = rows_of(input), k = tau.sizes().back();
  if (k == 0 || input.numel() == 0)
    return {at::zeros(input.sizes(), input.options()), at::zeros(tau.sizes(), tau.options())};
  Tensor Q = result, G = grad;
  std::vector<Tensor> columns, taus;
  Tensor one = at::ones(at::native::with_sizes(batch_sizes(input), {1, 1}), input.options());
  for (int64_t i = 0; i < k; ++i) {
    Tensor v = at::cat({one, at::slice(column(input, i), -2, i + 1, m)}, -2);
    if (i > 0) v = at::constant_pad_nd(v, {0, 0, i, 0}, 0);
    Tensor t = at::unsqueeze(column(tau, i), -1);
    Tensor norm = at::matmul(mH(v), v);
    // Undo H_i.
    Tensor sigma = t / (t * norm - 1);
    Q = Q - at::matmul(v * sigma, at::matmul(mH(v), Q));
    Tensor w = at::matmul(mH(v), Q), vG = at::matmul(mH(v), G);
    taus.push_back(-at::select(at::matmul(vG, mH(w)), -1, 0));
    Tensor gv = -conj_of(t) * at::matmul(G, mH(w)) - t * at::matmul(Q, at::matmul(mH(G), v));
    Tensor below = at::slice(gv, -2, i + 1, m);
    columns.push_back(at::constant_pad_nd(below, {0, 0, i + 1, 0}, 0));
    G = G - conj_of(t) * at::matmul(v, vG);
  }
  Tensor gA = at::cat(columns, -1);
  if (columns_of(input) > k) gA = at::constant_pad_nd(gA, {0, columns_of(input) - k}, 0);
  return {gA, at::cat(taus, -1)};
}

std::tuple<Tensor, Tensor, Tensor> ormqr_backward(const Tensor& grad, const Tensor& self,
                                                  const Tensor& tau, const Tensor& other, bool left,
                                                  bool transpose, std::array<bool, 3> mask) {
  Tensor gA, gtau, gC;
  if (mask[2]) gC = at::ormqr(self, tau, grad, left, !transpose);
  if (mask[0] || mask[1]) {
    Tensor gQ;
    if (left) gQ = transpose ? at::matmul(other, mH(grad)) : at::matmul(grad, mH(other));
    else gQ = transpose ? at::matmul(mH(grad), other) : at::matmul(mH(other), grad);
    const int64_t m = rows_of(self);
    Tensor one = at::eye(m, self.options()),
           sized = at::zeros(at::native::with_sizes(batch_sizes(self), {m, m}), self.options());
    Tensor Q = at::ormqr(self, tau, sized + one);
    std::tie(gA, gtau) = householder_product_backward(gQ, Q, self, tau);
  }
  return {gA, gtau, gC};
}

}  // namespace torch::autograd::generated
