// cumsum, cumprod, cummax, cummin, logcumsumexp, diff: shapes, dtypes, and dense operands for the
// kernels.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/scan/scan.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/cummax_native.h>
#include <ATen/ops/cummin_native.h>
#include <ATen/ops/cumprod_native.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/cumsum_native.h>
#include <ATen/ops/diff_native.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/log_softmax_native.h>
#include <ATen/ops/logcumsumexp_native.h>
#include <ATen/ops/logical_xor.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/softmax_native.h>

namespace at {
namespace {

void set_scan(MetaBase& m, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  maybe_wrap_dim(dim, self.dim(), m.op_name());
  ScalarType type = dtype                                      ? *dtype
                    : m.form() != OutputForm::functional       ? m.output(0).scalar_type()
                    : isIntegralType(self.scalar_type(), true) ? kLong
                                                               : self.scalar_type();
  m.set_output(0, self.sizes(), self.options().dtype(type));
}

void set_extremes(MetaBase& m, const Tensor& self, int64_t dim) {
  maybe_wrap_dim(dim, self.dim(), m.op_name());
  m.set_output(0, self.sizes(), self.options());
  m.set_output(1, self.sizes(), self.options().dtype(kLong));
}

}  // namespace

namespace meta {

void cumsum(MetaBase& m, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  set_scan(m, self, dim, dtype);
}
void cumprod(MetaBase& m, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  set_scan(m, self, dim, dtype);
}
void logcumsumexp(MetaBase& m, const Tensor& self, int64_t dim) {
  maybe_wrap_dim(dim, self.dim(), "logcumsumexp");
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point() || self.is_complex(),
                              "\"logcumsumexp_out_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  m.set_output(0, self.sizes(), self.options());
}
void cummax(MetaBase& m, const Tensor& self, int64_t dim) { set_extremes(m, self, dim); }
void cummin(MetaBase& m, const Tensor& self, int64_t dim) { set_extremes(m, self, dim); }

}  // namespace meta

namespace native {
namespace {

void scan(ScanKind kind, const Tensor& self, int64_t dim, const Tensor& out,
          const Tensor& index_result = {}) {
  if (out.numel() == 0) return;
  if (index_result.defined() && self.dim() == 0) {
    // Nothing is compared: types without an order have an extreme, too.
    Tensor value = out, index = index_result;
    copy_(value, self, false);
    at::fill_(index, 0);
    return;
  }
  // Long lines are read where they are.
  constexpr int64_t kLongLine = 1024;
  const bool by_lines = self.is_cpu() && self.dim() > 0 &&
                        self.sizes()[maybe_wrap_dim(dim, self.dim())] >= kLongLine &&
                        line_steps(self, dim);
  // Extremes are computed in place, except for half types, which are compared as floats.
  const ScalarType type =
      index_result.defined() && isReducedFloatingType(out.scalar_type()) && !by_lines
          ? kFloat
          : out.scalar_type();
  Tensor x = index_result.defined() && self.scalar_type() != type ? at::_to_copy(self, type) : self;
  if (!by_lines) x = at::contiguous(x);
  DenseResult values(out, type), indices(index_result, kLong);
  scan_stub(x.device().type(), kind, x, values.tensor(), indices.tensor(), dim);
  values.finish();
  indices.finish();
}

}  // namespace

void cumsum_kernel(const Tensor& self, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  scan(ScanKind::sum, self, dim, out);
}
void cumprod_kernel(const Tensor& self, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  scan(ScanKind::prod, self, dim, out);
}
void cummax_kernel(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  scan(ScanKind::max, self, dim, values, indices);
}
void cummin_kernel(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  scan(ScanKind::min, self, dim, values, indices);
}
void logcumsumexp_kernel(const Tensor& self, int64_t dim, const Tensor& out) {
  scan(ScanKind::logsumexp, self, dim, out);
}

Tensor diff(const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend,
            const std::optional<Tensor>& append) {
  TORCH_CHECK(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  TORCH_CHECK(n >= 0, "order must be non-negative but got ", n);
  int64_t d = maybe_wrap_dim(dim, self.dim(), "diff");
  if (n == 0) return at::clone(self);
  std::vector<Tensor> parts;
  if (prepend && prepend->defined()) parts.push_back(*prepend);
  parts.push_back(self);
  if (append && append->defined()) parts.push_back(*append);
  if (parts.size() == 1 && self.sizes()[d] == 0) return at::clone(self);
  Tensor t = parts.size() == 1 ? self : at::cat(parts, d);
  for (int64_t k = 0; k < n; ++k) {
    int64_t length = t.sizes()[d];
    if (length == 0) break;
    // A tensor without elements only gets a shorter shape (and is not a view).
    if (t.numel() == 0 || n - k >= length)
      return at::clone(at::narrow(t, d, 0, std::max<int64_t>(0, length - (n - k))));
    Tensor after = at::narrow(t, d, 1, length - 1), before = at::narrow(t, d, 0, length - 1);
    t = t.scalar_type() == kBool ? at::logical_xor(after, before) : after - before;
  }
  return t;
}

}  // namespace native
}  // namespace at
