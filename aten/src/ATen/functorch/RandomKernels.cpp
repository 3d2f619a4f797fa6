// Random operators under vmap: the randomness of each level says whether examples get numbers of
// their own, the same ones, or an error.

#include <algorithm>

#include <string_view>

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/VmapLevels.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/select.h>
#include <ATen/ops/unsqueeze.h>

namespace at::functorch {
namespace {

bool is_like(const FunctionSchema& schema) {
  return schema.name.size() > 5 && schema.name.substr(schema.name.size() - 5) == "_like";
}

bool has_batched(const IValueStack& stack, int64_t level) {
  bool found = false;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) { found |= t.defined() && level_of(t) == level; });
  return found;
}

// The tensors expanded over the batch, with dimensions put in so that examples broadcast as they
// would.
void align(const BatchCall& call, IValueStack& stack) {
  int64_t rank = 0;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (t.defined()) rank = std::max(rank, call.rank(t));
    });
  for (IValue& value : stack)
    value = with_tensors(value, [&](const Tensor& t) {
      Tensor x = call.expanded(t);
      while (x.defined() && x.dim() - 1 < rank) x = at::unsqueeze(x, 1);
      return x;
    });
}

// The numbers of all examples in one call.
void draw_for_all(const BatchCall& call, IValueStack& stack) {
  const int size = call.index_of("size");
  if (size >= 0 && stack[size].tag() == IValue::Tag::IntList) {
    std::vector<int64_t> sizes = stack[size].toIntVector();
    sizes.insert(sizes.begin(), call.batch_size);
    stack[size] = sizes;
  } else if (call.index_of("n") == 0 || call.schema.name == "aten::multinomial") {
    return loop_over_batch(call, stack, false);
  } else if (const int high = call.index_of("high"); high >= 0 && stack[high].isTensor()) {
    // One bound for all numbers of a call.
    if (call.is_batched(stack[high].toTensor())) return loop_over_batch(call, stack, false);
    stack[0] = call.expanded(stack[0].toTensor());
  } else {
    align(call, stack);
  }
  call_boxed(call.op, stack);
  call.wrap(stack);
}

void draw_in_place(const BatchCall& call, Randomness randomness, IValueStack& stack) {
  const Tensor self = stack[0].toTensor();
  if (!call.is_batched(self)) {
    TORCH_CHECK(randomness == Randomness::Same, "vmap: ", call.op.name,
                " cannot give the examples different numbers in a tensor that is the same for all");
    TORCH_CHECK(!has_batched(stack, call.level), "vmap: ", call.op.name,
                " changes a tensor that is the same for all examples by arguments that differ");
    return call_boxed(call.op, stack);
  }
  Tensor value = call.value(self);
  if (randomness == Randomness::Different) {
    align(call, stack);
    stack[0] = value;
    call_boxed(call.op, stack);
  } else {
    Tensor one = at::clone(at::select(value, 0, 0));
    stack[0] = one;
    TORCH_CHECK(!has_batched(stack, call.level), "vmap: ", call.op.name,
                " cannot draw the same numbers for arguments that differ between examples");
    call_boxed(call.op, stack);
    at::_ops::copy_::call(value, one, false);
  }
  stack = IValueStack{self};
}

void draw_same(const BatchCall& call, IValueStack& stack) {
  if (is_like(call.schema) && call.is_batched(stack[0].toTensor()))
    stack[0] = at::select(call.value(stack[0].toTensor()), 0, 0);
  TORCH_CHECK(!has_batched(stack, call.level), "vmap: ", call.op.name,
              " cannot draw the same numbers for arguments that differ between examples");
  call_boxed(call.op, stack);
}

void kernel(void*, const OperatorEntry& op, c10::DispatchKeySet keys, IValueStack& stack) {
  TORCH_CHECK(
      !is_random_refused(), op.name,
      " draws random numbers in a function whose derivatives are computed column by column. "
      "Say by randomness='same' or 'different' whether all columns get the same.");
  const int64_t level = current_level();
  const FunctionSchema& schema = schema_of(op);
  if (level == 0)
    return redispatch_boxed(op, keys.below(c10::DispatchKey::FuncTorchVmapMode), stack);
  const VmapLevel current = vmap_level(level);
  TORCH_CHECK(current.randomness != Randomness::Error, "vmap: ", op.name,
              " draws random numbers. Say by randomness='different' that every example gets "
              "numbers of its own, or by randomness='same' that all get the same.");
  const size_t begin = stack.size() - schema.arguments.size();
  IValueStack arguments;
  arguments.insert(arguments.end(), std::make_move_iterator(stack.begin() + begin),
                   std::make_move_iterator(stack.end()));
  stack.resize(begin);
  const BatchCall call{op, schema, level, current.batch_size};
  WithoutInnermostLevel outer;
  if (!schema.arguments.empty() && schema.arguments[0].type.mutates)
    draw_in_place(call, current.randomness, arguments);
  else if (current.randomness == Randomness::Different) draw_for_all(call, arguments);
  else draw_same(call, arguments);
  for (IValue& value : arguments) stack.push_back(std::move(value));
}

// Operators that draw numbers themselves; composites call these.
bool draws_numbers(const OperatorEntry& op) {
  const std::string_view name = op.name;
  if (name == "aten::native_dropout") return true;
  for (std::string_view factory : {"aten::rand", "aten::randn", "aten::randint", "aten::randperm",
                                   "aten::rand_like", "aten::randn_like", "aten::randint_like"}) {
    if (name == factory) return true;
  }
  if (is_composite(op) && name.substr(0, 11) != "aten::norma" && name != "aten::bernoulli")
    return false;
  for (const auto& a : schema_of(op).arguments) {
    if (a.type.base == "Generator") return true;
  }
  return false;
}

}  // namespace

void install_random_kernels() {
  for (OperatorEntry* op : all_operators()) {
    if (std::string_view(op->name).substr(0, 6) != "aten::" || !draws_numbers(*op)) continue;
    Override random;
    random.boxed = &kernel;
    random.debug = "aten/src/ATen/functorch/RandomKernels.cpp";
    register_override(*op, c10::DispatchKey::FuncTorchVmapMode, std::move(random));
  }
}

}  // namespace at::functorch
