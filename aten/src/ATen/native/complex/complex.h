#pragma once
// Kernels that put complex numbers together.

#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// out = a + ib, of Half, float or double
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), complex_stub);
// out = a (cos b + i sin b), of float or double
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), polar_stub);

}  // namespace at::native
