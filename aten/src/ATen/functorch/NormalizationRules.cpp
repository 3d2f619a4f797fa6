// Layer, group and batch normalization. Weights of every example are applied afterwards, or, of
// batch normalization, become weights of more channels.

#include <tuple>

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_group_norm.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/reshape.h>

namespace at::functorch {
namespace {

using OptionalTensor = std::optional<Tensor>;

OptionalTensor optional(const IValue& value) {
  if (value.isNone() || !value.toTensor().defined()) return std::nullopt;
  return value.toTensor();
}

Tensor affine(Tensor x, const OptionalTensor& weight, const OptionalTensor& bias,
              IntArrayRef shape) {
  if (weight) x = at::mul(x, at::reshape(*weight, shape));
  if (bias) x = at::add(x, at::reshape(*bias, shape));
  return x;
}

void layer_norm(const BatchCall& call, IValueStack& stack) {
  const Tensor input = stack[0].toTensor();
  const std::vector<int64_t> shape = stack[1].toIntVector();
  const OptionalTensor weight = optional(stack[2]), bias = optional(stack[3]);
  const bool apart = (weight && call.is_batched(*weight)) || (bias && call.is_batched(*bias));
  auto [y, mean, rstd] =
      at::native_layer_norm(call.expanded(input), shape, apart ? std::nullopt : weight,
                            apart ? std::nullopt : bias, stack[4].toDouble());
  Tensor result = call.wrap(y);
  if (apart) result = affine(result, weight, bias, shape);
  stack = IValueStack{result, call.wrap(mean), call.wrap(rstd)};
}

void rms_norm(const BatchCall& call, IValueStack& stack) {
  const Tensor input = stack[0].toTensor();
  const std::vector<int64_t> shape = stack[1].toIntVector();
  const OptionalTensor weight = optional(stack[2]);
  const bool apart = weight && call.is_batched(*weight);
  auto [y, rstd] = at::_fused_rms_norm(
      call.expanded(input), shape, apart ? std::nullopt : weight,
      stack[3].isNone() ? std::nullopt : std::optional<double>(stack[3].toDouble()));
  Tensor result = call.wrap(y);
  if (apart) result = affine(result, weight, std::nullopt, shape);
  if (result.scalar_type() != input.scalar_type())
    result = at::_to_copy(result, TensorOptions(input.scalar_type()));
  stack = IValueStack{result, call.wrap(rstd)};
}

void group_norm(const BatchCall& call, IValueStack& stack) {
  const Tensor input = stack[0].toTensor();
  const OptionalTensor weight = optional(stack[1]), bias = optional(stack[2]);
  const bool apart = (weight && call.is_batched(*weight)) || (bias && call.is_batched(*bias));
  const int64_t n = stack[3].toInt(), c = stack[4].toInt(), groups = stack[6].toInt();
  auto [y, mean, rstd] =
      at::native_group_norm(at::flatten(call.expanded(input), 0, 1), apart ? std::nullopt : weight,
                            apart ? std::nullopt : bias, call.batch_size * n, c, stack[5].toInt(),
                            groups, stack[7].toDouble());
  DimVector sizes(input.sizes());
  sizes.insert(sizes.begin(), call.batch_size);
  Tensor result = call.wrap(at::reshape(y, sizes));
  if (apart) {
    DimVector shape(static_cast<size_t>(input.dim()) - 1, 1);
    shape[0] = c;
    result = affine(result, weight, bias, shape);
  }
  auto per_image = [&](const Tensor& t) {
    return call.wrap(at::reshape(t, {call.batch_size, n, groups}));
  };
  stack = IValueStack{result, per_image(mean), per_image(rstd)};
}

// (B, N, C, ...) becomes (N, B C, ...): the statistics of a channel are those of an example.
void batch_norm(const BatchCall& call, IValueStack& stack) {
  const Tensor input = stack[0].toTensor();
  const int64_t size = call.batch_size, channels = input.sizes()[1];
  const bool training = stack[5].toBool();
  auto channels_of = [&](const IValue& value) -> OptionalTensor {
    const OptionalTensor t = optional(value);
    return t ? OptionalTensor(at::flatten(call.expanded(*t), 0, 1)) : std::nullopt;
  };
  for (int k : {3, 4}) {
    const OptionalTensor running = optional(stack[k]);
    if (!running || !training) continue;
    TORCH_CHECK(call.is_batched(*running),
                "vmap: batch_norm would change running statistics that are the same for all "
                "examples, by values that differ between them. Use a norm without running "
                "statistics (track_running_stats=False), or group norm.");
  }
  const OptionalTensor mean = channels_of(stack[3]), var = channels_of(stack[4]);
  auto [y, saved_mean, saved_rstd] = at::native_batch_norm(
      at::flatten(at::movedim(call.expanded(input), 0, 1), 1, 2), channels_of(stack[1]),
      channels_of(stack[2]), mean, var, training, stack[6].toDouble(), stack[7].toDouble());
  for (int k : {3, 4}) {
    const OptionalTensor& updated = k == 3 ? mean : var;
    if (!updated || !training) continue;
    Tensor to = call.value(stack[k].toTensor());
    if (!updated->is_alias_of(to))
      at::_ops::copy_::call(to, at::reshape(*updated, to.sizes()), false);
  }
  DimVector sizes(input.sizes());
  sizes.insert(sizes.begin() + 1, size);
  Tensor result = at::movedim(at::reshape(y, sizes), 1, 0);
  auto per_channel = [&](const Tensor& t) {
    return call.wrap(t.numel() ? at::reshape(t, {size, channels}) : at::reshape(t, {size, 0}));
  };
  stack = IValueStack{call.wrap(result), per_channel(saved_mean), per_channel(saved_rstd)};
}

}  // namespace

namespace batch_rules {
const RuleEntry layer_norm{&functorch::layer_norm};
const RuleEntry rms_norm{&functorch::rms_norm};
const RuleEntry group_norm{&functorch::group_norm};
const RuleEntry batch_norm{&functorch::batch_norm};
}  // namespace batch_rules

}  // namespace at::functorch
