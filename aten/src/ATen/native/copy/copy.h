#pragma once
// The kernel of copy_.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Copies between two tensors on one device. src has the sizes of self or broadcasts to them; the
// types may differ, and the memory may be the same.
DECLARE_DISPATCH(void (*)(const Tensor& self, const Tensor& src), copy_stub);

}  // namespace at::native
