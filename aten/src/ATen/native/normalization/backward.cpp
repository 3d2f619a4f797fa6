// Second derivatives of normalizations, and the first ones of rms_norm.

#include <ATen/native/normalization/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/div.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sum.h>

namespace torch::autograd::generated {
namespace {

using at::DimVector;
using at::IntArrayRef;

Tensor plus(const Tensor& a, const Tensor& b) {
  return !a.defined() ? b : !b.defined() ? a : a + b;
}

// All tensors broadcast to x; dims are normalized over, parameter_dims are the dimensions over
// which parameters are shared.
struct Norm {
  Tensor x, g, w, mean, r;
  DimVector dims, parameter_dims;

  Tensor over_parameters(const Tensor& t) const {
    return parameter_dims.empty() ? t
                                  : at::sum(t, IntArrayRef(parameter_dims),
                                            true);  // an empty list would mean all dimensions
  }
  Tensor average(const Tensor& t) const { return at::mean(t, IntArrayRef(dims), true); }
  int64_t count() const {
    int64_t n = 1;
    for (int64_t d : dims) n *= x.sizes()[d];
    return n;
  }

  // The saved statistics have no history. Where the second derivative is differentiated again, they
  // are computed from x. The epsilon is what the saved ones contain.
  void follow_x() {
    if (!at::native::is_differentiated_again(x, g)) return;
    Tensor average_x = average(x), centered = x - average_x;
    Tensor variance = average(centered * centered);
    Tensor epsilon = at::detach(at::reciprocal(r * r) - variance);
    mean = average_x;
    r = at::rsqrt(variance + epsilon);
  }

  std::tuple<Tensor, Tensor, Tensor> second(const Tensor& u, const Tensor& v, const Tensor& s) {
    follow_x();
    Tensor xhat = (x - mean) * r, h = w.defined() ? g * w : g;
    auto project = [&](const Tensor& t) { return r * (t - average(t) - xhat * average(t * xhat)); };
    Tensor for_g, for_x, for_w;
    Tensor q;
    if (u.defined()) {
      Tensor pu = project(u);
      for_g = w.defined() ? pu * w : pu;
      for_w = over_parameters(g * pu);
      Tensor hx = average(h * xhat), ux = average(u * xhat);
      q = -(r * (u * hx + h * ux));
      Tensor S = average(u * h) - average(u) * average(h) - ux * hx;  // S / n
      for_x = -(r * r * xhat * S);
    }
    if (v.defined()) {
      for_g = plus(for_g, v * xhat);
      q = plus(q, v * g);
    }
    if (s.defined()) for_g = plus(for_g, s + at::mul(x, 0));
    if (q.defined()) for_x = plus(for_x, project(q));
    return {for_g, for_x, for_w};
  }
};

Tensor shaped(const Tensor& t, IntArrayRef shape) {
  return t.defined() ? at::reshape(t, shape) : t;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> batchnorm_double_backward(
    const variable_list& grads, const Tensor& input, const Tensor& weight, const Tensor& grad_out,
    const Tensor& running_mean, const Tensor& running_var, bool train, double eps,
    const Tensor& save_mean, const Tensor& save_invstd, std::array<bool, 3> mask) {
  DimVector shape(input.dim(), 1), dims{0};
  shape[1] = input.sizes()[1];
  for (int64_t d = 2; d < input.dim(); ++d) dims.push_back(d);
  Tensor u = grads[0], v = shaped(grads[1], shape), s = shaped(grads[2], shape),
         w = shaped(weight, shape);
  Tensor for_g, for_x, for_w;
  if (train) {
    Norm norm{input, grad_out, w, shaped(save_mean, shape), shaped(save_invstd, shape), dims, dims};
    std::tie(for_g, for_x, for_w) = norm.second(u, v, s);
  } else {
    // The running statistics have no derivative.
    Tensor r = at::rsqrt(shaped(at::detach(running_var), shape) + eps),
           xhat = (input - shaped(at::detach(running_mean), shape)) * r;
    if (u.defined()) {
      for_g = w.defined() ? u * r * w : u * r;
      for_w = at::sum(grad_out * u * r, IntArrayRef(dims), true);
    }
    if (v.defined()) {
      for_g = plus(for_g, v * xhat);
      for_x = v * grad_out * r;
    }
    if (s.defined()) for_g = plus(for_g, s + at::mul(input, 0));
  }
  if (weight.defined() && for_w.defined()) for_w = at::reshape(for_w, weight.sizes());
  return {mask[0] ? for_g : Tensor(), mask[1] ? for_x : Tensor(),
          mask[2] && weight.defined() ? for_w : Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_double_backward(
    const variable_list& grads, const Tensor& input, const Tensor& weight, const Tensor& grad_out,
    const Tensor& mean, const Tensor& rstd, IntArrayRef normalized_shape,
    std::array<bool, 3> mask) {
  int64_t outer = input.dim() - static_cast<int64_t>(normalized_shape.size());
  DimVector inner_dims, outer_dims;
  for (int64_t d = 0; d < input.dim(); ++d) (d < outer ? outer_dims : inner_dims).push_back(d);
  Norm norm{input, grad_out, weight, mean, rstd, inner_dims, outer_dims};
  auto [for_g, for_x, for_w] = norm.second(grads[0], grads[1], grads[2]);
  if (weight.defined() && for_w.defined()) for_w = at::reshape(for_w, weight.sizes());
  return {mask[0] ? for_g : Tensor(), mask[1] ? for_x : Tensor(),
          mask[2] && weight.defined() ? for_w : Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> group_norm_double_backward(
    const variable_list& grads, const Tensor& input, const Tensor& weight, const Tensor& grad_out,
    const Tensor& mean, const Tensor& rstd, int64_t group, std::array<bool, 3> mask) {
  int64_t N = input.sizes()[0], C = input.sizes()[1],
          plane = N * C > 0 ? input.numel() / (N * C) : 1;
  int64_t grouped[] = {N, group, C / group, plane}, channel[] = {1, group, C / group, 1},
          stats[] = {N, group, 1, 1};
  Norm norm{at::reshape(input, grouped),
            at::reshape(grad_out, grouped),
            shaped(weight, channel),
            at::reshape(mean, stats),
            at::reshape(rstd, stats),
            {2, 3},
            {0, 3}};
  auto [for_g, for_x, for_w] =
      norm.second(shaped(grads[0], grouped), shaped(grads[1], channel), shaped(grads[2], channel));
  if (for_g.defined()) for_g = at::reshape(for_g, input.sizes());
  if (for_x.defined()) for_x = at::reshape(for_x, input.sizes());
  if (weight.defined() && for_w.defined()) for_w = at::reshape(for_w, weight.sizes());
  return {mask[0] ? for_g : Tensor(), mask[1] ? for_x : Tensor(),
          mask[2] && weight.defined() ? for_w : Tensor()};
}

// With h = grad * weight, y = x * rstd and rstd = (mean of x^2 + eps)^(-1/2):
//   grad_x = rstd * h - x * rstd^3 * (mean(h * x) + grad_rstd / n), grad_weight = sum of grad * y.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Tensor& grad_rstd,
                                             const Tensor& input, IntArrayRef normalized_shape,
                                             const Tensor& rstd, const Tensor& weight,
                                             std::array<bool, 2> mask) {
  const int64_t outer = input.dim() - static_cast<int64_t>(normalized_shape.size());
  DimVector dims, outer_dims;
  for (int64_t d = 0; d < input.dim(); ++d) (d < outer ? outer_dims : dims).push_back(d);
  auto wide = [&](const Tensor& t) { return at::native::as_type_of(t, rstd); };
  const Tensor x = at::conj(wide(input)), r = at::conj(rstd);
  Tensor for_x, for_w, slope;
  if (grad.defined()) {
    const Tensor g = wide(grad);
    if (mask[1] && weight.defined()) {
      for_w = g * x * r;
      if (outer) for_w = at::sum(for_w, IntArrayRef(outer_dims));
      for_w = at::native::as_type_of(for_w, weight);
    }
    if (mask[0]) {
      const Tensor h = weight.defined() ? g * at::conj(wide(weight)) : g;
      for_x = h * r;
      slope = at::mean(h * x, IntArrayRef(dims), true);
    }
  }
  if (mask[0] && grad_rstd.defined()) {
    int64_t n = 1;
    for (int64_t size : normalized_shape) n *= size;
    slope = plus(slope, at::div(wide(grad_rstd), n));
  }
  if (slope.defined())
    for_x = at::native::as_type_of(plus(for_x, x * at::neg(r * r * r * slope)), input);
  return {for_x, for_w};
}

}  // namespace torch::autograd::generated
