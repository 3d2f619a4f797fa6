// Convolution. A batch of inputs becomes more images; a batch of weights becomes more groups.

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/add.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/view.h>

namespace at::functorch {
namespace {

// Puts dimension 0 into dimension `dim`: (B, N, C, ...) gives (N, B C, ...) for dim 1.
Tensor batch_into(const Tensor& t, int64_t dim) {
  return at::flatten(at::movedim(t, 0, dim), dim, dim + 1);
}
// The reverse, for B of the size.
Tensor batch_out_of(const Tensor& t, int64_t dim, int64_t size) {
  DimVector sizes(t.sizes());
  sizes[dim] /= size;
  sizes.insert(sizes.begin() + dim, size);
  return at::movedim(at::reshape(t, sizes), dim, 0);
}

void convolution(const BatchCall& call, IValueStack& stack) {
  const Tensor input = stack[0].toTensor(), weight = stack[1].toTensor();
  Tensor bias = stack[2].isNone() ? Tensor() : stack[2].toTensor();
  const int64_t rank = weight.dim();
  TORCH_CHECK(input.dim() == rank, "convolution: expected examples of ", rank,
              " dimensions, but got ", input.dim());
  if (call.batch_size == 0) return loop_over_batch(call, stack);
  const bool transposed = stack[6].toBool();
  const int64_t groups = stack[8].toInt(), size = call.batch_size;
  auto run = [&](const Tensor& x, const Tensor& w, const std::optional<Tensor>& b, int64_t g) {
    return at::convolution(x, w, b, stack[3].toIntVector(), stack[4].toIntVector(),
                           stack[5].toIntVector(), transposed, stack[7].toIntVector(), g);
  };
  const bool fused_bias = bias.defined() && !call.is_batched(bias);
  const std::optional<Tensor> inner_bias = fused_bias ? std::optional(bias) : std::nullopt;
  if (!call.is_batched(weight) && !call.is_batched(input)) {
    stack = IValueStack{run(input, weight, std::nullopt, groups)};
  } else if (!call.is_batched(weight)) {
    Tensor y = run(at::flatten(call.value(input), 0, 1), weight, inner_bias, groups);
    stack = IValueStack{call.wrap(batch_out_of(y, 0, size))};
    if (fused_bias) return;
  } else if (!call.is_batched(input) && groups == 1 && !transposed) {
    // The same images for all weights: more output channels.
    Tensor y = run(input, at::flatten(call.value(weight), 0, 1), std::nullopt, 1);
    stack = IValueStack{call.wrap(batch_out_of(y, 1, size))};
  } else {
    Tensor y = run(batch_into(call.expanded(input), 1), at::flatten(call.value(weight), 0, 1),
                   std::nullopt, groups * size);
    stack = IValueStack{call.wrap(batch_out_of(y, 1, size))};
  }
  if (!bias.defined()) return;
  DimVector shape(static_cast<size_t>(rank) - 1, 1);
  shape[0] = bias.sizes()[0];
  stack[0] = at::add(stack[0].toTensor(), at::view(bias, shape));
}

}  // namespace

namespace batch_rules {
const RuleEntry convolution{&functorch::convolution};
}  // namespace batch_rules

}  // namespace at::functorch
