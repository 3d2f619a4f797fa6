// Operators that are written in terms of others for batched tensors, although they have kernels.

#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>

namespace at::functorch {
namespace {

void masked_fill(const BatchCall&, IValueStack& stack) {
  const Tensor self = stack[0].toTensor(), value = stack[2].toTensor();
  TORCH_CHECK(value.dim() == 0, "masked_fill: expected a value without dimensions, got ",
              value.dim());
  stack = IValueStack{
      at::where(stack[1].toTensor(), at::_to_copy(value, TensorOptions(self.scalar_type())), self)};
}

void fill(const BatchCall&, IValueStack& stack) {
  TORCH_CHECK(stack[1].toTensor().dim() == 0, "fill_: expected a value without dimensions, got ",
              stack[1].toTensor().dim());
  at::_ops::copy_::call(stack[0].toTensor(), stack[1].toTensor(), false);
}

// Without the check of the classes, which reads elements.
void one_hot(const BatchCall&, IValueStack& stack) {
  const Tensor self = stack[0].toTensor();
  const int64_t classes = stack[1].toInt();
  TORCH_CHECK(classes > 0,
              "vmap: one_hot needs num_classes, which it cannot take from the elements");
  Tensor all = at::arange(Scalar(classes), TensorOptions(self.scalar_type()));
  stack = IValueStack{at::_to_copy(at::eq(at::unsqueeze(self, -1), all), TensorOptions(kLong))};
}

void dist(const BatchCall&, IValueStack& stack) {
  Tensor difference = at::sub(stack[0].toTensor(), stack[1].toTensor());
  stack = IValueStack{at::linalg_vector_norm(difference, stack[2].toScalar())};
}

// Composites that read memory, or strides.
void loop(const BatchCall& call, IValueStack& stack) { loop_over_batch(call, stack); }

void copy_of_view(const BatchCall& call, IValueStack& stack) {
  constexpr size_t kPrefix = 6, kSuffix = 5;  // aten:: and _copy
  const std::string& name = call.schema.name;
  call_operator(name.substr(kPrefix, name.size() - kPrefix - kSuffix), call.schema.overload, stack);
  for (IValue& value : stack)
    value = with_tensors(value, [](const Tensor& t) { return at::clone(t); });
}

}  // namespace

void add_copies_of_views(RuleTable& table) {
  constexpr std::string_view kSuffix = "_copy";
  for (const OperatorEntry* op : all_operators()) {
    const std::string_view name = op->name;
    if (name.size() < kSuffix.size() || name.substr(name.size() - kSuffix.size()) != kSuffix)
      continue;
    const OperatorEntry* view =
        find_operator(name.substr(0, name.size() - kSuffix.size()), op->overload);
    if (!view || !is_view(schema_of(*view)) || table.find(*op) || name == "aten::_to_copy")
      continue;
    table.add(*op, {&copy_of_view});
  }
}

namespace batch_rules {
const RuleEntry masked_fill{&functorch::masked_fill};
const RuleEntry fill{&functorch::fill, true};
const RuleEntry one_hot{&functorch::one_hot};
const RuleEntry dist{&functorch::dist};
const RuleEntry loop{&functorch::loop};
}  // namespace batch_rules

}  // namespace at::functorch
