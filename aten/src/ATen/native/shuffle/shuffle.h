#pragma once
// Kernels of rearrangements.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// The elements of a dense tensor, in the order of an index that has these sizes, where each
// dimension takes so many elements a step; `to` is dense. For the CPU, and few elements.
DECLARE_DISPATCH(void (*)(const Tensor& from, const Tensor& to, IntArrayRef sizes,
                          IntArrayRef steps),
                 move_few_stub);

}  // namespace at::native
