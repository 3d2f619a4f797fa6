// Connectionist temporal classification (Graves et al. 2006): checks, shapes and reductions.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/_ctc_loss.h>
#include <ATen/ops/_ctc_loss_backward.h>
#include <ATen/ops/_ctc_loss_backward_native.h>
#include <ATen/ops/_ctc_loss_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/ctc_loss.h>
#include <ATen/ops/ctc_loss_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <limits>

namespace at {
namespace {

void check_inputs(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                  IntArrayRef target_lengths, int64_t blank) {
  // Kernels of GPUs copy targets.
  if (!targets.is_cpu()) native::check_same_device("ctc_loss", {&log_probs, &targets});
  TORCH_CHECK(log_probs.dim() == 3,
              "ctc_loss: expected log_probs of shape (time, batch, classes), got ",
              log_probs.sizes());
  TORCH_CHECK(log_probs.numel() > 0, "ctc_loss: log_probs tensor must not be empty, got shape ",
              log_probs.sizes());
  TORCH_CHECK_NOT_IMPLEMENTED(
      log_probs.scalar_type() == kFloat || log_probs.scalar_type() == kDouble,
      "\"ctc_loss_cpu\" not implemented for '", toString(log_probs.scalar_type()), "'");
  ScalarType type = targets.scalar_type();
  TORCH_CHECK(type == kLong || type == kInt, "ctc_loss: targets must be of type Long or Int, got ",
              toString(type));
  const int64_t time = log_probs.sizes()[0], batch = log_probs.sizes()[1],
                classes = log_probs.sizes()[2];
  TORCH_CHECK(blank >= 0 && blank < classes, "ctc_loss: blank must be in label range, from 0 to ",
              classes - 1, ", got ", blank);
  TORCH_CHECK(static_cast<int64_t>(input_lengths.size()) == batch,
              "ctc_loss: input_lengths must be of size batch_size ", batch, ", got ",
              input_lengths.size());
  TORCH_CHECK(static_cast<int64_t>(target_lengths.size()) == batch,
              "ctc_loss: target_lengths must be of size batch_size ", batch, ", got ",
              target_lengths.size());
  TORCH_CHECK(
      targets.dim() == 1 || (targets.dim() == 2 && targets.sizes()[0] == batch),
      "ctc_loss: expected targets of shape (batch, length) or (sum of target_lengths), got ",
      targets.sizes());
  const int64_t limit = targets.sizes().back();
  int64_t total = 0;
  for (int64_t b = 0; b < batch; ++b) {
    const auto k = static_cast<size_t>(b);
    TORCH_CHECK(input_lengths[k] >= 0 && input_lengths[k] <= time,
                "ctc_loss: Expected input_lengths to have value at most ", time,
                " and at least 0, but got value ", input_lengths[k]);
    TORCH_CHECK(target_lengths[k] >= 0 && target_lengths[k] <= limit,
                "ctc_loss: Expected target_lengths to be from 0 to ", limit, ", but got value ",
                target_lengths[k]);
    total += target_lengths[k];
  }
  TORCH_CHECK(targets.dim() == 2 || total == limit,
              "ctc_loss: Expected 1-D targets to have the length of all targets together, ", total,
              ", but got ", limit);
}

int64_t states(IntArrayRef target_lengths) {
  return 2 * *std::max_element(target_lengths.begin(), target_lengths.end()) + 1;
}

void check_lengths(const char* name, const Tensor& lengths) {
  TORCH_CHECK(isIntegralType(lengths.scalar_type(), false), "ctc_loss: ", name,
              " must be integral, got ", toString(lengths.scalar_type()));
}

std::vector<int64_t> values_of(const char* name, const Tensor& lengths) {
  check_lengths(name, lengths);
  return native::int64_values(lengths.scalar_type() == kLong ? lengths
                                                             : at::_to_copy(lengths, kLong));
}

}  // namespace

namespace meta {

void _ctc_loss(MetaBase& m, const Tensor& log_probs, const Tensor& targets,
               IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank, bool) {
  check_inputs(log_probs, targets, input_lengths, target_lengths, blank);
  const int64_t batch = log_probs.sizes()[1];
  m.set_output(0, {batch}, log_probs.options());
  m.set_output(1, {batch, log_probs.sizes()[0], states(target_lengths)}, log_probs.options());
}

void _ctc_loss_backward(MetaBase& m, const Tensor& grad, const Tensor& log_probs,
                        const Tensor& targets, IntArrayRef input_lengths,
                        IntArrayRef target_lengths, const Tensor& neg_log_likelihood,
                        const Tensor& log_alpha, int64_t blank, bool) {
  native::check_same_device("_ctc_loss_backward",
                            {&grad, &log_probs, &neg_log_likelihood, &log_alpha});
  check_inputs(log_probs, targets, input_lengths, target_lengths, blank);
  const int64_t batch = log_probs.sizes()[1];
  const int64_t expected[] = {batch, log_probs.sizes()[0], states(target_lengths)};
  TORCH_CHECK(log_alpha.sizes() == IntArrayRef(expected) && grad.sizes() == IntArrayRef(batch) &&
                  neg_log_likelihood.sizes() == IntArrayRef(batch),
              "_ctc_loss_backward: expected grad and neg_log_likelihood of shape [", batch,
              "] and log_alpha of shape ", IntArrayRef(expected), ", got ", grad.sizes(), ", ",
              neg_log_likelihood.sizes(), " and ", log_alpha.sizes());
  const ScalarType type = log_probs.scalar_type();
  TORCH_CHECK(grad.scalar_type() == type && log_alpha.scalar_type() == type &&
                  neg_log_likelihood.scalar_type() == type,
              "_ctc_loss_backward: all floating point arguments must be of the type of log_probs, ",
              toString(type));
  m.set_output(0, log_probs.sizes(), log_probs.options());
}

}  // namespace meta

namespace native {

std::tuple<Tensor, Tensor> _ctc_loss(const Tensor& log_probs, const Tensor& targets,
                                     const Tensor& input_lengths, const Tensor& target_lengths,
                                     int64_t blank, bool zero_infinity) {
  return at::_ctc_loss(log_probs, targets, values_of("input_lengths", input_lengths),
                       values_of("target_lengths", target_lengths), blank, zero_infinity);
}

Tensor _ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                          const Tensor& input_lengths, const Tensor& target_lengths,
                          const Tensor& neg_log_likelihood, const Tensor& log_alpha, int64_t blank,
                          bool zero_infinity) {
  return at::_ctc_loss_backward(grad, log_probs, targets, values_of("input_lengths", input_lengths),
                                values_of("target_lengths", target_lengths), neg_log_likelihood,
                                log_alpha, blank, zero_infinity);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  const bool batched = log_probs.dim() == 3;
  Tensor probs = batched ? log_probs : at::unsqueeze(log_probs, 1);
  Tensor loss = std::get<0>(
      at::_ctc_loss(probs, targets, input_lengths, target_lengths, blank, zero_infinity));
  if (zero_infinity) {
    loss = at::where(at::eq(loss, std::numeric_limits<double>::infinity()), Scalar(0), loss);
  }
  if (reduction == static_cast<int64_t>(Reduction::Mean)) {
    Tensor lengths = int64_tensor(target_lengths, log_probs.device());
    return at::mean(loss / at::clamp_min(at::_to_copy(lengths, loss.scalar_type()), 1));
  }
  if (reduction == static_cast<int64_t>(Reduction::Sum)) return at::sum(loss);
  return batched ? loss : at::squeeze(loss, 0);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, int64_t reduction,
                bool zero_infinity) {
  return at::ctc_loss(log_probs, targets, values_of("input_lengths", input_lengths),
                      values_of("target_lengths", target_lengths), blank, reduction, zero_infinity);
}

}  // namespace native
}  // namespace at
