// Kernels of the meta device for operators that change tensors in place: there is nothing to
// change.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale__native.h>
#include <ATen/ops/_amp_update_scale__native.h>
#include <ATen/ops/_fused_adagrad__native.h>
#include <ATen/ops/_fused_adam__native.h>
#include <ATen/ops/_fused_sgd__native.h>

namespace at::native {

void fused_sgd_meta(TensorList, TensorList, TensorList, double, double, double, double, bool, bool,
                    bool, const std::optional<Tensor>&, const std::optional<Tensor>&) {}

void fused_adam_meta(TensorList, TensorList, TensorList, TensorList, TensorList, TensorList, double,
                     double, double, double, double, bool, bool, const std::optional<Tensor>&,
                     const std::optional<Tensor>&) {}

void fused_adagrad_meta(TensorList, TensorList, TensorList, TensorList, double, double, double,
                        double, bool, const std::optional<Tensor>&, const std::optional<Tensor>&) {}

// With the learning rate in a tensor.
void fused_sgd_meta(TensorList, TensorList, TensorList, double, double, const Tensor&, double, bool,
                    bool, bool, const std::optional<Tensor>&, const std::optional<Tensor>&) {}

void fused_adam_meta(TensorList, TensorList, TensorList, TensorList, TensorList, TensorList,
                     const Tensor&, double, double, double, double, bool, bool,
                     const std::optional<Tensor>&, const std::optional<Tensor>&) {}

void fused_adagrad_meta(TensorList, TensorList, TensorList, TensorList, const Tensor&, double,
                        double, double, bool, const std::optional<Tensor>&,
                        const std::optional<Tensor>&) {}

void amp_unscale_meta(TensorList, Tensor& found_inf, const Tensor& inv_scale) {
  check_all_meta("_amp_foreach_non_finite_check_and_unscale_", {&found_inf, &inv_scale});
}

Tensor& amp_update_scale_meta(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf, double,
                              double, int64_t) {
  check_all_meta("_amp_update_scale_", {&self, &growth_tracker, &found_inf});
  return self;
}

}  // namespace at::native
