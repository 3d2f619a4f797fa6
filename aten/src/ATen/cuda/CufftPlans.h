#pragma once
// Plans of cuFFT, made once for each shape and kept: those of a device that were used last.

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

namespace at::cuda::cufft {

// Where the elements of one side of a transform are, in elements (CufftApi.h).
struct Layout {
  long long embed[3] = {1, 1, 1};
  long long stride = 1, distance = 1;
};

// What a plan is made for. The types are of CufftApi.h, that of the computation is complex.
struct Transform {
  long long rank = 1;
  long long sizes[3] = {1, 1, 1};  // of the whole transform, also where one side is a half spectrum
  long long batch = 1;
  long long in_type = 0, out_type = 0, compute_type = 0;
  Layout in, out;
};

// Runs on the current device and stream, without scaling. A transform to real numbers may overwrite
// `in`.
void execute(const Transform& transform, void* in, void* out, bool forward);

// --- torch.backends.cuda.cufft_plan_cache --------------------------------------------------------
C10_API int64_t plan_cache_size(c10::DeviceIndex device);
C10_API int64_t plan_cache_max_size(c10::DeviceIndex device);
C10_API void set_plan_cache_max_size(c10::DeviceIndex device, int64_t max_size);
C10_API void clear_plan_cache(c10::DeviceIndex device);

}  // namespace at::cuda::cufft
