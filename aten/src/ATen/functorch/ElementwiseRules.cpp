// Operators whose result at a place depends on the arguments at that place, after broadcasting.
//
// Those that are structured on TensorIteratorBase are all of this kind.

#include <algorithm>

#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/unsqueeze.h>

namespace at::functorch {
namespace {

// Type promotion knows tensors without dimensions, and numbers, from others. A batch of such
// tensors has a dimension more, so it is converted beforehand.
struct Promotion {
  Promotion(const IValueStack& stack, int64_t rank) : rank(rank) {
    native::ResultTypeState with_dims;
    ScalarType first = ScalarType::Undefined;
    for (const IValue& value : stack)
      for_each_tensor(value, [&](const Tensor& t) {
        if (!t.defined() || t.unsafeGetTensorImpl()->is_wrapped_number()) return;
        if (first == ScalarType::Undefined) first = t.scalar_type();
        mixed |= first != t.scalar_type();
        if (t.dim() > 0) with_dims.add(*t.unsafeGetTensorImpl());
      });
    type = with_dims.result();
  }
  Tensor convert(const BatchCall& call, const Tensor& t, Tensor value) const {
    if (!mixed || t.unsafeGetTensorImpl()->is_wrapped_number() || t.dim() > 0) return value;
    if (rank == 0) return call.is_batched(t) ? value : at::unsqueeze(value, 0);
    if (!call.is_batched(t) || t.scalar_type() == kBool) return value;
    return category(t.scalar_type()) <= category(type) ? at::_to_copy(value, TensorOptions(type))
                                                       : value;
  }
  static int category(ScalarType type) {
    if (isComplexType(type)) return 3;
    if (isFloatingType(type)) return 2;
    return type == kBool ? 0 : 1;
  }

  int64_t rank;
  ScalarType type;
  bool mixed = false;
};

}  // namespace

void elementwise(const BatchCall& call, IValueStack& stack) {
  int64_t rank = 0;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (t.defined()) rank = std::max(rank, call.rank(t));
    });
  const Promotion promotion(stack, rank);
  for (IValue& value : stack)
    value = with_tensors(value, [&](const Tensor& t) {
      return t.defined() ? promotion.convert(call, t, call.aligned(t, rank)) : t;
    });
  call_boxed(call.op, stack);
  call.wrap(stack);
}

namespace batch_rules {
const RuleEntry elementwise{&functorch::elementwise, true};
}  // namespace batch_rules

}  // namespace at::functorch
