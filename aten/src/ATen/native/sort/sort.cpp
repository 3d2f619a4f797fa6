// sort, topk, kthvalue, median, mode, quantile: shapes, types, and dense operands for the kernel.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/factories/factories.h>
#include <ATen/native/fill/fill.h>
#include <ATen/native/sort/sort.h>
#include <ATen/ops/argsort_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/kthvalue_native.h>
#include <ATen/ops/median_native.h>
#include <ATen/ops/mode_native.h>
#include <ATen/ops/msort_native.h>
#include <ATen/ops/nanmedian_native.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sort_native.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/topk_native.h>

namespace at {
namespace {

void refuse_bool(const char* op, const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.scalar_type() != kBool && !self.is_complex(), "\"", op,
                              "_cpu\" not implemented for '", toString(self.scalar_type()), "'");
}

void set_pair(MetaBase& m, const Tensor& self, IntArrayRef sizes) {
  m.set_output(0, sizes, self.options());
  m.set_output(1, sizes, self.options().dtype(kLong));
}

// One value along the dimension.
void set_one(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  int64_t d = maybe_wrap_dim(dim, self.dim(), m.op_name());
  TORCH_CHECK_INDEX(self.dim() == 0 || self.sizes()[d] != 0, m.op_name(),
                    "(): Expected reduction dim ", d, " to have non-zero size.");
  set_pair(m, self,
           native::reduced_sizes(self.sizes(), self.dim() ? uint64_t(1) << d : 0, keepdim));
}

}  // namespace

namespace meta {

void sort_stable(MetaBase& m, const Tensor& self, std::optional<bool>, int64_t dim, bool) {
  TORCH_CHECK(!self.is_complex(), "sort: Sort does not support complex dtypes on CPU");
  maybe_wrap_dim(dim, self.dim(), "sort");
  DimVector strides = native::strides_in_format(self, MemoryFormat::Preserve);
  m.set_output(0, self.sizes(), self.options(), strides);
  m.set_output(1, self.sizes(), self.options().dtype(kLong), strides);
}

void topk(MetaBase& m, const Tensor& self, int64_t k, int64_t dim, bool, bool) {
  TORCH_CHECK(self.scalar_type() != kBool && !self.is_complex(),
              "topk does not support bool or complex dtypes on CPU");
  int64_t d = maybe_wrap_dim(dim, self.dim(), "topk"), n = self.dim() ? self.sizes()[d] : 1;
  TORCH_CHECK(k >= 0 && k <= n, "topk: selected index k out of range, got ", k, " for size ", n);
  DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[d] = k;
  set_pair(m, self, sizes);
}

void kthvalue(MetaBase& m, const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  refuse_bool("kthvalue", self);
  int64_t d = maybe_wrap_dim(dim, self.dim(), "kthvalue"), n = self.dim() ? self.sizes()[d] : 1;
  TORCH_CHECK_INDEX(n > 0, "kthvalue(): Expected reduction dim ", d, " to have non-zero size.");
  TORCH_CHECK(k >= 1 && k <= n, "kthvalue(): selected number k out of range for dimension ", d,
              ", got ", k, " for size ", n);
  set_one(m, self, dim, keepdim);
}

void median(MetaBase& m, const Tensor& self) {
  refuse_bool("median", self);
  m.set_output(0, {}, self.options());
}
void nanmedian(MetaBase& m, const Tensor& self) { median(m, self); }
void median_dim(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  refuse_bool("median", self);
  set_one(m, self, dim, keepdim);
}
void nanmedian_dim(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  median_dim(m, self, dim, keepdim);
}
void mode(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "\"mode_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  set_one(m, self, dim, keepdim);
}

}  // namespace meta

namespace native {
namespace {

void order(OrderRequest request, const Tensor& self, int64_t dim, const Tensor& values,
           const Tensor& indices) {
  if (values.numel() == 0) return;
  // Bools are compared as they are stored: 1 for all true bytes.
  Tensor x = self.scalar_type() == kBool ? at::ne(self, Scalar(false)) : self;
  x = at::contiguous(x);
  // A result that shares the input's memory would be read after being written.
  if (x.is_alias_of(values)) x = at::clone(x);
  DenseResult v(values, values.scalar_type()), p(indices, kLong);
  order_stub(x.device().type(), request, x, v.tensor(), p.tensor(), dim);
  v.finish();
  p.finish();
}

void median_of_all(OrderKind kind, const Tensor& self, const Tensor& out) {
  if (self.numel() == 0) {
    TORCH_CHECK(self.is_floating_point(), "median: an empty tensor of integers has no median");
    fill_elements(out, NAN);
    return;
  }
  Tensor index = empty_tensor({}, kLong, self.device());
  order({kind}, at::reshape(at::contiguous(self), {-1}), 0, out, index);
}

}  // namespace

void sort_kernel(const Tensor& self, std::optional<bool>, int64_t dim, bool descending,
                 const Tensor& values, const Tensor& indices) {
  order({OrderKind::sort, descending}, self, dim, values, indices);
}
void topk_kernel(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted,
                 const Tensor& values, const Tensor& indices) {
  order({OrderKind::topk, largest, sorted, self.dim() ? k : 1}, self, dim, values, indices);
}
void kthvalue_kernel(const Tensor& self, int64_t k, int64_t dim, bool, const Tensor& values,
                     const Tensor& indices) {
  order({OrderKind::kth, false, true, k}, self, dim, values, indices);
}
void median_kernel(const Tensor& self, const Tensor& out) {
  median_of_all(OrderKind::median, self, out);
}
void nanmedian_kernel(const Tensor& self, const Tensor& out) {
  median_of_all(OrderKind::nanmedian, self, out);
}
void median_dim_kernel(const Tensor& self, int64_t dim, bool, const Tensor& values,
                       const Tensor& indices) {
  order({OrderKind::median}, self, dim, values, indices);
}
void nanmedian_dim_kernel(const Tensor& self, int64_t dim, bool, const Tensor& values,
                          const Tensor& indices) {
  order({OrderKind::nanmedian}, self, dim, values, indices);
}
void mode_kernel(const Tensor& self, int64_t dim, bool, const Tensor& values,
                 const Tensor& indices) {
  order({OrderKind::mode}, self, dim, values, indices);
}

std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim, bool descending) {
  return at::_ops::sort_stable::call(self, false, dim, descending);
}
Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
  return std::get<1>(at::_ops::sort_stable::call(self, false, dim, descending));
}
Tensor argsort(const Tensor& self, bool stable, int64_t dim, bool descending) {
  return std::get<1>(at::_ops::sort_stable::call(self, stable, dim, descending));
}
Tensor msort(const Tensor& self) {
  return std::get<0>(at::_ops::sort_stable::call(self, false, 0, false));
}

}  // namespace native
}  // namespace at
