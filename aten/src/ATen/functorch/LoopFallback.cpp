// Operators without a rule: one call for each example, and the results stacked.

#include <mutex>
#include <set>
#include <string>

#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <c10/util/Exception.h>

namespace at::functorch {
namespace {

void warn_once(const OperatorEntry& op) {
  static std::mutex mutex;
  static std::set<const OperatorEntry*> warned;
  std::lock_guard<std::mutex> lock(mutex);
  if (!warned.insert(&op).second) return;
  TORCH_WARN("vmap: ", op.name, *op.overload ? "." : "", op.overload,
             " has no batching rule, so it is called once for each example, which is slow");
}

}  // namespace

void loop_over_batch(const BatchCall& call, IValueStack& stack, bool warns) {
  for (const auto& r : call.schema.returns) {
    TORCH_CHECK(r.type.alias.empty() || r.type.mutates, "vmap: ", call.op.name,
                " returns a view and has no batching rule");
  }
  TORCH_CHECK(call.batch_size > 0, "vmap: ", call.op.name,
              " has no batching rule, and a batch without examples cannot be looped over");
  if (warns) warn_once(call.op);
  std::vector<IValueStack> examples;
  for (int64_t i = 0; i < call.batch_size; ++i) {
    IValueStack one;
    for (const IValue& value : stack)
      one.push_back(with_tensors(value, [&](const Tensor& t) {
        return call.is_batched(t) ? at::select(call.value(t), 0, i) : t;
      }));
    call_boxed(call.op, one);
    examples.push_back(std::move(one));
  }
  const bool in_place = !call.schema.arguments.empty() && call.schema.arguments[0].type.mutates;
  stack.resize(in_place ? 1 : 0);
  if (in_place) return;
  for (size_t k = 0; k < examples[0].size(); ++k) {
    std::vector<std::vector<Tensor>> gathered;
    for (const IValueStack& one : examples) {
      size_t at = 0;
      for_each_tensor(one[k], [&](const Tensor& t) {
        if (gathered.size() <= at) gathered.emplace_back();
        gathered[at++].push_back(t);
      });
    }
    size_t at = 0;
    stack.push_back(with_tensors(examples[0][k], [&](const Tensor& t) {
      const std::vector<Tensor>& all = gathered[at++];
      return t.defined() ? call.wrap(at::stack(all, 0)) : t;
    }));
  }
}

}  // namespace at::functorch
