// Shapes of the LSTM layer's results and gradients.

#include <ATen/native/common/MetaArguments.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/mkldnn_rnn_layer_backward_native.h>
#include <ATen/ops/mkldnn_rnn_layer_native.h>

namespace at::native {
namespace {

// [steps, batch, features] in memory, and [batch, steps, features] for the caller if batch_first.
Tensor sequence(int64_t steps, int64_t batch, int64_t features, bool batch_first,
                const TensorOptions& options) {
  if (!batch_first) return at::empty({steps, batch, features}, options);
  return at::empty_strided({batch, steps, features}, {features, batch * features, 1}, options);
}

void check_layer(const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                 const Tensor& b_hh, const Tensor& hx, const Tensor& cx, int64_t hidden,
                 bool has_biases) {
  constexpr const char* kName = "mkldnn_rnn_layer";
  check_all_meta(kName, {&input, &w_ih, &w_hh, &hx, &cx});
  TORCH_CHECK(input.dim() == 3, kName, ": expected input of [steps, batch, features], got ",
              input.sizes());
  TORCH_CHECK(hidden > 0 && hidden <= (int64_t(1) << 31), kName,
              ": hidden_size is out of range, got ", hidden);
  auto expect = [&](const Tensor& t, IntArrayRef sizes, const char* name) {
    TORCH_CHECK(t.defined() && t.sizes() == sizes, kName, ": expected ", name, " of sizes ", sizes,
                ", got ", t.defined() ? t.sizes() : IntArrayRef());
  };
  expect(w_ih, {4 * hidden, input.sizes()[2]}, "w_ih");
  expect(w_hh, {4 * hidden, hidden}, "w_hh");
  if (!has_biases) return;
  check_all_meta(kName, {&b_ih, &b_hh});
  expect(b_ih, {4 * hidden}, "b_ih");
  expect(b_hh, {4 * hidden}, "b_hh");
}

Tensor dense(const Tensor& like) { return at::empty(like.sizes(), like.options()); }

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> mkldnn_rnn_layer_meta(
    const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
    const Tensor& b_hh, const Tensor& hx_, const Tensor& cx_, bool /*reverse*/,
    IntArrayRef /*batch_sizes*/, int64_t /*mode*/, int64_t hidden_size, int64_t /*num_layers*/,
    bool has_biases, bool /*bidirectional*/, bool batch_first, bool train) {
  check_layer(input, w_ih, w_hh, b_ih, b_hh, hx_, cx_, hidden_size, has_biases);
  const int64_t steps = input.sizes()[batch_first ? 1 : 0],
                batch = input.sizes()[batch_first ? 0 : 1];
  const TensorOptions options = input.options();
  return {sequence(steps, batch, hidden_size, batch_first, options), dense(hx_), dense(cx_),
          at::empty({train ? steps * batch * 5 * hidden_size : 0}, options)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> mkldnn_rnn_layer_backward_meta(
    const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
    const Tensor& b_hh, const Tensor& hx_, const Tensor& cx_, const Tensor& output,
    const Tensor& /*hy_*/, const Tensor& /*cy_*/, const std::optional<Tensor>& grad_output,
    const std::optional<Tensor>& grad_hy, const std::optional<Tensor>& grad_cy, bool /*reverse*/,
    int64_t /*mode*/, int64_t hidden_size, int64_t /*num_layers*/, bool has_biases, bool /*train*/,
    bool /*bidirectional*/, IntArrayRef /*batch_sizes*/, bool batch_first,
    const Tensor& workspace) {
  check_layer(input, w_ih, w_hh, b_ih, b_hh, hx_, cx_, hidden_size, has_biases);
  check_all_meta("mkldnn_rnn_layer_backward", {&output, &workspace});
  for (const auto* gradient : {&grad_output, &grad_hy, &grad_cy}) {
    if (*gradient) check_all_meta("mkldnn_rnn_layer_backward", {&**gradient});
  }
  const int64_t steps = input.sizes()[batch_first ? 1 : 0],
                batch = input.sizes()[batch_first ? 0 : 1];
  Tensor bias;
  if (has_biases) bias = at::empty({4 * hidden_size}, input.options());
  return {sequence(steps, batch, input.sizes()[2], batch_first, input.options()),
          dense(w_ih),
          dense(w_hh),
          bias,
          bias,
          dense(hx_),
          dense(cx_)};
}

}  // namespace at::native
