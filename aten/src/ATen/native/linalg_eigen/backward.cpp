// Derivatives of eigenvalues and singular values, and of their vectors.

#include <ATen/native/linalg_eigen/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/all.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/real.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/square.h>
#include <ATen/ops/unsqueeze.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::mH;
using at::native::columns_of;
using at::native::rows_of;

static Tensor diagonal_of(const Tensor& x) { return at::diagonal(x, 0, -2, -1); }

// values[j] - values[i], with ones on the diagonal.
static Tensor differences(const Tensor& values) {
  Tensor d = at::unsqueeze(values, -2) - at::unsqueeze(values, -1);
  return at::masked_fill(d, at::eye(values.sizes().back(), values.options().dtype(at::kBool)), 1);
}

static Tensor skew(const Tensor& x) { return x - mH(x); }

// Vectors are determined up to a factor of length one, on which a loss must not depend: the
// derivative along it must vanish.
static void check_phase(const Tensor& derivative, const char* op) {
  if (!at::native::may_read(derivative)) return;
  TORCH_CHECK(at::item(at::all(at::le(at::abs(derivative), 1e-2))).toBool(), op,
              "_backward: the vectors are determined up to a factor e^{i phi} each, and the loss "
              "depends on "
              "these factors, so that it is not defined well");
}

// A V = V L with columns of V of length one: V^-1 dV = (V^-1 dA V) / E, less a real part that keeps
// the length.
Tensor eig_backward(const Tensor& gL, const Tensor& gV, const Tensor& L, const Tensor& V,
                    bool is_complex) {
  if (!gL.defined() && !gV.defined()) return Tensor();
  Tensor Vh = mH(V), inner;
  if (gV.defined()) {
    Tensor VhgV = at::matmul(Vh, gV), own = diagonal_of(VhgV);
    check_phase(at::imag(own), "linalg_eig");
    Tensor length = at::real(own);
    Tensor g = VhgV - at::matmul(Vh, V) * at::unsqueeze(at::complex(length, length * 0), -2);
    inner = g / conj_of(differences(L));
    inner = inner - at::diag_embed(diagonal_of(inner));
  }
  if (gL.defined()) inner = inner.defined() ? inner + at::diag_embed(gL) : at::diag_embed(gL);
  Tensor gA = at::linalg_solve(Vh, at::matmul(inner, Vh));
  return is_complex ? gA : at::real(gA);
}

Tensor eigh_backward(const Tensor& gL, const Tensor& gV, const Tensor& L, const Tensor& V,
                     bool has_vectors) {
  if (!gL.defined() && !gV.defined()) return Tensor();
  TORCH_CHECK(
      has_vectors,
      "linalg_eigh_backward: the derivative needs the eigenvectors, which were not computed");
  Tensor Vh = mH(V);
  if (!gV.defined()) return at::matmul(V * at::unsqueeze(gL, -2), Vh);
  Tensor VhgV = at::matmul(Vh, gV);
  if (V.is_complex()) check_phase(at::imag(diagonal_of(VhgV)), "linalg_eigh");
  Tensor inner = skew(VhgV) * 0.5 / differences(L);
  inner = inner - at::diag_embed(diagonal_of(inner));
  if (gL.defined()) inner = inner + at::diag_embed(gL);
  return at::matmul(V, at::matmul(inner, Vh));
}

// With dP = U^H dA V: the values change by the diagonal's real part, the rotations of U and V by
// combinations of dP and dP^H over differences of squares. Directions outside of the reduced
// vectors add what is left of dA there.
Tensor svd_backward(const Tensor& full_gU, const Tensor& gS, const Tensor& full_gVh,
                    const Tensor& full_U, const Tensor& S, const Tensor& full_Vh,
                    bool full_matrices, bool has_vectors) {
  if (!full_gU.defined() && !gS.defined() && !full_gVh.defined()) return Tensor();
  TORCH_CHECK(has_vectors,
              "svd_backward: the derivative needs the singular vectors, which were not computed");
  const int64_t m = rows_of(full_U), n = columns_of(full_Vh), k = S.sizes().back();
  Tensor U = full_U, Vh = full_Vh, gU = full_gU, gVh = full_gVh;
  if (full_matrices) {
    U = at::slice(U, -1, 0, k);
    Vh = at::slice(Vh, -2, 0, k);
    if (gU.defined()) gU = at::slice(gU, -1, 0, k);
    if (gVh.defined()) gVh = at::slice(gVh, -2, 0, k);
  }
  if (!gU.defined() && !gVh.defined()) return at::matmul(U * at::unsqueeze(gS, -2), Vh);
  const bool is_complex = U.is_complex();
  Tensor columns = at::unsqueeze(S, -2), rows = at::unsqueeze(S, -1), phase;
  Tensor E = differences(at::square(S));
  Tensor UhgU, VhgV, inner;
  if (gU.defined()) {
    UhgU = skew(at::matmul(mH(U), gU));
    if (is_complex) phase = at::imag(diagonal_of(UhgU));
    inner = UhgU / E * columns;
  }
  if (gVh.defined()) {
    VhgV = skew(at::matmul(Vh, mH(gVh)));
    if (is_complex) {
      Tensor own = at::imag(diagonal_of(VhgV));
      phase = phase.defined() ? phase + own : own;
    }
    Tensor own = rows * (VhgV / E);
    inner = inner.defined() ? inner + own : own;
  }
  if (is_complex) check_phase(phase, "svd");
  inner = inner - at::diag_embed(diagonal_of(inner));
  if (is_complex && UhgU.defined()) inner = inner + at::diag_embed(diagonal_of(UhgU) / (S * 2));
  if (gS.defined()) inner = inner + at::diag_embed(gS);
  Tensor gA;
  if (gU.defined() && m > k) {
    Tensor scaled = gU / columns;
    gA = at::matmul(U, inner) + scaled - at::matmul(U, at::matmul(mH(U), scaled));
  } else {
    gA = at::matmul(U, inner);
  }
  gA = at::matmul(gA, Vh);
  if (gVh.defined() && n > k) {
    Tensor scaled = gVh / rows;
    gA = gA + at::matmul(U, scaled - at::matmul(at::matmul(scaled, mH(Vh)), Vh));
  }
  return gA;
}

}  // namespace torch::autograd::generated
