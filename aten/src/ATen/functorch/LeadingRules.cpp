// Operators that take any number of leading dimensions, so that the batch is one more of them:
// copies, padding, triangles, and linear algebra over batches of matrices.

#include <algorithm>

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

namespace at::functorch {
namespace {

// A memory format names the dimensions of one example.
void drop_memory_format(const BatchCall& call, IValueStack& stack) {
  const int format = call.index_of("memory_format");
  if (format < 0 || stack[format].isNone()) return;
  const auto given = static_cast<MemoryFormat>(stack[format].toInt());
  if (given == MemoryFormat::ChannelsLast || given == MemoryFormat::ChannelsLast3d)
    stack[format] = MemoryFormat::Preserve;
}

// A part that was not asked for is an empty tensor.
void wrap_leading(const BatchCall& call, IValueStack& results) {
  for (IValue& value : results)
    value = with_tensors(value, [&](const Tensor& t) {
      const bool absent = t.dim() == 1 && t.numel() == 0 && call.batch_size != 0;
      return call.wrap(absent ? at::expand(t, {call.batch_size, 0}) : t);
    });
}

}  // namespace

void leading(const BatchCall& call, IValueStack& stack) {
  int64_t rank = 0;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (t.defined()) rank = std::max(rank, t.dim());
    });
  for (IValue& value : stack)
    value = with_tensors(value, [&](const Tensor& t) {
      if (!t.defined()) return t;
      Tensor x = call.expanded(t);
      while (x.dim() <= rank) x = at::unsqueeze(x, 1);
      return x;
    });
  drop_memory_format(call, stack);
  call_boxed(call.op, stack);
  wrap_leading(call, stack);
}

namespace {

// Tensors of different rank, such as matrices and their pivots.
void leading_as_they_are(const BatchCall& call, IValueStack& stack) {
  for (IValue& value : stack)
    value = with_tensors(value, [&](const Tensor& t) { return call.expanded(t); });
  call_boxed(call.op, stack);
  wrap_leading(call, stack);
}

// Its memory must be pairs of numbers, which a batch in the last dimension is not.
void view_as_complex(const BatchCall& call, IValueStack& stack) {
  Tensor value = call.value(stack[0].toTensor());
  if (value.dim() > 1 && value.strides().back() != 1) value = at::contiguous(value);
  stack[0] = value;
  call_boxed(call.op, stack);
  call.wrap(stack);
}

// One example's failure is an error of the whole batch.
void check_errors(const BatchCall& call, IValueStack& stack) {
  stack[0] = call.value(stack[0].toTensor());
  stack[2] = false;
  call_boxed(call.op, stack);
}

// Examples that are matrices, or batches of them, of different rank: only the ranks of the
// arguments themselves decide what a vector is, so unequal ones are looped over.
void leading_of_equal_rank(const BatchCall& call, IValueStack& stack) {
  int64_t rank = -1;
  bool equal = true;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (!t.defined()) return;
      equal &= rank < 0 || rank == t.dim();
      rank = t.dim();
    });
  if (equal && rank >= 2) return leading(call, stack);
  loop_over_batch(call, stack);
}

}  // namespace

namespace batch_rules {
const RuleEntry leading{&functorch::leading};
const RuleEntry leading_as_they_are{&functorch::leading_as_they_are};
const RuleEntry view_as_complex{&functorch::view_as_complex};
const RuleEntry check_errors{&functorch::check_errors};
const RuleEntry leading_of_equal_rank{&functorch::leading_of_equal_rank};
}  // namespace batch_rules

}  // namespace at::functorch
