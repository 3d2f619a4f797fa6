// The table of rules, and what all rules share.

#include <ATen/functorch/BatchRules.h>

#include <string>

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/functorch/BatchRuleTable.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/unsqueeze.h>

namespace at::functorch {

bool BatchCall::is_batched(const Tensor& t) const { return level_of(t) == level; }

Tensor BatchCall::value(const Tensor& t) const {
  return is_batched(t) ? maybe_batched(t)->value() : t;
}

Tensor BatchCall::expanded(const Tensor& t) const {
  if (!t.defined()) return t;
  if (is_batched(t)) return maybe_batched(t)->value();
  DimVector sizes(t.sizes());
  sizes.insert(sizes.begin(), batch_size);
  return at::expand(t, sizes);
}

Tensor BatchCall::aligned(const Tensor& t, int64_t rank) const {
  if (!t.defined() || !is_batched(t)) return t;
  Tensor x = value(t);
  while (x.dim() - 1 < rank) x = at::unsqueeze(x, 1);
  return x;
}

Tensor BatchCall::wrap(const Tensor& value) const {
  return value.defined() ? make_batched(value, level) : value;
}

void BatchCall::wrap(IValueStack& results) const {
  for (IValue& value : results)
    value = with_tensors(value, [&](const Tensor& t) { return wrap(t); });
}

int BatchCall::index_of(std::string_view argument) const {
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].name == argument) return static_cast<int>(i);
  }
  return -1;
}

const RuleEntry* RuleTable::find(const OperatorEntry& op) const {
  const auto found = rules_.find(&op);
  return found == rules_.end() ? nullptr : &found->second;
}

const RuleTable& rules() {
  static const auto* table = [] {
    auto* made = new RuleTable;
    for (const NamedRule& row : kNamedRules) {
      const OperatorEntry* op = find_operator("aten::" + std::string(row.name), row.overload);
      if (op && (row.rule->in_place || !row.is_in_place_form)) made->add(*op, *row.rule);
    }
    add_copies_of_views(*made);
    return made;
  }();
  return *table;
}

Tensor insert_unit_dim(const Tensor& t, int64_t dim) { return at::unsqueeze(t, dim); }

void call_operator(std::string_view name, std::string_view overload, IValueStack& stack) {
  const OperatorEntry* op = find_operator("aten::" + std::string(name), overload);
  TORCH_INTERNAL_ASSERT(op);
  call_boxed(*op, stack);
}

}  // namespace at::functorch
