#pragma once
// What products of matrices check of their factors.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/SameDevice.h>
#include <c10/util/Exception.h>

namespace at::native {

// Every type may have an empty product, which is zero.
inline void check_types(const char* op, const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), op,
              ": expected m1 and m2 to have the same dtype, but got: ",
              dtypeLegacyName(a.scalar_type()), " != ", dtypeLegacyName(b.scalar_type()));
  check_device_of(op, b, a);
  TORCH_CHECK_NOT_IMPLEMENTED(a.scalar_type() != kBool || a.sizes().back() == 0,
                              "\"addmm_impl_cpu_\" not implemented for 'Bool'");
}

inline void check_mm(const char* op, const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.dim() == 2, op, ": self must be a matrix, got ", a.dim(), " dimensions");
  TORCH_CHECK(b.dim() == 2, op, ": mat2 must be a matrix, got ", b.dim(), " dimensions");
  TORCH_CHECK(a.sizes()[1] == b.sizes()[0], op, ": mat1 and mat2 shapes cannot be multiplied (",
              a.sizes()[0], "x", a.sizes()[1], " and ", b.sizes()[0], "x", b.sizes()[1], ")");
  check_types(op, a, b);
}

inline void check_bmm(const char* op, const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.dim() == 3, op, ": batch1 must be a 3D tensor, got ", a.dim(), " dimensions");
  TORCH_CHECK(b.dim() == 3, op, ": batch2 must be a 3D tensor, got ", b.dim(), " dimensions");
  TORCH_CHECK(b.sizes()[0] == a.sizes()[0] && b.sizes()[1] == a.sizes()[2],
              "Expected size for first two dimensions of batch2 tensor to be: [", a.sizes()[0],
              ", ", a.sizes()[2], "] but got: [", b.sizes()[0], ", ", b.sizes()[1], "].");
  check_types(op, a, b);
}

}  // namespace at::native
