// What the trace and errors tell of CUDA kernels.

#include <ATen/core/CrashReport.h>
#include <ATen/core/dispatch/DispatchTrace.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/Launch.h>
#include <c10/util/Environment.h>
#include <c10/util/StringUtil.h>

namespace at::cuda {
namespace {

std::string text_of(const dim3& d) { return c10::str("(", d.x, ", ", d.y, ", ", d.z, ")"); }

void trace_launch(const void* kernel, const c10::cuda::LaunchShape& shape) {
  std::string text =
      c10::str("grid=[", text_of(shape.grid), "], block=[", text_of(shape.block), "]");
  if (shape.shared > 0) text += c10::str(", shared=[", shape.shared, " B]");
  record_launch(kernel, text);
}

[[maybe_unused]] const bool g_observed = [] {
  watch_launches_by([](bool on) {
    c10::cuda::set_launch_observer(c10::cuda::LaunchListener::trace, on ? &trace_launch : nullptr);
  });
  // Calls wait for their kernels then, so that the running operator is the one that failed.
  if (c10::env_flag("CUDA_LAUNCH_BLOCKING")) {
    observe_for_crash_report(true);
    c10::cuda::name_operators_by(&running_operator);
  }
  return true;
}();

}  // namespace
}  // namespace at::cuda
