// New tensors that are made like a batched one, and operators that vmap cannot do.

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>

namespace at::functorch {
namespace {

void like(const BatchCall& call, IValueStack& stack) {
  const int format = call.index_of("memory_format");
  if (format >= 0 && !stack[format].isNone() &&
      stack[format].toInt() != static_cast<int64_t>(MemoryFormat::Preserve))
    stack[format] = MemoryFormat::Contiguous;
  stack[0] = call.value(stack[0].toTensor());
  call_boxed(call.op, stack);
  call.wrap(stack);
}

void new_with_size(const BatchCall& call, IValueStack& stack) {
  const int size = call.index_of("size");
  std::vector<int64_t> sizes = stack[size].toIntVector();
  sizes.insert(sizes.begin(), call.batch_size);
  stack[size] = sizes;
  stack[0] = call.value(stack[0].toTensor());
  call_boxed(call.op, stack);
  call.wrap(stack);
}

void refuse_number(const BatchCall& call, IValueStack&) {
  TORCH_CHECK(false, "vmap: ", call.op.name,
              " takes a number out of a tensor, but the tensor stands for ", call.batch_size,
              " examples with a number each. Replace .item(), float(), int() and `if` on tensors "
              "by operators on tensors, such as torch.where.");
}

void refuse_dynamic_shape(const BatchCall& call, IValueStack&) {
  TORCH_CHECK(false, "vmap: the shape of the result of ", call.op.name,
              " depends on the elements, so that it may differ between examples");
}

void refuse_new_storage(const BatchCall& call, IValueStack&) {
  TORCH_CHECK(false, "vmap: ", call.op.name, " would change the memory that all examples share");
}

}  // namespace

namespace batch_rules {
const RuleEntry like{&functorch::like};
const RuleEntry new_with_size{&functorch::new_with_size};
const RuleEntry refuse_number{&functorch::refuse_number};
const RuleEntry refuse_new_storage{&functorch::refuse_new_storage, true};
const RuleEntry refuse_dynamic_shape{&functorch::refuse_dynamic_shape};
}  // namespace batch_rules

}  // namespace at::functorch
