#pragma once
// Brings the operands of a matrix product into GEMM's form: rows or columns contiguous. The GEMM is
// that of the operands' device.

#include <algorithm>

#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/transpose.h>

namespace at::native {

// A matrix in GEMM's form.
struct MatrixOperand {
  Tensor copy;  // used if neither rows nor columns are contiguous
  const void* data;
  bool trans;
  int64_t ld;
};

// Whether a matrix with these strides has contiguous rows.
inline bool is_row_major(int64_t rows, int64_t columns, int64_t s0, int64_t s1) {
  return (s1 == 1 || columns <= 1) && (rows <= 1 || s0 >= std::max<int64_t>(1, columns));
}

// The matrix of dimensions `first` and `first + 1`.
inline MatrixOperand matrix_operand(const Tensor& t, int64_t first) {
  int64_t rows = t.sizes()[first], columns = t.sizes()[first + 1], s0 = t.strides()[first],
          s1 = t.strides()[first + 1];
  if (is_row_major(rows, columns, s0, s1))
    return {{}, t.data_ptr(), false, rows <= 1 ? std::max<int64_t>(1, columns) : s0};
  if (is_row_major(columns, rows, s1, s0))
    return {{}, t.data_ptr(), true, columns <= 1 ? std::max<int64_t>(1, rows) : s1};
  // The copy has contiguous columns where those of the matrix are, as in that of a repeated column.
  const bool by_columns = s0 == 1 && rows > 1;
  Tensor copy =
      at::clone(by_columns ? at::transpose(t, first, first + 1) : t, MemoryFormat::Contiguous);
  const void* data = copy.data_ptr();
  return {std::move(copy), data, by_columns, std::max<int64_t>(1, by_columns ? rows : columns)};
}

// gemm(GemmArgs) computes out = alpha * a b + beta * out; shapes and types must match.
template <typename Gemm>
void product_into(const Tensor& out, const Tensor& a, const Tensor& b, ComplexDouble alpha,
                  ComplexDouble beta, const Gemm& gemm) {
  if (out.numel() == 0) return;
  int64_t m = out.sizes()[0], n = out.sizes()[1], s0 = out.strides()[0], s1 = out.strides()[1];
  bool rows = is_row_major(m, n, s0, s1), columns = !rows && is_row_major(n, m, s1, s0);
  if (!rows && !columns) {
    Tensor copy = at::clone(out, MemoryFormat::Contiguous);
    product_into(copy, a, b, alpha, beta, gemm);
    Tensor to = out;
    at::_ops::copy_::call(to, copy, false);
    return;
  }
  MatrixOperand x = matrix_operand(a, 0), y = matrix_operand(b, 0);
  GemmArgs g{out.scalar_type()};
  g.k = a.sizes()[1];
  g.c = out.data_ptr();
  g.alpha = alpha;
  g.beta = beta;
  if (rows) {
    g.m = m;
    g.n = n;
    g.a = x.data;
    g.trans_a = x.trans;
    g.lda = x.ld;
    g.b = y.data;
    g.trans_b = y.trans;
    g.ldb = y.ld;
    g.ldc = m <= 1 ? std::max<int64_t>(1, n) : s0;
  } else {
    // C' = B' A'
    g.m = n;
    g.n = m;
    g.a = y.data;
    g.trans_a = !y.trans;
    g.lda = y.ld;
    g.b = x.data;
    g.trans_b = !x.trans;
    g.ldb = x.ld;
    g.ldc = n <= 1 ? std::max<int64_t>(1, m) : s1;
  }
  gemm(g);
}

// The same for batches: gemm(first, count, step_a, step_b, step_c), as gemm_batched.
template <typename Gemm>
void products_into(const Tensor& out, const Tensor& a, const Tensor& b, ComplexDouble alpha,
                   ComplexDouble beta, const Gemm& gemm) {
  if (out.numel() == 0) return;
  int64_t count = out.sizes()[0], m = out.sizes()[1], n = out.sizes()[2];
  if (!is_row_major(m, n, out.strides()[1], out.strides()[2])) {
    Tensor copy = at::clone(out, MemoryFormat::Contiguous);
    products_into(copy, a, b, alpha, beta, gemm);
    Tensor to = out;
    at::_ops::copy_::call(to, copy, false);
    return;
  }
  MatrixOperand x = matrix_operand(a, 1), y = matrix_operand(b, 1);
  GemmArgs g{out.scalar_type()};
  g.m = m;
  g.n = n;
  g.k = a.sizes()[2];
  g.a = x.data;
  g.trans_a = x.trans;
  g.lda = x.ld;
  g.b = y.data;
  g.trans_b = y.trans;
  g.ldb = y.ld;
  g.c = out.data_ptr();
  g.ldc = m <= 1 ? std::max<int64_t>(1, n) : out.strides()[1];
  g.alpha = alpha;
  g.beta = beta;
  auto step = [](const MatrixOperand& o, const Tensor& t) {
    return o.copy.defined() ? o.copy.strides()[0] : t.strides()[0];
  };
  gemm(g, count, step(x, a), step(y, b), out.strides()[0]);
}

}  // namespace at::native
