// Dropout (Srivastava et al. 2014), of channels (Tompson et al. 2015), and for SELU networks
// (Klambauer et al. 2017).

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/alpha_dropout__native.h>
#include <ATen/ops/alpha_dropout_native.h>
#include <ATen/ops/bernoulli__ops.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/dropout__native.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/feature_alpha_dropout__native.h>
#include <ATen/ops/feature_alpha_dropout_native.h>
#include <ATen/ops/feature_dropout__native.h>
#include <ATen/ops/feature_dropout_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/native_dropout_native.h>
#include <ATen/ops/new_empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

namespace at::native {
namespace {

// Kept elements are scaled by a fraction, which integers cannot represent.
void check_type(const Tensor& input, const char* name) {
  TORCH_CHECK(input.is_floating_point() || input.is_complex(), name,
              ": result type Float can't be cast to the desired output type ",
              toString(input.scalar_type()));
}

// 1 with probability 1 - p, one number for each element or for each channel.
Tensor keep_noise(const Tensor& input, double p, bool features) {
  check_type(input, "dropout");
  NoGradGuard no_grad;
  Tensor noise;
  if (features) {
    TORCH_CHECK(input.dim() >= 2,
                "Feature dropout requires at least 2 dimensions in the input, got ", input.dim());
    DimVector sizes(input.sizes().slice(0, 2));
    for (int64_t d = 2; d < input.dim(); ++d) sizes.push_back(1);
    noise = at::new_empty(input, sizes);
  } else {
    noise = at::empty_like(input);
  }
  return _ops::bernoulli__float::call(noise, 1 - p, std::nullopt);
}

// The factor and the summand: (noise, undefined) for plain dropout.
struct Change {
  Tensor factor, offset;
};

Change change_for(const Tensor& input, double p, bool features, bool alpha) {
  Tensor noise = keep_noise(input, p, features);
  NoGradGuard no_grad;
  if (!alpha) {
    _ops::div__Tensor::call(noise, wrapped_scalar_tensor(1 - p));
    return {noise, {}};
  }
  // Dropped elements become SELU's saturation value, and all are scaled so that mean and variance
  // are preserved.
  constexpr double kSaturation = 1.7580993408473766;
  double a = 1. / std::sqrt((kSaturation * kSaturation * p + 1) * (1 - p));
  Tensor offset = (noise - Scalar(1)) * Scalar(kSaturation * a) + Scalar(kSaturation * a * p);
  return {noise * Scalar(a), offset};
}

void check_p(double p) {
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

Tensor drop(const Tensor& input, double p, bool train, bool features, bool alpha) {
  check_p(p);
  if (p == 0 || !train || input.numel() == 0) return input;
  // On GPUs one kernel draws, masks and scales, as in PyTorch.
  const bool plain = !features && !alpha && p < 1;
  if (plain && input.is_cuda() && input.is_floating_point())
    return std::get<0>(at::native_dropout(input, p, true));
  if (p == 1)
    return at::mul(input, scalar_tensor_of(Scalar(0), input.scalar_type(), input.device()));
  Change c = change_for(input, p, features, alpha);
  Tensor r = at::mul(input, c.factor);
  return c.offset.defined() ? at::add(r, c.offset) : r;
}

Tensor& drop_(Tensor& self, double p, bool train, bool features, bool alpha) {
  check_p(p);
  if (p == 0 || !train || self.numel() == 0) return self;
  if (p == 1)
    return _ops::mul__Tensor::call(self,
                                   scalar_tensor_of(Scalar(0), self.scalar_type(), self.device()));
  Change c = change_for(self, p, features, alpha);
  _ops::mul__Tensor::call(self, c.factor);
  if (c.offset.defined()) _ops::add__Tensor::call(self, c.offset, 1);
  return self;
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, false, false);
}
Tensor& dropout_(Tensor& self, double p, bool train) { return drop_(self, p, train, false, false); }
Tensor feature_dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, true, false);
}
Tensor& feature_dropout_(Tensor& self, double p, bool train) {
  return drop_(self, p, train, true, false);
}
Tensor alpha_dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, false, true);
}
Tensor& alpha_dropout_(Tensor& self, double p, bool train) {
  return drop_(self, p, train, false, true);
}
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  return drop(input, p, train, true, true);
}
Tensor& feature_alpha_dropout_(Tensor& self, double p, bool train) {
  return drop_(self, p, train, true, true);
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                          std::optional<bool> train) {
  check_p(p);
  if (!train.value_or(true) || input.numel() == 0)
    return {at::clone(input), at::ones_like(input, TensorOptions(kBool))};
  check_type(input, "native_dropout");
  const TensorOptions bools(kBool);
  Tensor mask = p == 1 ? at::zeros_like(input, bools) : at::empty_like(input, bools);
  if (p != 1) _ops::bernoulli__float::call(mask, 1 - p, std::nullopt);
  return {at::mul(at::mul(input, mask), wrapped_scalar_tensor(p == 1 ? 0. : 1 / (1 - p))), mask};
}

}  // namespace at::native
