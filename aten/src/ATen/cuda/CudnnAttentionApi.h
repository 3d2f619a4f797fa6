#pragma once
// Attention of cuDNN: what a call of it needs, and plans that compute it. gpu/cudnn_attention.cpp
// makes them with NVIDIA's cudnn-frontend, emulated/cudnn_attention.cpp with the CPU's operators.
//
//   std::string reason;
//   auto plan = make_attention_plan(problem, reason);  // null if cuDNN has no way to do it
//   plan->run(operands, workspace);                    // on the current stream

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <c10/core/ScalarType.h>

namespace at::cuda::cudnn {

// A tensor (batch, heads, rows, width); strides are in elements.
struct HeadsLayout {
  std::array<int64_t, 4> sizes{}, strides{};
};

// All that a plan depends on, besides the device.
struct AttentionProblem {
  c10::ScalarType dtype = c10::ScalarType::Half;  // of all tensors, except for the logsumexp
  bool is_backward = false;
  bool is_causal = false;       // the first query sees the first key only
  bool has_bias = false;        // it is added to the scaled scores
  bool keeps_logsumexp = true;  // forward only
  bool is_deterministic = false;
  double scale = 1;
  double dropout = 0;
  // Several heads of `query` may share one of `key` and `value`. `out` is also the layout of its
  // gradient; sizes of 1 in the first two dimensions of `bias` are broadcast.
  HeadsLayout query, key, value, out, bias;
  HeadsLayout grad_query, grad_key, grad_value;
};

// Memory of the device. What a problem does not have is null.
struct AttentionOperands {
  void *query = nullptr, *key = nullptr, *value = nullptr, *bias = nullptr, *out = nullptr;
  float* logsumexp = nullptr;                  // (batch, heads, queries, 1), dense
  int64_t *seed = nullptr, *offset = nullptr;  // where the random numbers of the dropout begin
  void *grad_out = nullptr, *grad_query = nullptr, *grad_key = nullptr, *grad_value = nullptr;
};

// May be used by several threads at once, on the device that was current when it was made.
class AttentionPlan {
 public:
  AttentionPlan() = default;
  AttentionPlan(const AttentionPlan&) = delete;
  AttentionPlan& operator=(const AttentionPlan&) = delete;
  virtual ~AttentionPlan() = default;
  virtual size_t workspace() const = 0;  // bytes
  virtual void run(const AttentionOperands& operands, void* workspace) const = 0;
};

// Whether the library is installed, and this build can call its attention.
bool has_attention();
// For the current device. Returns null and sets `reason` if cuDNN has no way to do it.
std::unique_ptr<AttentionPlan> make_attention_plan(const AttentionProblem& problem,
                                                   std::string& reason);

}  // namespace at::cuda::cudnn
