#pragma once
// The kernel of isin.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Up to this many values, comparing with all of them wins over searching.
constexpr int64_t kFewValues = 16;

// out = whether each element is among `values`, which are sorted; inverted on request. All tensors
// are contiguous, elements and values of one type.
DECLARE_DISPATCH(void (*)(const Tensor& elements, const Tensor& values, bool invert,
                          const Tensor& out),
                 isin_stub);

// The same for integers of which `values`, in any order, span from `min` to `max`: a table says
// which of the numbers between are there. All tensors are contiguous.
DECLARE_DISPATCH(void (*)(const Tensor& elements, const Tensor& values, int64_t min, int64_t max,
                          bool invert, const Tensor& out),
                 isin_table_stub);

}  // namespace at::native
