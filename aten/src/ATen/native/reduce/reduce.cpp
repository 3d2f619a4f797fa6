// sum, mean, prod, all, any, count_nonzero, logsumexp: shapes and types, and the call of
// the reduction.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/all_native.h>
#include <ATen/ops/any_native.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/count_nonzero_native.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logsumexp_native.h>
#include <ATen/ops/mean_native.h>
#include <ATen/ops/nanmean_native.h>
#include <ATen/ops/nansum.h>
#include <ATen/ops/nansum_native.h>
#include <ATen/ops/prod_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/sum_native.h>

namespace at {
namespace {

using native::ReduceKind;

// The type of a result: the requested one, that of out=, or the input's, with `otherwise` for
// integers.
ScalarType result_type(MetaBase& m, const Tensor& self, std::optional<ScalarType> dtype,
                       ScalarType otherwise) {
  if (dtype) return *dtype;
  if (m.form() == OutputForm::out) return m.output(0).scalar_type();
  return isIntegralType(self.scalar_type(), true) ? otherwise : self.scalar_type();
}

void set_reduced(MetaBase& m, const Tensor& self, uint64_t mask, bool keepdim, ScalarType dtype) {
  m.set_output(0, native::reduced_sizes(self.sizes(), mask, keepdim), self.options().dtype(dtype));
}

void set_sum(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
             std::optional<ScalarType> dtype) {
  set_reduced(m, self, native::reduce_mask(dim, self.dim(), m.op_name()), keepdim,
              result_type(m, self, dtype, kLong));
}

void set_mean(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
              std::optional<ScalarType> dtype) {
  ScalarType type = result_type(m, self, dtype, kLong);
  TORCH_CHECK(isFloatingType(type) || isComplexType(type), "mean(): could not infer output dtype. ",
              dtype ? "Optional" : "Input",
              " dtype must be either a floating point or complex dtype. Got: ", toString(type));
  set_reduced(m, self, native::reduce_mask(dim, self.dim(), m.op_name()), keepdim, type);
}

void set_logic(MetaBase& m, const Tensor& self, uint64_t mask, bool keepdim) {
  // uint8 was the type of masks before bool existed, and its results stay uint8.
  set_reduced(m, self, mask, keepdim, self.scalar_type() == kByte ? kByte : kBool);
}

uint64_t mask_of(int64_t dim, const Tensor& self, const char* op) {
  return native::reduce_mask(IntArrayRef(dim), self.dim(), op);
}
// An explicitly empty list reduces nothing here.
uint64_t mask_of(OptionalIntArrayRef dims, const Tensor& self, const char* op) {
  return dims && dims->empty() ? 0 : native::reduce_mask(dims, self.dim(), op);
}

}  // namespace

namespace meta {

void sum(MetaBase& m, const Tensor& self, std::optional<ScalarType> dtype) {
  set_sum(m, self, std::nullopt, false, dtype);
}
void sum_dim_IntList(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                     std::optional<ScalarType> dtype) {
  set_sum(m, self, dim, keepdim, dtype);
}
void nansum(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
            std::optional<ScalarType> dtype) {
  TORCH_CHECK(!self.is_complex(), "nansum on CPU does not support complex inputs");
  set_sum(m, self, dim, keepdim, dtype);
}
void mean(MetaBase& m, const Tensor& self, std::optional<ScalarType> dtype) {
  set_mean(m, self, std::nullopt, false, dtype);
}
void mean_dim(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
              std::optional<ScalarType> dtype) {
  set_mean(m, self, dim, keepdim, dtype);
}
void prod(MetaBase& m, const Tensor& self, std::optional<ScalarType> dtype) {
  set_sum(m, self, std::nullopt, false, dtype);
}
void prod_dim_int(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim,
                  std::optional<ScalarType> dtype) {
  set_sum(m, self, IntArrayRef(dim), keepdim, dtype);
}

void all(MetaBase& m, const Tensor& self) {
  set_logic(m, self, native::reduce_mask(std::nullopt, self.dim(), "all"), false);
}
void all_dim(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  set_logic(m, self, mask_of(dim, self, "all"), keepdim);
}
void all_dims(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  set_logic(m, self, mask_of(dim, self, "all"), keepdim);
}
void any(MetaBase& m, const Tensor& self) {
  set_logic(m, self, native::reduce_mask(std::nullopt, self.dim(), "any"), false);
}
void any_dim(MetaBase& m, const Tensor& self, int64_t dim, bool keepdim) {
  set_logic(m, self, mask_of(dim, self, "any"), keepdim);
}
void any_dims(MetaBase& m, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  set_logic(m, self, mask_of(dim, self, "any"), keepdim);
}

void count_nonzero(MetaBase& m, const Tensor& self, std::optional<int64_t> dim) {
  set_reduced(m, self,
              dim ? mask_of(*dim, self, "count_nonzero")
                  : native::reduce_mask(std::nullopt, self.dim(), "count_nonzero"),
              false, kLong);
}
void count_nonzero_dim_IntList(MetaBase& m, const Tensor& self, IntArrayRef dim) {
  set_reduced(m, self, native::reduce_mask(dim, self.dim(), "count_nonzero"), false, kLong);
}

void logsumexp(MetaBase& m, const Tensor& self, IntArrayRef dim, bool keepdim) {
  ScalarType type =
      isIntegralType(self.scalar_type(), true) ? get_default_dtype() : self.scalar_type();
  set_reduced(m, self, native::reduce_mask(dim, self.dim(), "logsumexp"), keepdim, type);
}

}  // namespace meta

namespace native {
namespace {

void reduce(ReduceKind kind, const char* op, const Tensor& self, uint64_t mask, bool keepdim,
            const Tensor& out) {
  // Computed in the result's type, to which the elements are converted first:
  // sum(dtype=torch.double) of floats adds doubles, sum(dtype=torch.bool) tests for nonzero
  // elements.
  ScalarType compute = out.scalar_type() == kBool ? kBool : reduce_compute_type(out.scalar_type());
  if (compute == kBool) kind = kind == ReduceKind::prod ? ReduceKind::all : ReduceKind::any;
  reduction_stub(self.device().type(), {kind, compute, op}, self, mask, keepdim, out, Tensor());
}

void reduce_logic(ReduceKind kind, const char* op, const Tensor& self, uint64_t mask, bool keepdim,
                  const Tensor& out) {
  reduction_stub(self.device().type(), {kind, kBool, op}, self, mask, keepdim, out, Tensor());
}

uint64_t everything(const Tensor& self) { return reduce_mask(std::nullopt, self.dim(), "reduce"); }

}  // namespace

void sum_kernel(const Tensor& self, std::optional<ScalarType>, const Tensor& out) {
  reduce(ReduceKind::sum, "sum_cpu", self, everything(self), false, out);
}
void sum_kernel(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                std::optional<ScalarType>, const Tensor& out) {
  reduce(ReduceKind::sum, "sum_cpu", self, reduce_mask(dim, self.dim(), "sum"), keepdim, out);
}
void nansum_kernel(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                   std::optional<ScalarType>, const Tensor& out) {
  reduce(ReduceKind::nansum, "nansum_cpu", self, reduce_mask(dim, self.dim(), "nansum"), keepdim,
         out);
}
void mean_kernel(const Tensor& self, std::optional<ScalarType>, const Tensor& out) {
  reduce(ReduceKind::mean, "mean_cpu", self, everything(self), false, out);
}
void mean_kernel(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                 std::optional<ScalarType>, const Tensor& out) {
  reduce(ReduceKind::mean, "mean_cpu", self, reduce_mask(dim, self.dim(), "mean"), keepdim, out);
}
void prod_kernel(const Tensor& self, std::optional<ScalarType>, const Tensor& out) {
  reduce(ReduceKind::prod, "prod_out_cpu", self, everything(self), false, out);
}
void prod_kernel(const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType>,
                 const Tensor& out) {
  reduce(ReduceKind::prod, "prod_out_cpu", self, mask_of(dim, self, "prod"), keepdim, out);
}

Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
               std::optional<ScalarType> dtype) {
  TORCH_CHECK(self.is_floating_point() || self.is_complex(),
              "nanmean(): expected input to have floating point or complex dtype but got ",
              toString(self.scalar_type()));
  Tensor count = at::sum(at::logical_not(at::isnan(self)), dim, keepdim);
  return at::nansum(self, dim, keepdim, dtype) / count;
}

void all_kernel(const Tensor& self, const Tensor& out) {
  reduce_logic(ReduceKind::all, "all", self, everything(self), false, out);
}
void all_kernel(const Tensor& self, int64_t dim, bool keepdim, const Tensor& out) {
  reduce_logic(ReduceKind::all, "all", self, mask_of(dim, self, "all"), keepdim, out);
}
void all_kernel(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, const Tensor& out) {
  reduce_logic(ReduceKind::all, "all", self, mask_of(dim, self, "all"), keepdim, out);
}
void any_kernel(const Tensor& self, const Tensor& out) {
  reduce_logic(ReduceKind::any, "any", self, everything(self), false, out);
}
void any_kernel(const Tensor& self, int64_t dim, bool keepdim, const Tensor& out) {
  reduce_logic(ReduceKind::any, "any", self, mask_of(dim, self, "any"), keepdim, out);
}
void any_kernel(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, const Tensor& out) {
  reduce_logic(ReduceKind::any, "any", self, mask_of(dim, self, "any"), keepdim, out);
}

void count_nonzero_kernel(const Tensor& self, std::optional<int64_t> dim, const Tensor& out) {
  reduce_logic(ReduceKind::count_nonzero, "nonzero_count_cpu", self,
               dim ? mask_of(*dim, self, "count_nonzero") : everything(self), false, out);
}
void count_nonzero_kernel(const Tensor& self, IntArrayRef dim, const Tensor& out) {
  reduce_logic(ReduceKind::count_nonzero, "nonzero_count_cpu", self,
               reduce_mask(dim, self.dim(), "count_nonzero"), false, out);
}

void logsumexp_kernel(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& out) {
  if (self.is_complex()) {
    Tensor o = out;
    copy_(o, at::log(at::sum(at::exp(self), dim, keepdim)), false);
    return;
  }
  reduce(ReduceKind::logsumexp, "logsumexp_cpu", self, reduce_mask(dim, self.dim(), "logsumexp"),
         keepdim, out);
}

}  // namespace native
}  // namespace at
