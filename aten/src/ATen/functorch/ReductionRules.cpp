// Reductions. Those of all dimensions become reductions of all but the batch.

#include <algorithm>

#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/count_nonzero.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::functorch {
namespace {

bool is_empty(const IValue& dims) {
  return dims.isNone() || (dims.tag() == IValue::Tag::IntList && dims.toIntVector().empty());
}

// With a list of dimensions, of which None or an empty one means all.
void over_dims(const BatchCall& call, IValueStack& stack) {
  const int dim = call.index_of("dim");
  const int64_t rank = stack[0].toTensor().dim();
  Tensor x = call.expanded(stack[0].toTensor());
  if (rank == 0) x = at::unsqueeze(x, 1);
  std::vector<int64_t> dims;
  if (is_empty(stack[dim])) {
    for (int64_t d = 1; d < x.dim(); ++d) dims.push_back(d);
  } else if (stack[dim].isInt()) {
    dims.push_back(c10::maybe_wrap_dim(stack[dim].toInt(), rank) + 1);
  } else {
    for (int64_t d : stack[dim].toIntVector()) dims.push_back(c10::maybe_wrap_dim(d, rank) + 1);
  }
  stack[0] = x;
  if (stack[dim].isInt()) stack[dim] = dims[0];
  else stack[dim] = dims;
  call_boxed(call.op, stack);
  if (rank == 0)
    for (IValue& value : stack)
      value = with_tensors(value,
                           [](const Tensor& t) { return t.dim() == 2 ? at::select(t, 1, 0) : t; });
  call.wrap(stack);
}

// With one optional dimension, None meaning all elements in a row.
void over_dim_or_all(const BatchCall& call, IValueStack& stack) {
  const int dim = call.index_of("dim"), keepdim = call.index_of("keepdim");
  const int64_t rank = stack[0].toTensor().dim();
  if (!stack[dim].isNone()) return over_dims(call, stack);
  stack[0] = at::reshape(call.expanded(stack[0].toTensor()),
                         {call.batch_size, std::max<int64_t>(stack[0].toTensor().numel(), 0)});
  stack[dim] = int64_t(1);
  const bool keeps = stack[keepdim].toBool();
  stack[keepdim] = false;
  call_boxed(call.op, stack);
  if (keeps) {
    DimVector shape(static_cast<size_t>(rank) + 1, 1);
    shape[0] = call.batch_size;
    for (IValue& value : stack)
      value = with_tensors(value, [&](const Tensor& t) { return at::reshape(t, shape); });
  }
  call.wrap(stack);
}

Tensor in_a_row(const BatchCall& call, const Tensor& t) {
  return at::reshape(call.expanded(t), {call.batch_size, t.numel()});
}

// The form of the same operator with a dimension.
void all_elements(const BatchCall& call, IValueStack& stack) {
  const std::string name = call.schema.name.substr(6);
  const bool takes_list = name == "sum" || name == "mean";
  const char* overload = takes_list ? "dim_IntList" : "dim";
  if (name == "mean" || name == "median" || name == "nanmedian" || name == "all" || name == "any")
    overload = "dim";
  if (name == "prod") overload = "dim_int";
  IValueStack all{in_a_row(call, stack[0].toTensor())};
  all.push_back(takes_list ? IValue(std::vector<int64_t>{1}) : IValue(int64_t(1)));
  all.push_back(false);
  if (stack.size() > 1) all.push_back(stack[1]);  // dtype
  call_operator(name, overload, all);
  stack = IValueStack{call.wrap(all[0].toTensor())};
}

// None means all dimensions, and so does an empty list.
void count_nonzero(const BatchCall& call, IValueStack& stack) {
  Tensor x = call.value(stack[0].toTensor());
  const int64_t dim = stack[1].isNone() ? 0 : c10::maybe_wrap_dim(stack[1].toInt(), x.dim() - 1);
  if (stack[1].isNone() || x.dim() == 1)
    x = at::reshape(x, {call.batch_size, stack[0].toTensor().numel()});
  stack = IValueStack{call.wrap(at::count_nonzero(x, IntArrayRef(dim + 1)))};
}

void max_of_all(const BatchCall& call, IValueStack& stack) {
  Tensor x = in_a_row(call, stack[0].toTensor());
  stack = IValueStack{call.wrap(call.schema.name == "aten::max" ? at::amax(x, 1) : at::amin(x, 1))};
}

void trace(const BatchCall& call, IValueStack& stack) {
  Tensor x = call.value(stack[0].toTensor());
  TORCH_CHECK(x.dim() == 3, "trace: expected a matrix, but got tensor with dim ", x.dim() - 1);
  stack = IValueStack{call.wrap(at::sum(at::diagonal(x, 0, 1, 2), 1))};
}

}  // namespace

namespace batch_rules {
const RuleEntry over_dims{&functorch::over_dims};
const RuleEntry over_dim_or_all{&functorch::over_dim_or_all};
const RuleEntry all_elements{&functorch::all_elements};
const RuleEntry count_nonzero{&functorch::count_nonzero};
const RuleEntry max_of_all{&functorch::max_of_all};
const RuleEntry trace{&functorch::trace};
}  // namespace batch_rules

}  // namespace at::functorch
