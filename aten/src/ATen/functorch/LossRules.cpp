// Losses with a reduction: of one example, not of the batch.

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros_like.h>

namespace at::functorch {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

Tensor reduce(const Tensor& losses, int64_t reduction) {
  if (reduction == kMean) return at::mean(losses);
  return reduction == kSum ? at::sum(losses) : losses;
}

void loss(const BatchCall& call, IValueStack& stack) {
  const int at = call.index_of("reduction");
  const int64_t reduction = stack[at].toInt();
  stack[at] = int64_t(kNone);
  if (call.schema.name == "aten::binary_cross_entropy") leading(call, stack);  // never broadcasts
  else elementwise(call, stack);
  stack = IValueStack{reduce(stack[0].toTensor(), reduction)};
}

void loss_backward(const BatchCall& call, IValueStack& stack) {
  const int at = call.index_of("reduction");
  const int64_t reduction = stack[at].toInt();
  if (reduction == kMean) {
    const int64_t count = stack[1].toTensor().numel();
    stack[0] = at::div(stack[0].toTensor(), Scalar(static_cast<double>(count)));
  }
  stack[at] = int64_t(kNone);
  // The gradient of a sum may be the same for all examples while nothing else is batched.
  bool batched = false;
  for (const IValue& value : stack)
    for_each_tensor(value, [&](const Tensor& t) { batched |= call.is_batched(t); });
  if (!batched) return call_boxed(call.op, stack);
  leading(call, stack);
}

// What the losses of class targets share: where the target is ignored, and the weight of each.
struct ClassTargets {
  ClassTargets(const Tensor& self, const Tensor& target, const IValue& weight, int64_t ignored)
      : dim(self.dim() == 1 ? 0 : 1) {
    Tensor skipped = at::eq(target, Scalar(ignored));
    safe = at::masked_fill(target, skipped, Scalar(0));
    if (weight.isNone() || !weight.toTensor().defined()) {
      factor = at::ones_like(safe, TensorOptions(self.scalar_type()));
    } else {
      Tensor rows = at::index_select(at::detach(weight.toTensor()), 0, at::reshape(safe, {-1}));
      factor = at::reshape(rows, safe.sizes());
    }
    factor = at::masked_fill(factor, skipped, Scalar(0));
  }
  int64_t dim;
  Tensor safe, factor;
};

void nll_loss(const BatchCall&, IValueStack& stack) {
  const Tensor self = stack[0].toTensor();
  const ClassTargets targets(self, stack[1].toTensor(), stack[2], stack[4].toInt());
  Tensor picked = at::squeeze(
      at::gather(self, targets.dim, at::unsqueeze(targets.safe, targets.dim)), targets.dim);
  Tensor losses = at::neg(at::mul(picked, targets.factor)), total = at::sum(targets.factor);
  const int64_t reduction = stack[3].toInt();
  if (reduction != kNone) losses = at::sum(losses);
  if (reduction == kMean) losses = at::div(losses, total);
  if (reduction == kNone) total = at::zeros_like(total);
  stack = IValueStack{losses, total};
}

void nll_loss_backward(const BatchCall&, IValueStack& stack) {
  Tensor grad = stack[0].toTensor();
  const Tensor self = stack[1].toTensor();
  const ClassTargets targets(self, stack[2].toTensor(), stack[3], stack[5].toInt());
  if (stack[4].toInt() == kMean) grad = at::div(grad, stack[6].toTensor());
  Tensor flow = at::neg(at::mul(grad, targets.factor));
  stack = IValueStack{at::scatter(at::zeros_like(self), targets.dim,
                                  at::unsqueeze(targets.safe, targets.dim),
                                  at::unsqueeze(flow, targets.dim))};
}

}  // namespace

namespace batch_rules {
const RuleEntry loss{&functorch::loss};
const RuleEntry loss_backward{&functorch::loss_backward};
const RuleEntry nll_loss{&functorch::nll_loss};
const RuleEntry nll_loss_backward{&functorch::nll_loss_backward};
}  // namespace batch_rules

}  // namespace at::functorch
