#pragma once
// Attention without the matrix of scores: see attention/cpu/flash_attention_kernel.cpp.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// A tensor (batch, heads, rows, width) of the compute type; the last dimension is
// dense.
struct HeadsView {
  void* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;  // strides in elements
};

struct FlashArgs {
  c10::ScalarType dtype;  // float or double; that of mask and logsumexp
  int64_t batch, heads, queries, keys, width;
  bool is_causal;
  double scale;
  HeadsView query, key, value;
  HeadsView mask;           // added to the scores; data is null without a mask
  int64_t mask_column = 0;  // its last stride
  HeadsView out;
  void* logsumexp = nullptr;  // (batch, heads, queries), dense
  // Backward only; the gradients are written.
  HeadsView grad_out, grad_query, grad_key, grad_value;
};

// Throws unless query, key and value have four dimensions, one floating-point dtype, one device and
// sizes that match.
void check_heads(const char* name, const Tensor& query, const Tensor& key, const Tensor& value);

DECLARE_DISPATCH(void (*)(const FlashArgs&), flash_attention_stub);
DECLARE_DISPATCH(void (*)(const FlashArgs&), flash_attention_backward_stub);
// The same for operands and results of bfloat16, of an even width, where the processor has matrix
// tiles (common/MatrixTilesStub.h).
DECLARE_DISPATCH(void (*)(const FlashArgs&), tile_attention_stub);
DECLARE_DISPATCH(void (*)(const FlashArgs&), tile_attention_backward_stub);

}  // namespace at::native
