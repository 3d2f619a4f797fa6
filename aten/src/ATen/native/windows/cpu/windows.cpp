// Window functions, computed in double precision.

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/windows/window_value.h>

namespace at::native {
namespace {

void window_kernel(const Tensor& out, const WindowShape& shape) {
  dispatch_types<FloatingAndReduced>(out.scalar_type(), "window", [&]<typename T>(TypeTag<T>) {
    T* p = static_cast<T*>(out.data_ptr());
    parallel_for(0, out.numel(), kGrainSize / 32, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        p[i] = static_cast<T>(window_value(shape, static_cast<double>(i)));
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(window_stub, &window_kernel)

}  // namespace at::native
