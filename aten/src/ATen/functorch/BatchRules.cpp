// The table of rules, and what all rules share.

#include <ATen/functorch/BatchRules.h>

#include <string>

#include <ATen/core/dispatch/KernelOverrides.h>
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

void RuleTable::add(Rule rule, std::initializer_list<std::string_view> names, bool in_place) {
  for (std::string_view name : names) {
    const size_t dot = name.find('.');
    const std::string base = "aten::" + std::string(name.substr(0, dot));
    const std::string_view overload = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    if (const OperatorEntry* op = find_operator(base, overload)) rules_[op] = {rule, in_place};
    if (!in_place) continue;
    if (const OperatorEntry* op = find_operator(base + "_", overload)) rules_[op] = {rule, true};
  }
}

const RuleEntry* RuleTable::find(const OperatorEntry& op) const {
  const auto found = rules_.find(&op);
  return found == rules_.end() ? nullptr : &found->second;
}

const RuleTable& rules() {
  static const auto* table = [] {
    auto* made = new RuleTable;
    for (auto* add : {&add_elementwise_rules, &add_dim_rules, &add_reduction_rules, &add_view_rules,
                      &add_matmul_rules, &add_indexing_rules, &add_leading_rules, &add_fold_rules,
                      &add_convolution_rules, &add_normalization_rules, &add_loss_rules,
                      &add_factory_rules, &add_decompositions, &add_refusals})
      add(*made);
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
