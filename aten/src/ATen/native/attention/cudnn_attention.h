#pragma once
// Attention by cuDNN: what its operators hand to the kernels in cuda/cudnn_attention.cpp.

#include <optional>
#include <string>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/util/SmallVector.h>

namespace at::native {

struct CudnnAttentionCall {
  // (batch, heads, rows, width). Several heads of `query` may share one of `key` and `value`.
  Tensor query, key, value;
  Tensor bias;  // added to the scores, or undefined; batch and heads may be 1
  double dropout = 0, scale = 1;
  bool is_causal = false;
  Tensor out;
  Tensor logsumexp;     // (batch, heads, queries, 1); forward: without elements if nobody needs it
  Tensor seed, offset;  // of the dropout: written in the forward pass, read in the backward one
  Tensor grad_out, grad_query, grad_key, grad_value;  // backward only
};

// These have kernels for CUDA only, in its own library: decltype(stub)::CUDA is null until that is
// loaded. The first two throw what cuDNN cannot do.
DECLARE_DISPATCH(void (*)(const CudnnAttentionCall&), cudnn_attention_stub);
DECLARE_DISPATCH(void (*)(const CudnnAttentionCall&), cudnn_attention_backward_stub);
// Why cuDNN does not take a call, as the end of a sentence; empty if it does. Of the tensors, only
// the shapes count. `trains`: the gradients will be needed.
DECLARE_DISPATCH(std::string (*)(const CudnnAttentionCall&, bool trains),
                 cudnn_attention_refusal_stub);
// Whether cuDNN's kernels are the fastest for this work on this device, and worth a plan.
DECLARE_DISPATCH(bool (*)(const Tensor& query, const Tensor& key), prefers_cudnn_attention_stub);

// The strides of a dense tensor of the sizes of `t`, except for the last, with its order of
// dimensions; rows are dense.
DimVector heads_strides(const Tensor& t, int64_t width);

// A bias of these sizes for queries of that type, uninitialized: rows begin at multiples of 16
// bytes.
Tensor empty_bias(IntArrayRef sizes, ScalarType dtype, Device device);

// Why cuDNN does not take a call of scaled_dot_product_attention, or nothing if it does. The
// arguments are such that kernels without a matrix of scores take them.
std::string cudnn_attention_refusal(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& mask, double dropout_p,
                                    bool is_causal, std::optional<double> scale);

}  // namespace at::native
