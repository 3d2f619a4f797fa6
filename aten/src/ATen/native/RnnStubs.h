#pragma once
// The elementwise part of a recurrent cell, float.

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>

namespace at::native {

// Gates i, f, g, o of `batch` rows, four times `hidden` numbers each, become their activations in place; c and h are
// written. `gates` and `more` are added first.
DECLARE_DISPATCH(void (*)(int64_t batch, int64_t hidden, float* gates, const float* more, const float* c_before, float* c, float* h), lstm_cell_stub);
// From the activations and the gradients of h and c: those of the gates before activation, and of c_before (in dc).
DECLARE_DISPATCH(void (*)(int64_t batch, int64_t hidden, const float* gates, const float* c_before, const float* c, const float* dh, float* dc,
                          float* dgates),
                 lstm_cell_backward_stub);

}  // namespace at::native
