// Dispatch of calls whose arguments are on a stack.

#include <ATen/core/dispatch/BoxedCall.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <ATen/core/dispatch/ExplicitOperators.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

bool is_composite(const OperatorEntry& op) {
  auto* const* table = op.overrides ? op.overrides->generated : op.table;
  return op.boxed_caller && table[kUndefinedSlot] && !table[kAutogradSlot];
}

static std::unordered_set<const OperatorEntry*> explicit_operators() {
  std::unordered_set<const OperatorEntry*> found;
  for (const char* name : kExplicitOperators)
    found.insert(find_operator(std::string("aten::") + name));
  // A mode may replace constants that a program makes.
  for (const char* name : {"aten::lift", "aten::lift_fresh", "aten::bernoulli.p"})
    found.insert(find_operator(name));
  return found;
}

bool is_decomposed(const OperatorEntry& op) {
  if (!op.boxed_caller) {  // defined at run time
    const auto composite = [](const auto& m) {
      return m.key == c10::DispatchKey::CompositeImplicitAutograd;
    };
    return op.overrides && !op.overrides->made.empty() &&
           std::all_of(op.overrides->made.begin(), op.overrides->made.end(), composite);
  }
  if (!is_composite(op)) return false;
  static const auto* whole =
      new std::unordered_set<const OperatorEntry*>(explicit_operators());  // lives as the registry
  return !whole->count(&op);
}

bool is_view(const FunctionSchema& schema) {
  for (const auto& r : schema.returns) {
    if (!r.type.alias.empty() && !r.type.mutates) return true;
  }
  return false;
}

bool same_argument_types(const FunctionSchema& a, const FunctionSchema& b, size_t count) {
  if (a.arguments.size() < count || b.arguments.size() != count) return false;
  for (size_t i = 0; i < count; ++i) {
    const SchemaType &x = a.arguments[i].type, &y = b.arguments[i].type;
    if (x.base != y.base || x.is_list != y.is_list || x.optional != y.optional) return false;
  }
  return true;
}

const OperatorEntry* functional_form(const OperatorEntry& op) {
  std::string_view name = op.name;
  if (name.back() != '_') return nullptr;
  name.remove_suffix(1);
  const FunctionSchema& schema = schema_of(op);
  auto fits = [&](const OperatorEntry* other) {
    return other && same_argument_types(schema, schema_of(*other), schema.arguments.size());
  };
  const OperatorEntry* found = find_operator(name, op.overload);
  if (fits(found)) return found;
  // pow.Tensor_Scalar for pow_.Scalar
  for (const std::string& overload : overload_names(name)) {
    found = find_operator(name, overload);
    if (fits(found)) return found;
  }
  return nullptr;
}

void redispatch_boxed(const OperatorEntry& op, c10::DispatchKeySet keys, IValueStack& stack) {
  keys = c10::DispatchKeySet(keys.raw_repr() & op.considered_keys);
  FoundKernel kernel = find_kernel(op, keys);
  if (kernel.override) return kernel.override->boxed(kernel.override->state, op, keys, stack);
  if (!kernel.generated) report_missing_kernel(op, keys);
  op.boxed_caller(op, kernel.generated, keys, stack);
}

void call_boxed(const OperatorEntry& op, IValueStack& stack) {
  if (op.boxed_dispatch) return op.boxed_dispatch(op, op.call, {}, stack);
  uint64_t keys = 0;
  for (const IValue& value : stack)
    for_each_tensor(value,
                    [&](const Tensor& t) { keys |= t.defined() ? t.key_set().raw_repr() : 0; });
  if (!(keys & c10::DispatchKeySet::kBackends))
    keys |= c10::DispatchKeySet(c10::DispatchKey::CPU).raw_repr();
  const auto& tls = c10::impl::tls_local_state;
  const c10::DispatchKeySet set((keys | tls.included | op.added_keys) & ~tls.effective_excluded &
                                op.considered_keys);
  const Override* found = find_kernel(op, set).override;
  if (!found) report_missing_kernel(op, set);
  std::optional<ObservedCall> observed;
  if (g_call_observers) observed.emplace(op, set, "call", nullptr, 0);
  found->boxed(found->state, op, set, stack);
}

}  // namespace at
