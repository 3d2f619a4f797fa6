// Gradients that a scaler multiplied, on CUDA devices: divides them again, looks for overflow, and
// adapts the scale.

#include <cmath>

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/optim/amp.h>
#include <ATen/native/optim/fused_lists.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale__native.h>
#include <ATen/ops/_amp_update_scale__native.h>
#include <ATen/native/common/cuda/TensorGroups.cuh>

namespace at::native {
namespace {

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    unscale_kernel(TensorGroup<1> group, const float* inv_scale, float* found_inf) {
  using O = opmath_type<T>;
  const O by = static_cast<O>(*inv_scale);
  bool finite = true;
  change_elements<T, O>(group, part_of_block(group), 1, 1, [&](O* e) {
    finite = finite && std::isfinite(e[0]);
    // Infinity times 0 would be a NaN.
    if (by != O(1)) e[0] = e[0] * by;
  });
  if (!finite) *found_inf = 1;
}

__global__ void update_scale_kernel(float* scale, int* successes, const float* found_inf,
                                    double growth, double backoff, int64_t interval) {
  if (*found_inf != 0) {
    *scale = static_cast<float>(*scale * backoff);
    *successes = 0;
  } else if (static_cast<int64_t>(*successes) + 1 >= interval) {
    // A scale at the end of the range stays finite.
    const float grown = static_cast<float>(*scale * growth);
    if (std::isfinite(grown)) *scale = grown;
    *successes = 0;
  } else {
    ++*successes;
  }
}

}  // namespace

void amp_unscale_cuda(TensorList self, Tensor& found_inf, const Tensor& inv_scale) {
  const char* op = "_amp_foreach_non_finite_check_and_unscale_";
  check_amp_number(op, "found_inf", found_inf, kFloat, found_inf.device());
  check_amp_number(op, "inv_scale", inv_scale, kFloat, found_inf.device());
  check_amp_gradients(op, self);
  auto* found = static_cast<float*>(found_inf.data_ptr());
  const auto* by = static_cast<const float*>(inv_scale.data_ptr());
  auto launch = [&](const TensorGroup<1>& group, c10::cuda::LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, op, [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(unscale_kernel<T>, shape, stream, group, by, found);
    });
  };
  TensorGroups<1, decltype(launch)> groups(launch);
  std::vector<InOrderOf> operands;
  for (const Tensor& t : self) {
    TORCH_CHECK(t.device() == found_inf.device(), op, ": a gradient is on ", t.device(),
                ", found_inf is on ", found_inf.device());
    operands.emplace_back(t, t);
    groups.add({operands.back().dense});
  }
  groups.flush();
  for (InOrderOf& t : operands) t.write_back();
}

Tensor& amp_update_scale_cuda(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                              double scale_growth_factor, double scale_backoff_factor,
                              int64_t growth_interval) {
  const char* op = "_amp_update_scale_";
  check_amp_number(op, "growth_tracker", growth_tracker, kInt, self.device());
  check_amp_number(op, "current_scale", self, kFloat, self.device());
  check_amp_number(op, "found_inf", found_inf, kFloat, self.device());
  c10::OptionalDeviceGuard guard(self.device());
  c10::cuda::launch(
      update_scale_kernel, {1, 1}, c10::cuda::getCurrentCUDAStream(self.device().index()),
      static_cast<float*>(self.data_ptr()), static_cast<int*>(growth_tracker.data_ptr()),
      static_cast<const float*>(found_inf.data_ptr()), scale_growth_factor, scale_backoff_factor,
      growth_interval);
  return self;
}

}  // namespace at::native
