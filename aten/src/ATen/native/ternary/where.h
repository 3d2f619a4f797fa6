#pragma once
// The kernel of where(): operands are the result, the condition, and the two values, which are
// converted to `dtype`.

#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, ScalarType dtype), where_stub);
}
