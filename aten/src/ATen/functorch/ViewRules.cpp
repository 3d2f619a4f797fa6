// Views and reshapes that take sizes or orders of dimensions.

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/squeeze__ops.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/transpose__ops.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::functorch {
namespace {

std::vector<int64_t> with_batch(const BatchCall& call, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> all{call.batch_size};
  all.insert(all.end(), sizes.begin(), sizes.end());
  return all;
}

// A -1 is inferred from one example: a batch of 0 would leave it open.
std::vector<int64_t> inferred(const Tensor& self, std::vector<int64_t> sizes) {
  int64_t known = 1, open = -1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && open < 0) open = static_cast<int64_t>(d);
    else known *= sizes[d];
  }
  if (open >= 0 && known > 0 && self.numel() % known == 0) sizes[open] = self.numel() / known;
  return sizes;
}

void view(const BatchCall& call, IValueStack& stack) {
  const Tensor& self = stack[0].toTensor();
  const int size = call.index_of("size");
  stack[size] = with_batch(call, inferred(self, stack[size].toIntVector()));
  stack[0] = call.value(self);
  call_boxed(call.op, stack);
  call.wrap(stack);
}

void reshape_alias(const BatchCall& call, IValueStack& stack) {
  const Tensor& self = stack[0].toTensor();
  Tensor value = at::view(call.value(self), with_batch(call, stack[1].toIntVector()));
  stack = IValueStack{call.wrap(value)};
}

void expand(const BatchCall& call, IValueStack& stack) {
  const Tensor& self = stack[0].toTensor();
  const std::vector<int64_t>& sizes = stack[1].toIntVector();
  TORCH_CHECK(static_cast<int64_t>(sizes.size()) >= self.dim(), "expand: the number of sizes (",
              sizes.size(), ") must be at least the number of dimensions of the tensor (",
              self.dim(), ")");
  for (size_t d = 0; d + self.dim() < sizes.size(); ++d)
    TORCH_CHECK(sizes[d] >= 0, "expand: the new dimension ", d, " cannot have the size ", sizes[d]);
  stack = IValueStack{call.wrap(
      at::expand(call.aligned(self, static_cast<int64_t>(sizes.size())), with_batch(call, sizes)))};
}

void permute(const BatchCall& call, IValueStack& stack) {
  const Tensor& self = stack[0].toTensor();
  std::vector<int64_t> order{0};
  for (int64_t d : stack[1].toIntVector()) order.push_back(c10::maybe_wrap_dim(d, self.dim()) + 1);
  stack = IValueStack{call.wrap(at::permute(call.value(self), order))};
}

void as_strided(const BatchCall& call, IValueStack& stack) {
  Tensor value = call.value(stack[0].toTensor());
  std::vector<int64_t> strides = stack[2].toIntVector();
  strides.insert(strides.begin(), value.strides()[0]);
  std::optional<int64_t> offset;
  if (!stack[3].isNone()) offset = stack[3].toInt();
  stack = IValueStack{
      call.wrap(at::as_strided(value, with_batch(call, stack[1].toIntVector()), strides, offset))};
}

std::vector<int64_t> unit_dims(const Tensor& self) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.sizes()[d] == 1) dims.push_back(d + 1);
  }
  return dims;
}

void squeeze_all(const BatchCall& call, IValueStack& stack) {
  const Tensor& self = stack[0].toTensor();
  IValueStack arguments{call.value(self), unit_dims(self)};
  call_operator(call.schema.name == "aten::squeeze" ? "squeeze" : "squeeze_", "dims", arguments);
  stack = IValueStack{call.wrap(arguments[0].toTensor())};
}

void t(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor();
  TORCH_CHECK(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ",
              self.dim(), "D");
  Tensor value = call.value(self);
  const int64_t last = self.dim();  // 2 for a matrix
  const int64_t other = last == 2 ? 1 : last;
  if (call.schema.name == "aten::t_") {
    at::_ops::transpose_::call(value, other, last);
    stack = IValueStack{call.wrap(value)};
  } else {
    stack = IValueStack{call.wrap(at::transpose(value, other, last))};
  }
}

void repeat(const BatchCall& call, IValueStack& stack) {
  const Tensor& self = stack[0].toTensor();
  std::vector<int64_t> repeats = stack[1].toIntVector();
  TORCH_CHECK(static_cast<int64_t>(repeats.size()) >= self.dim(),
              "repeat: the number of repeats must be at least the number of dimensions");
  stack[0] = call.aligned(self, static_cast<int64_t>(repeats.size()));
  repeats.insert(repeats.begin(), 1);
  stack[1] = repeats;
  call_boxed(call.op, stack);
  call.wrap(stack);
}

}  // namespace

namespace batch_rules {
const RuleEntry view{&functorch::view};
const RuleEntry reshape_alias{&functorch::reshape_alias};
const RuleEntry expand{&functorch::expand};
const RuleEntry permute{&functorch::permute};
const RuleEntry as_strided{&functorch::as_strided};
const RuleEntry squeeze_all{&functorch::squeeze_all, true};
const RuleEntry t{&functorch::t, true};
const RuleEntry repeat{&functorch::repeat};
}  // namespace batch_rules

}  // namespace at::functorch
