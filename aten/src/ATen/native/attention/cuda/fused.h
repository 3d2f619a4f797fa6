#pragma once
// Attention as one kernel: see forward.cu.

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/ScalarType.h>

namespace at::native::attention {

// A tensor (batch, heads, rows, width); the last dimension is dense.
struct Heads {
  void* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;  // strides in elements
};

struct FusedArgs {
  c10::ScalarType dtype;
  int64_t batch, heads, queries, keys;
  int width;
  bool is_causal;
  bool is_aligned;  // all rows can be read in pieces of 16 bytes
  double scale;
  Heads query, key, value;
  Heads mask;               // in the type of the computation, added to the scores, or null
  int64_t mask_column = 0;  // its last stride
  Heads out;
  void* logsumexp = nullptr;  // (batch, heads, queries) in the type of the computation, dense
  double dropout = 0;
  bool draws = false;  // forward: draws from `random`, and writes down where
  cuda::PhiloxState random;
  int64_t* seed = nullptr;  // on the device
  int64_t* offset = nullptr;
  // Backward only; the gradients are written: those of the queries, and those of keys and values,
  // unless their data is null.
  void* delta = nullptr;  // as logsumexp: sums of out * grad_out along rows
  Heads grad_out, grad_query, grad_key, grad_value;
};

// float and double, and half types computed in float. Heads are up to 256 wide; in double up to
// 128.
void fused_attention(const FusedArgs& a);
void fused_attention_backward(const FusedArgs& a);

}  // namespace at::native::attention
