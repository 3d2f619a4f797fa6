// Gradients that a scaler multiplied: divides them again, looks for overflow, and adapts the scale
// (Micikevicius et al. 2018).

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/optim/amp.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale__native.h>
#include <ATen/ops/_amp_update_scale__native.h>
#include <ATen/ops/all.h>
#include <ATen/ops/is_nonzero.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/mul_ops.h>

#include <cmath>

namespace at::native {
void _amp_foreach_non_finite_check_and_unscale_(TensorList self, Tensor& found_inf,
                                                const Tensor& inv_scale) {
  const char* op = "_amp_foreach_non_finite_check_and_unscale_";
  check_amp_number(op, "found_inf", found_inf, kFloat, kCPU);
  check_amp_number(op, "inv_scale", inv_scale, kFloat, kCPU);
  check_amp_gradients(op, self);
  float& found = *static_cast<float*>(found_inf.data_ptr());
  const bool scales = *static_cast<const float*>(inv_scale.data_ptr()) != 1;
  for (const Tensor& t : self) {
    if (!at::is_nonzero(at::all(at::isfinite(t)))) found = 1;
    if (scales) _ops::mul__Tensor::call(const_cast<Tensor&>(t), inv_scale);
  }
}

Tensor& _amp_update_scale_(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                           double scale_growth_factor, double scale_backoff_factor,
                           int64_t growth_interval) {
  const char* op = "_amp_update_scale_";
  check_amp_number(op, "growth_tracker", growth_tracker, kInt, kCPU);
  check_amp_number(op, "current_scale", self, kFloat, kCPU);
  check_amp_number(op, "found_inf", found_inf, kFloat, kCPU);
  float& scale = *static_cast<float*>(self.data_ptr());
  int32_t& successes = *static_cast<int32_t*>(growth_tracker.data_ptr());
  if (*static_cast<const float*>(found_inf.data_ptr()) != 0) {
    scale = static_cast<float>(scale * scale_backoff_factor);
    successes = 0;
  } else if (int64_t(successes) + 1 >= growth_interval) {
    // A scale at the end of the range stays finite.
    const float grown = static_cast<float>(scale * scale_growth_factor);
    if (std::isfinite(grown)) scale = grown;
    successes = 0;
  } else {
    ++successes;
  }
  return self;
}

}  // namespace at::native
