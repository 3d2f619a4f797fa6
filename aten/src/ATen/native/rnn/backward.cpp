// Derivatives of recurrent layers.

#include <ATen/native/rnn/backward.h>

#include <ATen/native/common/Derivatives.h>
#include <ATen/ops/_cudnn_rnn_backward.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mkldnn_rnn_layer_backward.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsafe_chunk.h>
#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {
namespace {

struct LstmGradients {
  Tensor x, w_ih, w_hh, b, h, c;
};

Tensor one_minus(const Tensor& x) { return at::rsub(x, 1); }

// Recomputes the layer and its backward pass with operators. x: [steps, batch, features].
LstmGradients lstm_gradients(const Tensor& x, const Tensor& w_ih, const Tensor& w_hh,
                             const Tensor& bias, const Tensor& h0, const Tensor& c0,
                             const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c,
                             bool reverse) {
  struct Step {
    Tensor i, f, u, o, c_before, h_before, tanh_c;
  };
  int64_t steps = x.sizes()[0], hidden = w_hh.sizes()[1];
  std::vector<Tensor> from_input = at::unbind(
      at::linear(x, w_ih, bias.defined() ? std::optional<Tensor>(bias) : std::nullopt), 0);
  std::vector<Step> done;
  Tensor h = h0, c = c0;
  for (int64_t k = 0; k < steps; ++k) {
    Tensor gates = at::add(from_input[reverse ? steps - 1 - k : k], at::linear(h, w_hh));
    std::vector<Tensor> g = at::unsafe_chunk(gates, 4, 1);
    Step s{at::sigmoid(g[0]), at::sigmoid(g[1]), at::tanh(g[2]), at::sigmoid(g[3]), c, h, {}};
    c = at::add(at::mul(s.f, c), at::mul(s.i, s.u));
    s.tanh_c = at::tanh(c);
    h = at::mul(s.o, s.tanh_c);
    done.push_back(std::move(s));
  }
  std::vector<Tensor> grads_out, dgates(steps), h_before(steps);
  if (grad_out.defined()) grads_out = at::unbind(grad_out, 0);
  Tensor dh = grad_h.defined() ? at::reshape(grad_h, h0.sizes()) : at::zeros_like(h0);
  Tensor dc = grad_c.defined() ? at::reshape(grad_c, c0.sizes()) : at::zeros_like(c0);
  for (int64_t k = steps - 1; k >= 0; --k) {
    int64_t t = reverse ? steps - 1 - k : k;
    const Step& s = done[k];
    if (grad_out.defined()) dh = at::add(dh, grads_out[t]);
    dc = at::add(dc, at::mul(at::mul(dh, s.o), one_minus(at::mul(s.tanh_c, s.tanh_c))));
    auto through_sigmoid = [](const Tensor& d, const Tensor& y) {
      return at::mul(d, at::mul(y, one_minus(y)));
    };
    Tensor d = at::cat(
        {through_sigmoid(at::mul(dc, s.u), s.i), through_sigmoid(at::mul(dc, s.c_before), s.f),
         at::mul(at::mul(dc, s.i), one_minus(at::mul(s.u, s.u))),
         through_sigmoid(at::mul(dh, s.tanh_c), s.o)},
        1);
    dh = at::matmul(d, w_hh);
    dc = at::mul(dc, s.f);
    dgates[t] = d;
    h_before[t] = s.h_before;
  }
  constexpr int64_t kRows[] = {0};
  LstmGradients result;
  result.h = dh;
  result.c = dc;
  Tensor d = at::stack(dgates, 0), rows = at::reshape(d, {-1, 4 * hidden}), columns = at::t(rows);
  result.x = at::matmul(d, w_ih);
  result.w_ih = at::matmul(columns, at::reshape(x, {rows.sizes()[0], x.sizes()[2]}));
  result.w_hh = at::matmul(columns, at::reshape(at::stack(h_before, 0), {-1, hidden}));
  if (bias.defined()) result.b = at::sum(rows, at::IntArrayRef(kRows));
  return result;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> lstm_layer_backward(
    const variable_list& grads, const Tensor& input, const Tensor& w_ih, const Tensor& w_hh,
    const Tensor& b_ih, const Tensor& b_hh, const Tensor& hx, const Tensor& cx,
    const Tensor& output, const Tensor& hy, const Tensor& cy, bool reverse, int64_t mode,
    int64_t hidden_size, bool has_biases, bool batch_first, const Tensor& workspace) {
  const bool again = at::native::is_differentiated_again(input, w_ih, w_hh, hx, cx, grads[0]);
  if (!again || output.numel() == 0) {
    return at::mkldnn_rnn_layer_backward(input, w_ih, w_hh, b_ih, b_hh, hx, cx, output, hy, cy,
                                         grads[0], grads[1], grads[2], reverse, mode, hidden_size,
                                         1, has_biases, true, false, at::IntArrayRef(), batch_first,
                                         workspace);
  }
  auto time_ordered = [&](const Tensor& t) {
    return batch_first && t.defined() ? at::transpose(t, 0, 1) : t;
  };
  Tensor x = time_ordered(input);
  auto as_matrix = [&](const Tensor& t) { return at::reshape(t, {x.sizes()[1], hidden_size}); };
  LstmGradients g =
      lstm_gradients(x, w_ih, w_hh, has_biases ? at::add(b_ih, b_hh) : Tensor(), as_matrix(hx),
                     as_matrix(cx), time_ordered(grads[0]), grads[1], grads[2], reverse);
  return {time_ordered(g.x),           g.w_ih, g.w_hh, g.b, g.b, at::reshape(g.h, hx.sizes()),
          at::reshape(g.c, cx.sizes())};
}

std::tuple<Tensor, Tensor, Tensor, std::vector<Tensor>> cudnn_rnn_gradients(
    const variable_list& grads, const Tensor& input, at::TensorList weight, int64_t weight_stride0,
    const Tensor& weight_buf, const Tensor& hx, const Tensor& cx, const Tensor& output,
    int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, bool batch_first,
    double dropout, bool train, bool bidirectional, at::IntArrayRef batch_sizes,
    const Tensor& dropout_state, const Tensor& reserve, std::array<bool, 4> mask) {
  auto optional = [](const Tensor& t) {
    return t.defined() ? std::optional<Tensor>(t) : std::nullopt;
  };
  // The third result is empty but for an LSTM.
  return at::_cudnn_rnn_backward(
      input, weight, weight_stride0, weight_buf, hx, optional(cx), output, optional(grads[0]),
      optional(grads[1]), cx.defined() ? optional(grads[2]) : std::nullopt, mode, hidden_size,
      proj_size, num_layers, batch_first, dropout, train, bidirectional, batch_sizes,
      optional(dropout_state), reserve, mask);
}

Tensor no_derivative_of_cudnn_rnn() {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false,
      "the derivative for '_cudnn_rnn_backward' is not implemented: cuDNN has no second "
      "derivatives "
      "of recurrent layers. Kernels of this library have them: call the layers inside of `with "
      "torch.backends.cudnn.flags(enabled=False):`.");
  __builtin_unreachable();
}
std::vector<Tensor> no_derivatives_of_cudnn_rnn() { no_derivative_of_cudnn_rnn(); }

}  // namespace torch::autograd::generated
