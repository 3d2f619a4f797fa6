// Operators whose only knowledge of shape is their dimension arguments, which are shifted past the
// batch: scans, sorts, softmax, gathers, joins, and views along a dimension.

#include <algorithm>
#include <array>

#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::functorch {
namespace {

constexpr std::array<std::string_view, 8> kDimArguments{"dim",  "dims", "dim0",      "dim1",
                                                        "dim2", "axis", "dimension", "axis0"};
constexpr std::array<std::string_view, 3> kShapeArguments{"input_sizes", "self_sizes",
                                                          "input_size"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int64_t rank_of_first_tensor(const IValueStack& stack) {
  int64_t rank = -1;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) {
      if (rank < 0 && t.defined()) rank = t.dim();
    });
  return std::max<int64_t>(rank, 0);
}

// The arguments with all tensors expanded over the batch and all dimensions shifted. `added` is 1
// for operators that count dimensions of the result, which has one more.
void shift(const BatchCall& call, IValueStack& stack, int64_t rank, int64_t added, bool unit) {
  const int64_t wrapped = std::max<int64_t>(rank, 1) + added - (rank == 0 && added ? 1 : 0);
  auto shifted = [&](int64_t d) { return c10::maybe_wrap_dim(d, wrapped) + 1; };
  for (size_t i = 0; i < stack.size(); ++i) {
    const std::string& name = call.schema.arguments[i].name;
    IValue& value = stack[i];
    value = with_tensors(value, [&](const Tensor& t) {
      Tensor x = call.expanded(t);
      return x.defined() && unit && x.dim() == 1 ? at::unsqueeze(x, 1) : x;
    });
    if (contains(kDimArguments, name)) {
      if (value.isInt()) {
        value = shifted(value.toInt());
      } else if (value.tag() == IValue::Tag::IntList) {
        std::vector<int64_t> dims = value.toIntVector();
        for (int64_t& d : dims) d = shifted(d);
        value = dims;
      }
    } else if (contains(kShapeArguments, name) && value.tag() == IValue::Tag::IntList) {
      std::vector<int64_t> sizes = value.toIntVector();
      sizes.insert(sizes.begin(), call.batch_size);
      value = sizes;
    }
  }
}

void drop_unit_dim(IValueStack& results) {
  for (IValue& value : results)
    value = with_tensors(
        value, [](const Tensor& t) { return t.defined() && t.dim() == 2 ? at::squeeze(t, 1) : t; });
}

void along_dim(const BatchCall& call, IValueStack& stack) {
  const int64_t rank = rank_of_first_tensor(stack);
  shift(call, stack, rank, 0, rank == 0);
  call_boxed(call.op, stack);
  if (rank == 0) drop_unit_dim(stack);
  call.wrap(stack);
}

// unbind gives tensors with a dimension less, so examples without dimensions have none to unbind.
void view_along_dim(const BatchCall& call, IValueStack& stack) {
  const int64_t rank = rank_of_first_tensor(stack);
  const bool squeezes = call.schema.name == "aten::squeeze" || call.schema.name == "aten::squeeze_";
  TORCH_CHECK_INDEX(rank > 0 || squeezes || call.schema.name == "aten::transpose" ||
                        call.schema.name == "aten::unfold" ||
                        call.schema.name == "aten::transpose_",
                    call.op.name, ": examples have no dimensions");
  shift(call, stack, rank, 0, rank == 0 && !squeezes);
  if (rank == 0 && squeezes) {  // nothing to squeeze, once the dimension is checked
    stack[1] = std::vector<int64_t>{};
    stack.resize(2);
    call_operator(call.schema.name.back() == '_' ? "squeeze_" : "squeeze", "dims", stack);
    return call.wrap(stack);
  }
  call_boxed(call.op, stack);
  if (rank == 0 && call.schema.name == "aten::unfold")
    stack[0] = at::squeeze(stack[0].toTensor(), 1);
  else if (rank == 0) drop_unit_dim(stack);
  call.wrap(stack);
}

// Tensors of one dimension without elements join any others.
void cat(const BatchCall& call, IValueStack& stack) {
  std::vector<Tensor> joined;
  int64_t rank = 0;
  for (const Tensor& t : stack[0].toTensorVector()) rank = std::max(rank, t.dim());
  for (const Tensor& t : stack[0].toTensorVector()) {
    if (t.dim() == rank || t.dim() != 1 || t.numel() != 0) joined.push_back(t);
  }
  stack[0] = joined;
  along_dim(call, stack);
}

void new_dim(const BatchCall& call, IValueStack& stack) {
  shift(call, stack, rank_of_first_tensor(stack), 1, false);
  call_boxed(call.op, stack);
  call.wrap(stack);
}

// Gradients of views: the shape that they get is that of an example.
void view_backward(const BatchCall& call, IValueStack& stack) {
  const int shape = std::max(call.index_of("input_sizes"), call.index_of("input_size"));
  const auto rank = static_cast<int64_t>(stack[shape].toIntVector().size());
  if (rank == 0) return loop_over_batch(call, stack);
  shift(call, stack, rank, 0, false);
  call_boxed(call.op, stack);
  call.wrap(stack);
}

// roll without dims rolls all elements in a row.
void roll(const BatchCall& call, IValueStack& stack) {
  const int dims = call.index_of("dims");
  if (!stack[dims].toIntVector().empty()) return along_dim(call, stack);
  Tensor x = call.value(stack[0].toTensor());
  stack[0] = at::reshape(x, {call.batch_size, -1});
  stack[dims] = std::vector<int64_t>{1};
  call_boxed(call.op, stack);
  stack[0] = call.wrap(at::reshape(stack[0].toTensor(), x.sizes()));
}

}  // namespace

namespace batch_rules {
const RuleEntry along_dim{&functorch::along_dim, true};
const RuleEntry view_along_dim{&functorch::view_along_dim, true};
const RuleEntry new_dim{&functorch::new_dim, true};
const RuleEntry view_backward{&functorch::view_backward};
const RuleEntry cat{&functorch::cat};
const RuleEntry roll{&functorch::roll};
}  // namespace batch_rules

}  // namespace at::functorch
