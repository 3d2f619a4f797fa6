#pragma once
// The steps of an LSTM layer, float.
//
// Gates are i, f, g, o: four times `hidden` numbers for each row of the batch.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

struct LstmSteps {
  int64_t steps, batch, input, hidden;
  bool reverse;           // from the last step to the first
  const float* x;         // [steps, batch, input]; the last dimension is dense
  int64_t x_step, x_row;  // its other strides
  const float* w_ih;      // [4 hidden, input]
  const float* w_hh;      // [4 hidden, hidden]
  const float* bias;      // [4 hidden]
  const float *h0, *c0;
  float* gates;   // [steps, batch, 4 hidden], or null: not kept
  float* cells;   // [steps, batch, hidden]; the last, [batch, hidden], where gates are not kept
  float* output;  // [steps, batch, hidden]
  const float* grad_output;  // backward: that of output, or null
  float *grad_h, *grad_c,
      *dgates;  // backward: of the last state, then of the first; of the gates before activation
};

// All steps, the batch divided among threads: for batches of several rows for each of them.
DECLARE_DISPATCH(void (*)(const LstmSteps&), lstm_steps_stub);
DECLARE_DISPATCH(void (*)(const LstmSteps&), lstm_steps_backward_stub);

// One step without its matrix product. `gates` are the input's contribution and become the
// activations; `more` is the hidden state's contribution.
DECLARE_DISPATCH(void (*)(int64_t batch, int64_t hidden, float* gates, const float* more,
                          const float* bias, const float* c_before, float* c, float* h),
                 lstm_cell_stub);
// From the activations and the gradients of h and c, computes those of the gates before activation,
// and of c_before (in dc).
DECLARE_DISPATCH(void (*)(int64_t batch, int64_t hidden, const float* gates, const float* c_before,
                          const float* c, const float* dh, float* dc, float* dgates),
                 lstm_cell_backward_stub);

}  // namespace at::native
