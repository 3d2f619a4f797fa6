#pragma once
// Checks of the operators of a scaler of gradients.

#include <ATen/core/Tensor.h>

namespace at::native {

// The state of a scaler is a number of that type on the device of its gradients.
inline void check_amp_number(const char* op, const char* name, const Tensor& t, ScalarType type,
                             Device device) {
  TORCH_CHECK(t.numel() == 1, op, ": ", name, " must be a 1-element tensor, but its shape is ",
              t.sizes());
  TORCH_CHECK(t.scalar_type() == type, op, ": ", name, " must be of type ", dtypeName(type),
              ", but it is ", dtypeName(t.scalar_type()));
  TORCH_CHECK(t.device() == device, op, ": ", name, " must be on ", device, ", but it is on ",
              t.device());
}

inline void check_amp_gradients(const char* op, TensorList gradients) {
  for (const Tensor& t : gradients) {
    TORCH_CHECK_NOT_IMPLEMENTED(t.is_floating_point(), "\"", op, "\" not implemented for '",
                                toString(t.scalar_type()), "'");
  }
}

}  // namespace at::native
