// Shape and type rules of where, clamp, lerp, addcmul and addcdiv.

#include <cmath>

#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/ternary/clamp.h>
#include <ATen/native/ternary/where.h>
#include <ATen/ops/addcdiv_native.h>
#include <ATen/ops/addcmul_native.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/clamp_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/lerp_native.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/where_native.h>

namespace at {
namespace {

void build_clamp(TensorIteratorBase& iter, const Tensor& self, const std::optional<Scalar>& min,
                 const std::optional<Scalar>& max) {
  TORCH_CHECK(min || max, iter.op_name(), ": At least one of 'min' or 'max' must not be None");
  native::ResultTypeState state;
  state.add(*self.unsafeGetTensorImpl());
  if (min) state.add(*min);
  if (max) state.add(*max);
  TORCH_CHECK_NOT_IMPLEMENTED(!isComplexType(state.result()),
                              "clamp is not supported for complex types");
  iter.build_unary_op_to(self, state.result());
}

void check_same(const char* op, const Tensor& self, const Tensor& t, const char* name) {
  TORCH_CHECK(self.scalar_type() == t.scalar_type(), op, ": expected dtype ",
              dtypeName(self.scalar_type()), " for `", name, "` but got dtype ",
              dtypeName(t.scalar_type()));
}

}  // namespace

namespace meta {

void clamp(TensorIteratorBase& iter, const Tensor& self, const std::optional<Scalar>& min,
           const std::optional<Scalar>& max) {
  build_clamp(iter, self, min, max);
}
void clamp_min(TensorIteratorBase& iter, const Tensor& self, const Scalar& min) {
  build_clamp(iter, self, min, std::nullopt);
}
void clamp_max(TensorIteratorBase& iter, const Tensor& self, const Scalar& max) {
  build_clamp(iter, self, std::nullopt, max);
}

void lerp_Scalar(TensorIteratorBase& iter, const Tensor& self, const Tensor& end, const Scalar&) {
  check_same("lerp", self, end, "end");
  iter.build_binary_op(self, end);
}
void lerp_Tensor(TensorIteratorBase& iter, const Tensor& self, const Tensor& end,
                 const Tensor& weight) {
  check_same("lerp", self, end, "end");
  check_same("lerp", self, weight, "weight");
  iter.build_ternary_op(self, end, weight);
}

void addcmul(TensorIteratorBase& iter, const Tensor& self, const Tensor& tensor1,
             const Tensor& tensor2, const Scalar&) {
  iter.build_ternary_op(self, tensor1, tensor2);
}
void addcdiv(TensorIteratorBase& iter, const Tensor& self, const Tensor& tensor1,
             const Tensor& tensor2, const Scalar&) {
  TORCH_CHECK(
      !isIntegralType(tensor1.scalar_type(), true) || !isIntegralType(tensor2.scalar_type(), true),
      "addcdiv: Integer division with addcdiv is no longer supported: make tensor1 or tensor2 "
      "floating point, or write self + value * torch.div(tensor1, tensor2, rounding_mode='trunc')");
  iter.build_ternary_op(self, tensor1, tensor2);
}

}  // namespace meta

namespace native {

static TensorIterator where_iterator(const Tensor& out, const Tensor& condition, const Tensor& self,
                                     const Tensor& other, ScalarType& dtype) {
  TORCH_CHECK(condition.scalar_type() == kBool || condition.scalar_type() == kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ",
              toString(condition.scalar_type()));
  if (condition.scalar_type() == kByte) {
    TORCH_WARN_ONCE(
        "where received a uint8 condition tensor. This behavior is deprecated; use a boolean "
        "condition instead.");
  }
  dtype = self.scalar_type() == other.scalar_type() ? self.scalar_type() : [&] {
    ResultTypeState state;
    state.add(*self.unsafeGetTensorImpl());
    state.add(*other.unsafeGetTensorImpl());
    return state.result();
  }();
  if (out.defined()) check_output_dtype("where", out, dtype);
  return TensorIteratorConfig("where")
      .add_output(out)
      .add_input(condition)
      .add_input(self)
      .add_input(other)
      .check_all_same_dtype(false)
      .declare_static_dtype(dtype)
      .build();
}

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  Tensor nothing;
  ScalarType dtype;
  auto iter = where_iterator(nothing, condition, self, other, dtype);
  if (iter.needs_kernel()) where_stub(iter.device_type(), iter, dtype);
  return iter.take_output(0);
}

Tensor& where_out(const Tensor& condition, const Tensor& self, const Tensor& other, Tensor& out) {
  ScalarType dtype;
  auto iter = where_iterator(out, condition, self, other, dtype);
  if (iter.needs_kernel()) where_stub(iter.device_type(), iter, dtype);
  return out;
}

Tensor clamp(const Tensor& self, const std::optional<Tensor>& min,
             const std::optional<Tensor>& max) {
  bool low = min && min->defined(), high = max && max->defined();
  TORCH_CHECK(low || high, "clamp: At least one of 'min' or 'max' must not be None");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
  if (!high) return at::maximum(self, *min);
  if (low && self.is_cpu() && min->is_cpu() && max->is_cpu()) {
    // In one pass.
    auto iter = TensorIteratorConfig("clamp")
                    .add_output(Tensor())
                    .add_input(self)
                    .add_input(*min)
                    .add_input(*max)
                    .promote_inputs_to_common_dtype(true)
                    .build();
    if (iter.needs_kernel()) clamp_tensors_stub(iter.device_type(), iter);
    return iter.take_output(0);
  }
  return low ? at::minimum(at::maximum(self, *min), *max) : at::minimum(self, *max);
}

}  // namespace native
}  // namespace at
