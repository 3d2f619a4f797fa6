// Whether a call of a recurrent layer is one for cuDNN, and that call.

#include <ATen/native/rnn/cudnn.h>

#include <ATen/ops/_cudnn_rnn.h>
#include <ATen/ops/_use_cudnn_rnn_flatten_weight_native.h>
#include <c10/core/GradMode.h>

namespace at::native {

std::vector<int64_t> RnnShape::parameter_sizes(int64_t layer, int64_t parameter) const {
  const int64_t rows = gates() * hidden;
  if (projection && parameter == parameters() - 1) return {projection, hidden};
  if (parameter >= 2) return {rows};
  return {rows, parameter == 1 ? output() : layer == 0 ? input : directions() * output()};
}

namespace {

bool is_like(const Tensor& t, const Tensor& like, IntArrayRef sizes) {
  return t.sizes() == sizes && t.scalar_type() == like.scalar_type() && t.device() == like.device();
}

// The shape that the arguments have, if they fit each other.
std::optional<RnnShape> shape_of(const RecurrentCall& c) {
  const bool is_packed = !c.batch_sizes.empty();
  if (c.input.dim() != (is_packed ? 2 : 3) || c.input.numel() == 0 || c.params.size() < 2 ||
      c.hx.dim() != 3 || c.num_layers < 1 || c.params[1].dim() != 2)
    return std::nullopt;
  const bool is_lstm = c.cell == CudnnCell::lstm;
  RnnShape s{c.cell, c.input.sizes().back(), 0, 0, c.num_layers, c.has_biases, c.bidirectional};
  s.hidden = c.params[1].sizes()[0] / s.gates();
  if (is_lstm && c.hx.sizes()[2] != s.hidden) s.projection = c.hx.sizes()[2];
  const int64_t numbers = c.num_layers * s.directions(),
                batch = is_packed ? c.batch_sizes[0] : c.input.sizes()[c.batch_first ? 0 : 1];
  if (s.hidden < 1 || s.projection > s.hidden ||
      static_cast<int64_t>(c.params.size()) != numbers * s.parameters() ||
      !is_like(c.hx, c.input, {numbers, batch, s.output()}) ||
      (is_lstm && !is_like(c.cx, c.input, {numbers, batch, s.hidden})))
    return std::nullopt;
  for (int64_t k = 0; k < static_cast<int64_t>(c.params.size()); ++k) {
    const int64_t layer = k / s.parameters() / s.directions();
    if (!is_like(c.params[k], c.input, s.parameter_sizes(layer, k % s.parameters())))
      return std::nullopt;
  }
  return s;
}

bool is_recorded(const RecurrentCall& c) {
  if (!GradMode::is_enabled()) return false;
  if (c.input.requires_grad() || c.hx.requires_grad() || (c.cx.defined() && c.cx.requires_grad()))
    return true;
  for (const Tensor& t : c.params)
    if (t.requires_grad()) return true;
  return false;
}

}  // namespace

std::optional<std::tuple<Tensor, Tensor, Tensor>> recurrent_by_cudnn(const RecurrentCall& c) {
  const auto takes = decltype(takes_cudnn_rnn_stub)::CUDA;
  if (!takes || !c.input.is_cuda()) return std::nullopt;
  const std::optional<RnnShape> s = shape_of(c);
  if (!s || !takes(c.input, *s)) return std::nullopt;
  const double dropout = c.train && s->layers > 1 ? c.dropout : 0;
  const Tensor states = dropout > 0 ? decltype(cudnn_dropout_stub)::CUDA(c.input) : Tensor();
  auto optional = [](const Tensor& t) {
    return t.defined() ? std::optional<Tensor>(t) : std::nullopt;
  };
  // cuDNN's layers have gradients in training only; without dropout that computes the same.
  auto [output, hy, cy, reserve, buffer] = at::_cudnn_rnn(
      c.input, c.params, s->parameters(), std::nullopt, c.hx, optional(c.cx),
      static_cast<int64_t>(s->cell), s->hidden, s->projection, s->layers, c.batch_first, dropout,
      c.train || is_recorded(c), s->is_bidirectional, c.batch_sizes, optional(states));
  return std::tuple(output, hy, cy);
}

bool _use_cudnn_rnn_flatten_weight() {
  const auto has_cudnn = decltype(has_cudnn_stub)::CUDA;
  return has_cudnn && has_cudnn();
}

}  // namespace at::native
