// Attention of cuDNN for the emulated device: the definition, by operators of the CPU in float,
// when the stream comes to it. Rows whose scores are all -inf become NaN, as they may on a GPU.

#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/cuda/CudnnAttentionApi.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/view.h>

#include "CudnnState.h"

namespace at::cuda::cudnn {
namespace {

using namespace emulated;

constexpr int64_t kMaxWidth = 128;
// Memory that a GPU would need in the backward pass; nothing is kept in it.
constexpr size_t kWorkspace = 512;

Tensor tensor_at(const void* address, const HeadsLayout& layout, ScalarType dtype) {
  return at::from_blob(const_cast<void*>(address), layout.sizes, layout.strides, dtype);
}

Tensor transposed(const Tensor& t) { return at::transpose(t, -2, -1); }

// Uniform in [0, 1): the mixing function of SplitMix64 (Steele, Lea, Flood 2014).
double uniform(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

class EmulatedPlan final : public AttentionPlan {
 public:
  explicit EmulatedPlan(const AttentionProblem& problem) : p_(problem) {}
  size_t workspace() const override { return p_.is_backward ? kWorkspace : 0; }

  void run(const AttentionOperands& operands, void* workspace) const override {
    TORCH_INTERNAL_ASSERT(!p_.is_backward || workspace, "attention without its workspace");
    const auto* state = static_cast<const HandleState*>(handle());
    const auto error = torch_emulated_cuda::enqueue(state->stream, [p = p_, operands] {
      EmulatedPlan plan(p);
      p.is_backward ? plan.backward(operands) : plan.forward(operands);
    }, "attention of cuDNN");
    TORCH_CHECK(error == cudaSuccess, "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED");
  }

 private:
  Tensor read(const void* address, const HeadsLayout& layout) const {
    return at::_to_copy(tensor_at(address, layout, p_.dtype), kFloat);
  }
  int64_t sharing() const { return p_.query.sizes[1] / p_.key.sizes[1]; }
  // A head of keys or values for each head of queries, and the sum over those that share one.
  Tensor for_queries(const Tensor& t) const {
    return sharing() == 1 ? t : at::repeat_interleave(t, sharing(), 1);
  }
  Tensor of_shared(const Tensor& grad) const {
    if (sharing() == 1) return grad;
    const auto s = grad.sizes();
    return at::sum(at::view(grad, {s[0], s[1] / sharing(), sharing(), s[2], s[3]}), {2});
  }

  Tensor scores(const AttentionOperands& o) const {
    Tensor s = at::matmul(read(o.query, p_.query), transposed(for_queries(read(o.key, p_.key)))) *
               Scalar(p_.scale);
    if (p_.has_bias) s = s + read(o.bias, p_.bias);
    if (p_.is_causal) {
      const Tensor seen =
          at::tril(at::ones({p_.query.sizes[2], p_.key.sizes[2]}, TensorOptions(kFloat)));
      s = at::masked_fill(s, at::eq(seen, 0), -INFINITY);
    }
    return s;
  }

  // What the dropout multiplies a weight with; undefined without one.
  Tensor factors(const AttentionOperands& o) const {
    if (p_.dropout == 0) return {};
    Tensor kept =
        at::empty({p_.query.sizes[0], p_.query.sizes[1], p_.query.sizes[2], p_.key.sizes[2]},
                  TensorOptions(kFloat));
    auto* at = static_cast<float*>(kept.data_ptr());
    const auto seed = static_cast<uint64_t>(*o.seed), first = static_cast<uint64_t>(*o.offset);
    for (int64_t i = 0; i < kept.numel(); ++i)
      at[i] = uniform(seed, first + static_cast<uint64_t>(i)) < p_.dropout
                  ? 0
                  : static_cast<float>(1 / (1 - p_.dropout));
    return kept;
  }

  void write(void* address, const HeadsLayout& layout, const Tensor& values) const {
    Tensor target = tensor_at(address, layout, p_.dtype);
    at::copy_(target, values);
  }

  void forward(const AttentionOperands& o) const {
    const Tensor s = scores(o), logsumexp = at::logsumexp(s, {-1}, true), kept = factors(o);
    Tensor weights = at::exp(s - logsumexp);
    if (kept.defined()) weights = weights * kept;
    write(o.out, p_.out, at::matmul(weights, for_queries(read(o.value, p_.value))));
    if (p_.keeps_logsumexp)
      std::copy_n(static_cast<const float*>(logsumexp.data_ptr()), logsumexp.numel(), o.logsumexp);
  }

  void backward(const AttentionOperands& o) const {
    const Tensor grad = read(o.grad_out, p_.out), kept = factors(o);
    const Tensor logsumexp = at::from_blob(
        o.logsumexp, {p_.query.sizes[0], p_.query.sizes[1], p_.query.sizes[2], 1}, kFloat);
    const Tensor weights = at::exp(scores(o) - logsumexp);
    const Tensor dropped = kept.defined() ? weights * kept : weights;
    Tensor of_weights = at::matmul(grad, transposed(for_queries(read(o.value, p_.value))));
    if (kept.defined()) of_weights = of_weights * kept;
    const Tensor delta = at::sum(grad * read(o.out, p_.out), {-1}, true);
    const Tensor of_scores = weights * (of_weights - delta) * Scalar(p_.scale);
    write(o.grad_query, p_.grad_query, at::matmul(of_scores, for_queries(read(o.key, p_.key))));
    write(o.grad_key, p_.grad_key,
          of_shared(at::matmul(transposed(of_scores), read(o.query, p_.query))));
    write(o.grad_value, p_.grad_value, of_shared(at::matmul(transposed(dropped), grad)));
  }

  const AttentionProblem p_;
};

}  // namespace

bool has_attention() { return is_there(); }

std::unique_ptr<AttentionPlan> make_attention_plan(const AttentionProblem& p, std::string& reason) {
  const int64_t width = std::max(p.query.sizes[3], p.value.sizes[3]);
  if (width > kMaxWidth) {
    reason = "heads are " + std::to_string(width) + " wide, more than " + std::to_string(kMaxWidth);
    return nullptr;
  }
  return std::make_unique<EmulatedPlan>(p);
}

}  // namespace at::cuda::cudnn
