#pragma once
// Derivative formulas of this family.

#include <torch/csrc/autograd/function.h>

#include <array>
#include <optional>
#include <tuple>

namespace torch::autograd::generated {

// Of queries, keys and values.
std::tuple<Tensor, Tensor, Tensor> efficient_attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& bias, const Tensor& out, const Tensor& logsumexp,
    const Tensor& seed, const Tensor& offset, double dropout_p, std::array<bool, 3> needed,
    bool is_causal, std::optional<double> scale);

std::tuple<Tensor, Tensor, Tensor> flash_attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, const Tensor& rng_state, const Tensor& unused,
    double dropout_p, bool is_causal, std::optional<double> scale);

std::tuple<Tensor, Tensor, Tensor> cudnn_attention_gradients(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& bias, const Tensor& out, const Tensor& logsumexp,
    const Tensor& seed, const Tensor& offset, double dropout_p, bool is_causal,
    std::optional<double> scale);

}  // namespace torch::autograd::generated
