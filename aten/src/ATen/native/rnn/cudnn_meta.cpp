// Shapes of the results and gradients of cuDNN's recurrent layers.

#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/rnn/cudnn.h>
#include <ATen/ops/_cudnn_init_dropout_state_native.h>
#include <ATen/ops/_cudnn_rnn_backward_native.h>
#include <ATen/ops/_cudnn_rnn_flatten_weight_native.h>
#include <ATen/ops/_cudnn_rnn_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/transpose.h>

namespace at::native {

static Tensor dense_like(const Tensor& t) {
  return t.defined() ? at::empty(t.sizes(), t.options()) : Tensor();
}

static int64_t numbers_of(TensorList tensors) {
  int64_t numbers = 0;
  for (const Tensor& t : tensors) numbers += t.numel();
  return numbers;
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> _cudnn_rnn_meta(
    const Tensor& input, TensorList weight, int64_t /*weight_stride0*/,
    const std::optional<Tensor>& weight_buf, const Tensor& hx, const std::optional<Tensor>& cx,
    int64_t /*mode*/, int64_t hidden_size, int64_t proj_size, int64_t /*num_layers*/,
    bool batch_first, double /*dropout*/, bool /*train*/, bool bidirectional,
    IntArrayRef batch_sizes, const std::optional<Tensor>& /*dropout_state*/) {
  TORCH_CHECK(input.dim() == (batch_sizes.empty() ? 3 : 2), "_cudnn_rnn: expected an input of ",
              batch_sizes.empty() ? "3" : "2", " dimensions, got ", input.sizes());
  const bool transposes = batch_first && batch_sizes.empty();
  std::vector<int64_t> sizes = (transposes ? at::transpose(input, 0, 1) : input).sizes().vec();
  const int64_t width = proj_size ? proj_size : hidden_size;
  TORCH_CHECK(width > 0 && width <= INT32_MAX, "_cudnn_rnn: expected a hidden size from 1 to ",
              INT32_MAX, ", got ", width);
  sizes.back() = width * (bidirectional ? 2 : 1);
  const Tensor y = at::empty(sizes, input.options());
  const Tensor& given_cx = value_or_undefined(cx);
  const Tensor none = at::empty({0}, input.options());
  // How much cuDNN keeps for the backward pass is not known here.
  const Tensor reserve = at::empty({0}, input.options().dtype(kByte));
  Tensor buffer = value_or_undefined(weight_buf);
  if (!buffer.defined()) buffer = at::empty({numbers_of(weight)}, input.options());
  return {transposes ? at::transpose(y, 0, 1) : y, dense_like(hx),
          given_cx.defined() ? dense_like(given_cx) : none, reserve, buffer};
}

std::tuple<Tensor, Tensor, Tensor, std::vector<Tensor>> _cudnn_rnn_backward_meta(
    const Tensor& input, TensorList weight, int64_t /*weight_stride0*/,
    const Tensor& /*weight_buf*/, const Tensor& hx, const std::optional<Tensor>& cx,
    const Tensor& /*output*/, const std::optional<Tensor>& /*grad_output*/,
    const std::optional<Tensor>& /*grad_hy*/, const std::optional<Tensor>& /*grad_cy*/,
    int64_t /*mode*/, int64_t /*hidden_size*/, int64_t /*proj_size*/, int64_t /*num_layers*/,
    bool /*batch_first*/, double /*dropout*/, bool /*train*/, bool /*bidirectional*/,
    IntArrayRef /*batch_sizes*/, const std::optional<Tensor>& /*dropout_state*/,
    const Tensor& /*reserve*/, std::array<bool, 4> output_mask) {
  std::vector<Tensor> weights(weight.size());
  if (output_mask[3])
    for (size_t k = 0; k < weights.size(); ++k) weights[k] = dense_like(weight[k]);
  return {output_mask[0] ? dense_like(input) : Tensor(), output_mask[1] ? dense_like(hx) : Tensor(),
          output_mask[2] ? dense_like(value_or_undefined(cx)) : Tensor(), std::move(weights)};
}

Tensor _cudnn_rnn_flatten_weight_meta(TensorList weight_arr, int64_t /*weight_stride0*/,
                                      int64_t /*input_size*/, int64_t /*mode*/,
                                      int64_t /*hidden_size*/, int64_t /*proj_size*/,
                                      int64_t /*num_layers*/, bool /*batch_first*/,
                                      bool /*bidirectional*/) {
  TORCH_CHECK(!weight_arr.empty(), "_cudnn_rnn_flatten_weight: there are no weights");
  return at::empty({numbers_of(weight_arr)}, weight_arr[0].options());
}

Tensor _cudnn_init_dropout_state_meta(double /*dropout*/, bool /*train*/, int64_t /*dropout_seed*/,
                                      std::optional<ScalarType> /*dtype*/,
                                      std::optional<Layout> /*layout*/,
                                      std::optional<Device> device,
                                      std::optional<bool> /*pin_memory*/) {
  // How large the state is, is not known here.
  return at::empty({0}, TensorOptions(kByte).device(*device));
}

}  // namespace at::native
