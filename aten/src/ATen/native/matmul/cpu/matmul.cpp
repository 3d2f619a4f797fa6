// Matrix products on the CPU: prepares operands for GEMM.

#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/NativeLibraries.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>

namespace at::native {
namespace {

// A matrix in GEMM's form: rows (trans false) or columns contiguous.
struct Operand {
  Tensor copy;  // used if neither is
  const void* data;
  bool trans;
  int64_t ld;
};

// Whether a matrix with these strides has contiguous rows.
bool row_major(int64_t rows, int64_t columns, int64_t s0, int64_t s1) {
  return (s1 == 1 || columns <= 1) && (rows <= 1 || s0 >= std::max<int64_t>(1, columns));
}

Operand operand(const Tensor& t, int64_t first) {
  int64_t rows = t.sizes()[first], columns = t.sizes()[first + 1], s0 = t.strides()[first],
          s1 = t.strides()[first + 1];
  if (row_major(rows, columns, s0, s1))
    return {{}, t.data_ptr(), false, rows <= 1 ? std::max<int64_t>(1, columns) : s0};
  if (row_major(columns, rows, s1, s0))
    return {{}, t.data_ptr(), true, columns <= 1 ? std::max<int64_t>(1, rows) : s1};
  Tensor copy = at::clone(t, MemoryFormat::Contiguous);
  const void* data = copy.data_ptr();
  return {std::move(copy), data, false, std::max<int64_t>(1, columns)};
}

}  // namespace

// out = alpha * a b + beta * out; shapes and types must match.
static void matmul_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b,
                               ComplexDouble alpha, ComplexDouble beta) {
  if (out.numel() == 0) return;
  int64_t m = out.sizes()[0], n = out.sizes()[1], s0 = out.strides()[0], s1 = out.strides()[1];
  bool rows = row_major(m, n, s0, s1), columns = !rows && row_major(n, m, s1, s0);
  if (!rows && !columns) {
    Tensor copy = at::clone(out, MemoryFormat::Contiguous);
    matmul_into_kernel(copy, a, b, alpha, beta);
    Tensor to = out;
    at::_ops::copy_::call(to, copy, false);
    return;
  }
  Operand x = operand(a, 0), y = operand(b, 0);
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

static void batches_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b,
                                ComplexDouble alpha, ComplexDouble beta) {
  if (out.numel() == 0) return;
  int64_t count = out.sizes()[0], m = out.sizes()[1], n = out.sizes()[2];
  if (!row_major(m, n, out.strides()[1], out.strides()[2])) {
    Tensor copy = at::clone(out, MemoryFormat::Contiguous);
    batches_into_kernel(copy, a, b, alpha, beta);
    Tensor to = out;
    at::_ops::copy_::call(to, copy, false);
    return;
  }
  Operand x = operand(a, 1), y = operand(b, 1);
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
  auto step = [](const Operand& o, const Tensor& t) {
    return o.copy.defined() ? o.copy.strides()[0] : t.strides()[0];
  };
  gemm_batched(g, count, step(x, a), step(y, b), out.strides()[0]);
}

static void int8_matmul_kernel(const Tensor& out, const Tensor& a, const Tensor& b) {
  const MkldnnLibrary* mkldnn = mkldnn_library();
  if (!mkldnn || !mkldnn->has_type(kChar) || out.numel() == 0 || a.sizes()[1] == 0)
    return matmul_into_kernel(out, at::_to_copy(a, kInt), at::_to_copy(b, kInt), {1, 0}, {0, 0});
  Operand x = operand(a, 0), y = operand(b, 0);
  GemmArgs g{a.scalar_type()};
  g.m = a.sizes()[0];
  g.n = b.sizes()[1];
  g.k = a.sizes()[1];
  g.a = x.data;
  g.trans_a = x.trans;
  g.lda = x.ld;
  g.b = y.data;
  g.trans_b = y.trans;
  g.ldb = y.ld;
  g.c = out.data_ptr();
  g.ldc = g.n;
  mkldnn->int8_gemm(g);
}

static void dot_into_kernel(const Tensor& out, const Tensor& a, const Tensor& b, bool conj) {
  dot_stub(kCPU, a.scalar_type(), a.numel(), a.data_ptr(), a.strides()[0], b.data_ptr(),
           b.strides()[0], conj, out.data_ptr());
}

REGISTER_ALL_CPU_DISPATCH(matmul_into_stub, &matmul_into_kernel)
REGISTER_ALL_CPU_DISPATCH(batches_into_stub, &batches_into_kernel)
REGISTER_ALL_CPU_DISPATCH(int8_matmul_stub, &int8_matmul_kernel)
REGISTER_ALL_CPU_DISPATCH(dot_into_stub, &dot_into_kernel)

}  // namespace at::native
