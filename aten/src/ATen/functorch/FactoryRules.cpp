// New tensors that are made like a batched one, and operators that vmap cannot do.

#include <ATen/core/ivalue.h>
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

void add_factory_rules(RuleTable& table) {
  table.add(&like, {"empty_like", "zeros_like", "ones_like", "full_like"});
  table.add(&new_with_size, {"new_empty", "new_zeros", "new_ones", "new_full"});
}

void add_refusals(RuleTable& table) {
  table.add(&refuse_number, {"_local_scalar_dense", "equal", "allclose"});
  table.add(&refuse_new_storage,
            {"resize_", "resize_as_", "set_", "set_.source_Tensor", "set_.source_Storage",
             "set_.source_Storage_storage_offset", "set_.source_Tensor_storage_offset"},
            true);
  table.add(&refuse_dynamic_shape,
            {"nonzero", "masked_select", "_unique2", "unique_dim", "unique_consecutive",
             "unique_dim_consecutive", "repeat_interleave.Tensor", "bincount"});
}

}  // namespace at::functorch
