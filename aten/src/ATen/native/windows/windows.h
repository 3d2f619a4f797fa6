#pragma once
// Kernels of window functions.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class WindowKind : uint8_t { bartlett, cosines, kaiser };

// One window: `denominator` is the number of steps from its first point to the last one of the
// symmetric window.
struct WindowShape {
  WindowKind kind;
  double denominator;
  // cosines: a[0] - a[1] cos(t) + a[2] cos(2 t); kaiser: a[0] is beta
  double a[3];
};

// Fills a contiguous vector.
DECLARE_DISPATCH(void (*)(const Tensor& out, const WindowShape& shape), window_stub);

}  // namespace at::native
