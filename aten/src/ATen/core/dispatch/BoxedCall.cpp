// Dispatch of calls whose arguments are on a stack.

#include <ATen/core/dispatch/BoxedCall.h>

#include <optional>

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

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
