// The steps of a batch norm over several processes, as operators: the statistics of each process,
// those of all, the normalization, and the same for the gradient. Programs bring such a layer of
// their own; torch.nn.SyncBatchNorm does not need them.

#include <ATen/OpMathType.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/batch_norm_backward_elemt_native.h>
#include <ATen/ops/batch_norm_backward_reduce_native.h>
#include <ATen/ops/batch_norm_elemt_native.h>
#include <ATen/ops/batch_norm_gather_stats_native.h>
#include <ATen/ops/batch_norm_gather_stats_with_counts_native.h>
#include <ATen/ops/batch_norm_stats_native.h>
#include <ATen/ops/div.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/var_mean.h>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;

bool is_there(const OptionalTensor& t) { return t && t->defined(); }

// Statistics of half types are float.
Tensor in_type(const Tensor& t, ScalarType type) {
  return t.scalar_type() == type ? t : at::_to_copy(t, TensorOptions(type));
}

class Channels {
 public:
  Channels(const char* op, const Tensor& input) : dims_{0} {
    TORCH_CHECK(input.dim() >= 2, op, ": expected an input of at least 2 dimensions, got shape ",
                input.sizes());
    TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point(), "\"", op, "\" not implemented for '",
                                toString(input.scalar_type()), "'");
    for (int64_t d = 2; d < input.dim(); ++d) dims_.push_back(d);
    shape_ = DimVector(static_cast<size_t>(input.dim()), 1);
    shape_[1] = input.size(1);
    type_ = input.scalar_type() == kDouble ? kDouble : kFloat;
  }
  IntArrayRef dims() const { return dims_; }
  ScalarType type() const { return type_; }
  // A number for each channel, in the shape that broadcasts.
  Tensor spread(const Tensor& t) const { return at::reshape(in_type(t, type_), shape_); }

 private:
  DimVector dims_, shape_;
  ScalarType type_;
};

void update(const OptionalTensor& running, const Tensor& now, double momentum) {
  if (!is_there(running)) return;
  Tensor t = *running;
  at::_ops::mul__Scalar::call(t, 1 - momentum);
  at::_ops::add__Tensor::call(t, in_type(now, t.scalar_type()), momentum);
}

}  // namespace

std::tuple<Tensor, Tensor> batch_norm_stats(const Tensor& input, double eps) {
  const Channels channels("batch_norm_stats", input);
  const auto [var, mean] =
      at::var_mean(in_type(input, channels.type()), channels.dims(), Scalar(0), false);
  return {mean, at::rsqrt(at::add(var, eps))};
}

std::tuple<Tensor, Tensor> batch_norm_gather_stats_with_counts(
    const Tensor& input, const Tensor& mean, const Tensor& invstd,
    const OptionalTensor& running_mean, const OptionalTensor& running_var, double momentum,
    double eps, const Tensor& counts) {
  TORCH_CHECK(mean.dim() == 2 && mean.sizes() == invstd.sizes() && counts.numel() == mean.size(0) &&
                  mean.size(1) == input.size(1),
              "batch_norm_gather_stats_with_counts: expected mean and invstd of the shape "
              "(processes, channels) and a count for each process, got ",
              mean.sizes(), ", ", invstd.sizes(), " and ", counts.sizes());
  const int64_t first[] = {0}, column[] = {mean.size(0), 1};
  const Tensor n = at::reshape(in_type(counts, mean.scalar_type()), column), all = at::sum(n);
  const Tensor whole = at::div(at::sum(at::mul(mean, n), first), all);
  const Tensor var = at::sub(at::reciprocal(at::square(invstd)), Scalar(eps));
  const Tensor squares = at::sum(at::mul(at::add(var, at::square(at::sub(mean, whole))), n), first);
  update(running_mean, whole, momentum);
  update(running_var, at::div(squares, at::sub(all, Scalar(1))), momentum);
  return {whole, at::rsqrt(at::add(at::div(squares, all), eps))};
}

std::tuple<Tensor, Tensor> batch_norm_gather_stats(const Tensor& input, const Tensor& mean,
                                                   const Tensor& invstd,
                                                   const OptionalTensor& running_mean,
                                                   const OptionalTensor& running_var,
                                                   double momentum, double eps, int64_t count) {
  TORCH_CHECK(mean.dim() == 2,
              "batch_norm_gather_stats: expected a mean of the shape "
              "(processes, channels), got ",
              mean.sizes());
  const Tensor counts = at::full_like(at::sum(mean, 1), static_cast<double>(count));
  return native::batch_norm_gather_stats_with_counts(input, mean, invstd, running_mean, running_var,
                                                     momentum, eps, counts);
}

Tensor batch_norm_elemt(const Tensor& input, const OptionalTensor& weight,
                        const OptionalTensor& bias, const Tensor& mean, const Tensor& invstd,
                        double /*eps*/) {
  const Channels channels("batch_norm_elemt", input);
  Tensor result = at::mul(at::sub(in_type(input, channels.type()), channels.spread(mean)),
                          channels.spread(invstd));
  if (is_there(weight)) result = at::mul(result, channels.spread(*weight));
  if (is_there(bias)) result = at::add(result, channels.spread(*bias));
  return in_type(result, input.scalar_type());
}

std::tuple<Tensor, Tensor, Tensor, Tensor> batch_norm_backward_reduce(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& invstd,
    const OptionalTensor& weight, bool input_g, bool weight_g, bool bias_g) {
  const Channels channels("batch_norm_backward_reduce", input);
  const Tensor grad = in_type(grad_out, channels.type());
  const Tensor centered = at::sub(in_type(input, channels.type()), channels.spread(mean));
  const Tensor sum = at::sum(grad, channels.dims()),
               product = at::sum(at::mul(grad, centered), channels.dims());
  const bool has_weight = is_there(weight);
  const ScalarType type = has_weight ? weight->scalar_type() : channels.type();
  return {input_g ? sum : Tensor(), input_g ? product : Tensor(),
          weight_g && has_weight ? in_type(at::mul(product, invstd), type) : Tensor(),
          bias_g && has_weight ? in_type(sum, type) : Tensor()};
}

// With xhat = (x - mean) * invstd: grad = invstd * weight * (g - sum(g) / n - xhat * sum(g * xhat)
// / n).
Tensor batch_norm_backward_elemt(const Tensor& grad_out, const Tensor& input, const Tensor& mean,
                                 const Tensor& invstd, const OptionalTensor& weight,
                                 const Tensor& sum_dy, const Tensor& sum_dy_xmu,
                                 const Tensor& count) {
  const Channels channels("batch_norm_backward_elemt", input);
  const Tensor all = at::sum(in_type(count, channels.type()));
  const Tensor centered = at::sub(in_type(input, channels.type()), channels.spread(mean));
  const Tensor slope = at::div(at::mul(at::square(invstd), sum_dy_xmu), all);
  const Tensor inner =
      at::sub(at::sub(in_type(grad_out, channels.type()), channels.spread(at::div(sum_dy, all))),
              at::mul(centered, channels.spread(slope)));
  Tensor factor = channels.spread(invstd);
  if (is_there(weight)) factor = at::mul(factor, channels.spread(*weight));
  return in_type(at::mul(inner, factor), input.scalar_type());
}

}  // namespace at::native
