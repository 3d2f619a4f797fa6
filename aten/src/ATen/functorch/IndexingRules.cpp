// Indexing along one dimension, and embeddings. A batch of indices takes elements by gather and
// puts them by scatter.

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/functorch/IndexRule.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::functorch {
namespace {

// An index along `dim` as one for gather: the same for all other dimensions of these sizes.
Tensor index_for_gather(const Tensor& index, IntArrayRef sizes, int64_t dim) {
  DimVector shape(sizes.size(), 1), full(sizes);
  shape[dim] = full[dim] = index.numel();
  return at::expand(at::reshape(index, shape), full);
}

void shift_dim(const BatchCall& call, IValueStack& stack, int64_t rank) {
  stack[0] = call.expanded(stack[0].toTensor());
  stack[1] = c10::maybe_wrap_dim(stack[1].toInt(), rank) + 1;
}

void index_select(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor(), index = stack[2].toTensor();
  if (self.dim() == 0) return loop_over_batch(call, stack);
  const int64_t dim = c10::maybe_wrap_dim(stack[1].toInt(), self.dim());
  if (!call.is_batched(index)) {
    shift_dim(call, stack, self.dim());
    call_boxed(call.op, stack);
    return call.wrap(stack);
  }
  if (!call.is_batched(self)) {
    Tensor rows = at::index_select(self, dim, at::reshape(call.value(index), {-1}));
    DimVector sizes(rows.sizes());
    sizes[dim] = index.numel();
    sizes.insert(sizes.begin() + dim, call.batch_size);
    stack = IValueStack{call.wrap(at::movedim(at::reshape(rows, sizes), dim, 0))};
    return;
  }
  stack = IValueStack{at::gather(self, dim, index_for_gather(index, self.sizes(), dim))};
}

void index_add(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor(), index = stack[2].toTensor(),
               source = stack[3].toTensor();
  if (self.dim() == 0) return loop_over_batch(call, stack);
  if (!call.is_batched(index)) {
    shift_dim(call, stack, self.dim());
    stack[3] = call.expanded(source);
    call_boxed(call.op, stack);
    return call.wrap(stack);
  }
  const int64_t dim = c10::maybe_wrap_dim(stack[1].toInt(), self.dim());
  Tensor places = index_for_gather(index, source.sizes(), dim);
  const bool adds = call.schema.name == "aten::index_add";
  stack =
      IValueStack{adds ? at::scatter_add(self, dim, places, at::mul(source, stack[4].toScalar()))
                       : at::scatter(self, dim, places, source)};
}

void index_fill(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor(), index = stack[2].toTensor();
  if (self.dim() == 0) return loop_over_batch(call, stack);
  if (!call.is_batched(index)) {
    shift_dim(call, stack, self.dim());
    call_boxed(call.op, stack);
    return call.wrap(stack);
  }
  const int64_t dim = c10::maybe_wrap_dim(stack[1].toInt(), self.dim());
  stack = IValueStack{
      at::scatter(self, dim, index_for_gather(index, self.sizes(), dim), stack[3].toScalar())};
}

void take(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor(), index = stack[1].toTensor();
  if (self.numel() == 0) return loop_over_batch(call, stack);
  Tensor row = at::reshape(index, {-1});
  row = at::where(at::lt(row, Scalar(0)), at::add(row, Scalar(self.numel())), row);
  stack = IValueStack{at::reshape(at::gather(at::reshape(self, {-1}), 0, row), index.sizes())};
}

void embedding(const BatchCall& call, IValueStack& stack) {
  const Tensor weight = stack[0].toTensor(), indices = stack[1].toTensor();
  const int64_t padding = stack[2].toInt();
  if (!call.is_batched(weight)) {
    stack[1] = call.value(indices);
    call_boxed(call.op, stack);
    return call.wrap(stack);
  }
  Tensor table = call.value(weight);
  const int64_t rows = weight.sizes()[0], size = call.batch_size;
  DimVector shape(static_cast<size_t>(indices.dim()) + 1, 1);
  shape[0] = size;
  Tensor first = at::reshape(
      at::arange(Scalar(0), Scalar(size * rows), Scalar(rows), TensorOptions(kLong)), shape);
  Tensor result =
      call.wrap(at::embedding(at::flatten(table, 0, 1), at::add(call.expanded(indices), first)));
  if (padding >= 0) {  // the row of the padding gets no gradient
    Tensor padded = at::unsqueeze(at::eq(indices, Scalar(padding)), -1);
    result = at::where(padded, at::detach(result), result);
  }
  stack = IValueStack{result};
}

void embedding_dense_backward(const BatchCall& call, IValueStack& stack) {
  const Tensor grad = stack[0].toTensor(), indices = stack[1].toTensor();
  const int64_t rows = stack[2].toInt(), padding = stack[3].toInt();
  if (stack[4].toBool()) return loop_over_batch(call, stack);  // by how often each index occurs
  const int64_t width = grad.sizes().back();
  Tensor index = at::reshape(indices, {-1}), flow = at::reshape(grad, {indices.numel(), width});
  if (padding >= 0)
    flow = at::masked_fill(flow, at::unsqueeze(at::eq(index, Scalar(padding)), 1), Scalar(0));
  stack = IValueStack{at::index_add(at::new_zeros(flow, {rows, width}), 0, index, flow)};
}

}  // namespace

namespace batch_rules {
const RuleEntry index_rule{&functorch::index_rule};
const RuleEntry index_put_rule{&functorch::index_put_rule, true};
const RuleEntry index_select{&functorch::index_select};
const RuleEntry index_add{&functorch::index_add};
const RuleEntry index_fill{&functorch::index_fill};
const RuleEntry take{&functorch::take};
const RuleEntry embedding{&functorch::embedding};
const RuleEntry embedding_dense_backward{&functorch::embedding_dense_backward};
}  // namespace batch_rules

}  // namespace at::functorch
