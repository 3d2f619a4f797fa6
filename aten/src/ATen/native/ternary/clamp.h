#pragma once
// The kernel of clamp() with tensors as bounds: operands are the result, the values and both
// bounds.

#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), clamp_tensors_stub);
}
