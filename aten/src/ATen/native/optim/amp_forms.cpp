// What scalers of gradients call, returning new tensors.

#include <ATen/native/optim/lists.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale__ops.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_native.h>
#include <ATen/ops/_amp_update_scale__ops.h>
#include <ATen/ops/_amp_update_scale_native.h>
#include <ATen/ops/clone.h>

namespace at::native {

std::tuple<std::vector<Tensor>, Tensor> _amp_foreach_non_finite_check_and_unscale(
    TensorList self, const Tensor& found_inf, const Tensor& inv_scale) {
  const std::vector<Tensor> self_out = copies(self);
  Tensor found_inf_out = at::clone(found_inf);
  _ops::_amp_foreach_non_finite_check_and_unscale_::call(self_out, found_inf_out, inv_scale);
  return {self_out, found_inf_out};
}

void _amp_foreach_non_finite_check_and_unscale_out(TensorList self, Tensor& found_inf,
                                                   const Tensor& inv_scale, TensorList out) {
  copy_to("_amp_foreach_non_finite_check_and_unscale", out, self);
  _ops::_amp_foreach_non_finite_check_and_unscale_::call(out, found_inf, inv_scale);
}

std::tuple<Tensor, Tensor> _amp_update_scale(const Tensor& self, const Tensor& growth_tracker,
                                             const Tensor& found_inf, double scale_growth_factor,
                                             double scale_backoff_factor, int64_t growth_interval) {
  Tensor scale = at::clone(self), growth_tracker_out = at::clone(growth_tracker);
  _ops::_amp_update_scale_::call(scale, growth_tracker_out, found_inf, scale_growth_factor,
                                 scale_backoff_factor, growth_interval);
  return {scale, growth_tracker_out};
}

Tensor& _amp_update_scale_out(const Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                              double scale_growth_factor, double scale_backoff_factor,
                              int64_t growth_interval, Tensor& out) {
  copy_to("_amp_update_scale", {out}, {self});
  return _ops::_amp_update_scale_::call(out, growth_tracker, found_inf, scale_growth_factor,
                                        scale_backoff_factor, growth_interval);
}

}  // namespace at::native
