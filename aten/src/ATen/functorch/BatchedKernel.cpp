// The kernel at FuncTorchBatched: unwraps the highest level, applies a rule, wraps the results.

#include <algorithm>
#include <string_view>

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/VmapLevels.h>
#include <ATen/ops/copy__ops.h>

namespace at::functorch {
namespace {

int64_t highest_level(const IValueStack& stack, size_t begin) {
  int64_t level = 0;
  for (size_t i = begin; i < stack.size(); ++i)
    for_each_tensor(stack[i], [&](const Tensor& t) { level = std::max(level, level_of(t)); });
  return level;
}

int64_t batch_size_of(const IValueStack& stack, int64_t level) {
  int64_t size = 0;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (level_of(t) == level) size = maybe_batched(t)->value().sizes()[0];
    });
  return size;
}

bool changes_first_argument(const FunctionSchema& schema) {
  return !schema.arguments.empty() && schema.arguments[0].type.mutates &&
         schema.arguments[0].type.base == "Tensor" && !schema.arguments[0].type.is_list;
}

bool has_out_argument(const FunctionSchema& schema) {
  for (const auto& a : schema.arguments) {
    if (a.kwarg_only && a.type.mutates) return true;
  }
  return false;
}

// An operator that changes `self` for every example in another way needs a self of every example.
void check_self_is_batched(const BatchCall& call, const Tensor& self) {
  TORCH_CHECK(call.is_batched(self), "vmap: ", call.op.name,
              " changes a tensor in place that is the same for all examples, by values that differ "
              "between them. Use the form that returns a new tensor, or batch the tensor as well.");
}

void run_in_place(const BatchCall& call, IValueStack& arguments) {
  const Tensor self = arguments[0].toTensor();
  check_self_is_batched(call, self);
  const RuleEntry* entry = rules().find(call.op);
  const OperatorEntry* functional = functional_form(call.op);
  if (entry && entry->in_place) {
    entry->rule(call, arguments);
  } else if (functional && rules().find(*functional)) {
    call_boxed(*functional, arguments);
    at::_ops::copy_::call(const_cast<Tensor&>(self), arguments[0].toTensor(), false);
  } else {
    loop_over_batch(call, arguments);
  }
  maybe_batched(self)->refresh_shape();
  if (!call.schema.returns.empty()) arguments[0] = self;
}

void kernel(void*, const OperatorEntry& op, c10::DispatchKeySet keys, IValueStack& stack) {
  const FunctionSchema& schema = schema_of(op);
  const size_t begin = stack.size() - schema.arguments.size();
  const int64_t level = highest_level(stack, begin);
  const RuleEntry* entry = level ? rules().find(op) : nullptr;
  if (!level || (!entry && is_composite(op)))
    return redispatch_boxed(op, keys.below(c10::DispatchKey::FuncTorchBatched), stack);
  vmap_level(level);  // checks that it is running
  IValueStack arguments;
  arguments.insert(arguments.end(), std::make_move_iterator(stack.begin() + begin),
                   std::make_move_iterator(stack.end()));
  stack.resize(begin);
  const BatchCall call{op, schema, level, batch_size_of(arguments, level)};
  TORCH_CHECK(!has_out_argument(schema), op.name,
              ": vmap does not support forms with out=; use the one that returns a new tensor");
  if (changes_first_argument(schema)) run_in_place(call, arguments);
  else if (entry) entry->rule(call, arguments);
  else loop_over_batch(call, arguments);
  for (IValue& value : arguments) stack.push_back(std::move(value));
}

}  // namespace

void install_batched_kernels() {
  static const int64_t installed = [] {
    Override batched;
    batched.boxed = &kernel;
    batched.debug = "aten/src/ATen/functorch/BatchedKernel.cpp";
    install_random_kernels();
    return register_fallback(c10::DispatchKey::FuncTorchBatched, std::move(batched));
  }();
  static_cast<void>(installed);
}

}  // namespace at::functorch
