// One direction of an LSTM layer over all time steps.
//
// Everything that does not depend on the previous step is one matrix product over all steps: the
// inputs' contribution to the gates and, in the backward pass, the gradients of both weights and of
// the inputs. A step itself is one product with the hidden state and the elementwise cell. Large
// batches go through all steps in one kernel, inputs included (lstm_kernel.cpp).

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/rnn/rnn.h>
#include <ATen/ops/add.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/mkldnn_rnn_layer_backward_native.h>
#include <ATen/ops/mkldnn_rnn_layer_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

constexpr int64_t kLstm = 2;

struct LayerShape {
  int64_t steps, batch, input, hidden;
};

void expect(const Tensor& t, IntArrayRef sizes, const char* name) {
  TORCH_CHECK(t.defined() && t.sizes() == sizes, "mkldnn_rnn_layer: expected ", name, " of sizes ",
              sizes, ", got ", t.defined() ? t.sizes() : IntArrayRef());
  TORCH_CHECK(t.scalar_type() == kFloat, "mkldnn_rnn_layer: expected ", name,
              " of type float32, got ", dtypeName(t.scalar_type()));
  TORCH_CHECK(t.is_cpu(), "mkldnn_rnn_layer: expected ", name, " on the CPU, got ", t.device());
}

// [steps, batch, features], or [batch, steps, features] where batch_first.
void expect_sequence(const Tensor& t, const char* name) {
  TORCH_CHECK(t.dim() == 3, "mkldnn_rnn_layer: expected ", name,
              " of [steps, batch, features], got ", t.sizes());
  expect(t, t.sizes(), name);
}

LayerShape check(const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                 const Tensor& b_hh, const Tensor& hx, const Tensor& cx, int64_t mode,
                 int64_t hidden, bool has_biases) {
  TORCH_CHECK(mode == kLstm, "mkldnn_rnn_layer: only LSTM (mode 2) is computed so, got mode ",
              mode);
  LayerShape s{x.sizes()[0], x.sizes()[1], x.sizes()[2], hidden};
  // Products of these sizes are computed below. Tensors without elements may have sizes whose
  // products overflow.
  auto within = [](int64_t n) { return n <= (int64_t(1) << 31); };
  TORCH_CHECK(hidden > 0, "mkldnn_rnn_layer: hidden_size must be positive, got ", hidden);
  TORCH_CHECK(within(s.steps) && within(s.batch) && within(s.input) && within(hidden) &&
                  within(s.steps * s.batch),
              "mkldnn_rnn_layer: sizes are too large: input ", x.sizes(), ", hidden_size ", hidden);
  expect(w_ih, {4 * hidden, s.input}, "w_ih");
  expect(w_hh, {4 * hidden, hidden}, "w_hh");
  if (has_biases) {
    expect(b_ih, {4 * hidden}, "b_ih");
    expect(b_hh, {4 * hidden}, "b_hh");
  }
  TORCH_CHECK(hx.numel() == s.batch * hidden && cx.numel() == s.batch * hidden,
              "mkldnn_rnn_layer: expected states of [batch, hidden] = [", s.batch, ", ", hidden,
              "], got ", hx.sizes(), " and ", cx.sizes());
  expect(hx, hx.sizes(), "hx");
  expect(cx, cx.sizes(), "cx");
  return s;
}

float* data(const Tensor& t) { return static_cast<float*>(t.data_ptr()); }

// [steps, batch, ...] or [batch, steps, ...] as [steps, batch, ...], contiguous.
Tensor by_steps(const Tensor& t, bool batch_first) {
  if (!batch_first) return at::contiguous(t);
  auto impl = t.unsafeGetTensorImpl()->shallow_copy();
  DimVector sizes(t.sizes()), strides(t.strides());
  std::swap(sizes[0], sizes[1]);
  std::swap(strides[0], strides[1]);
  impl->set_sizes_and_strides(sizes, strides);
  return at::contiguous(Tensor(std::move(impl)));
}

// Whether there are enough rows for each thread to go through all steps alone.
bool by_rows(const LayerShape& s) { return s.steps >= 4 && s.batch >= 4 * get_num_threads(); }

}  // namespace

// Results: the hidden states of all steps, the last hidden and cell state, and if `train`, what the
// backward pass needs: the activated gates of all steps, then the cell states.
std::tuple<Tensor, Tensor, Tensor, Tensor> mkldnn_rnn_layer(
    const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
    const Tensor& b_hh, const Tensor& hx_, const Tensor& cx_, bool reverse,
    IntArrayRef /*batch_sizes*/, int64_t mode, int64_t hidden_size, int64_t /*num_layers*/,
    bool has_biases, bool /*bidirectional*/, bool batch_first, bool train) {
  expect_sequence(input, "input");
  Tensor x = by_steps(input, batch_first);
  LayerShape s = check(x, w_ih, w_hh, b_ih, b_hh, hx_, cx_, mode, hidden_size, has_biases);
  int64_t H = s.hidden, rows = s.steps * s.batch, cell = s.batch * H;
  Tensor wi = at::contiguous(w_ih), wh = at::contiguous(w_hh), h0 = at::contiguous(hx_),
         c0 = at::contiguous(cx_);
  Tensor output = empty_tensor({s.steps, s.batch, H}, kFloat),
         hy = empty_tensor(hx_.sizes(), kFloat), cy = empty_tensor(cx_.sizes(), kFloat);
  Tensor bias = has_biases ? at::add(b_ih, b_hh) : at::zeros({4 * H}, TensorOptions(kFloat));
  const float *h = data(h0), *c = data(c0);
  Tensor workspace;
  if (by_rows(s)) {
    workspace = empty_tensor({train ? rows * 5 * H : 0}, kFloat);
    LstmSteps all{};
    all.steps = s.steps;
    all.batch = s.batch;
    all.input = s.input;
    all.hidden = H;
    all.reverse = reverse;
    all.x = data(x);
    all.x_step = s.batch * s.input;
    all.x_row = s.input;
    all.w_ih = data(wi);
    all.w_hh = data(wh);
    all.bias = data(bias);
    all.h0 = h;
    all.c0 = c;
    all.gates = train ? data(workspace) : nullptr;
    all.cells = train ? data(workspace) + rows * 4 * H : data(cy);
    all.output = data(output);
    lstm_steps_stub(kCPU, all);
    int64_t last = reverse ? 0 : s.steps - 1;
    h = data(output) + last * cell;
    c = train ? all.cells + last * cell : all.cells;
  } else {
    Tensor both = empty_tensor({rows * 5 * H}, kFloat);
    workspace = train ? both : empty_tensor({0}, kFloat);
    float *gates = data(both), *cells = gates + rows * 4 * H;
    dense_gemm(kFloat, false, true, rows, 4 * H, s.input, data(x), data(wi), 0, gates);
    Tensor from_hidden = empty_tensor({s.batch, 4 * H}, kFloat);
    for (int64_t k = 0; k < s.steps; ++k) {
      int64_t t = reverse ? s.steps - 1 - k : k;
      dense_gemm(kFloat, false, true, s.batch, 4 * H, H, h, data(wh), 0, data(from_hidden));
      lstm_cell_stub(kCPU, s.batch, H, gates + t * 4 * cell, data(from_hidden), data(bias), c,
                     cells + t * cell, data(output) + t * cell);
      h = data(output) + t * cell;
      c = cells + t * cell;
    }
  }
  std::memcpy(hy.data_ptr(), h, cell * sizeof(float));
  if (c != data(cy)) std::memcpy(cy.data_ptr(), c, cell * sizeof(float));
  if (batch_first) {
    auto impl = output.unsafeGetTensorImpl();
    impl->set_sizes_and_strides({s.batch, s.steps, H}, {H, cell, 1});
  }
  return {output, hy, cy, workspace};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> mkldnn_rnn_layer_backward(
    const Tensor& input, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
    const Tensor& b_hh, const Tensor& hx_, const Tensor& cx_, const Tensor& output,
    const Tensor& /*hy_*/, const Tensor& /*cy_*/, const std::optional<Tensor>& grad_output,
    const std::optional<Tensor>& grad_hy, const std::optional<Tensor>& grad_cy, bool reverse,
    int64_t mode, int64_t hidden_size, int64_t /*num_layers*/, bool has_biases, bool /*train*/,
    bool /*bidirectional*/, IntArrayRef /*batch_sizes*/, bool batch_first,
    const Tensor& workspace) {
  expect_sequence(input, "input");
  Tensor x = by_steps(input, batch_first);
  LayerShape s = check(x, w_ih, w_hh, b_ih, b_hh, hx_, cx_, mode, hidden_size, has_biases);
  int64_t H = s.hidden, rows = s.steps * s.batch, cell = s.batch * H;
  TORCH_CHECK(workspace.scalar_type() == kFloat && workspace.is_contiguous() &&
                  workspace.numel() == rows * 5 * H && workspace.is_cpu(),
              "mkldnn_rnn_layer_backward: the workspace does not fit the input");
  int64_t first = batch_first ? s.batch : s.steps, second = batch_first ? s.steps : s.batch;
  expect(output, {first, second, H}, "output");
  Tensor wi = at::contiguous(w_ih), wh = at::contiguous(w_hh), h0 = at::contiguous(hx_),
         c0 = at::contiguous(cx_);
  Tensor out = by_steps(output, batch_first);
  auto check_gradient = [](const std::optional<Tensor>& g, IntArrayRef sizes, const char* name) {
    if (!g || !g->defined()) return false;
    expect(*g, sizes, name);
    return true;
  };
  Tensor grad_out;
  if (check_gradient(grad_output, output.sizes(), "grad_output"))
    grad_out = by_steps(*grad_output, batch_first);
  Tensor dh = at::zeros({s.batch, H}, TensorOptions(kFloat)),
         dc = at::zeros({s.batch, H}, TensorOptions(kFloat));
  auto start = [&](const std::optional<Tensor>& g, const Tensor& to, IntArrayRef sizes,
                   const char* name) {
    if (check_gradient(g, sizes, name))
      std::memcpy(to.data_ptr(), at::contiguous(*g).data_ptr(), cell * sizeof(float));
  };
  start(grad_hy, dh, hx_.sizes(), "grad_hy");
  start(grad_cy, dc, cx_.sizes(), "grad_cy");
  Tensor dgates = empty_tensor({s.steps, s.batch, 4 * H}, kFloat);
  float *gates = data(workspace), *cells = gates + rows * 4 * H;
  if (by_rows(s)) {
    LstmSteps all{};
    all.steps = s.steps;
    all.batch = s.batch;
    all.hidden = H;
    all.reverse = reverse;
    all.w_hh = data(wh);
    all.c0 = data(c0);
    all.gates = gates;
    all.cells = cells;
    all.output = data(out);
    all.grad_output = grad_out.defined() ? data(grad_out) : nullptr;
    all.grad_h = data(dh);
    all.grad_c = data(dc);
    all.dgates = data(dgates);
    lstm_steps_backward_stub(kCPU, all);
  } else {
    for (int64_t k = s.steps - 1; k >= 0; --k) {
      int64_t t = reverse ? s.steps - 1 - k : k, previous = reverse ? t + 1 : t - 1;
      const float* c_before = k == 0 ? data(c0) : cells + previous * cell;
      if (grad_out.defined()) {
        float* to = data(dh);
        const float* from = data(grad_out) + t * cell;
        for (int64_t i = 0; i < cell; ++i) to[i] += from[i];
      }
      float* d = data(dgates) + t * 4 * cell;
      lstm_cell_backward_stub(kCPU, s.batch, H, gates + t * 4 * cell, c_before, cells + t * cell,
                              data(dh), data(dc), d);
      dense_gemm(kFloat, false, false, s.batch, H, 4 * H, d, data(wh), 0, data(dh));
    }
  }
  Tensor dx = empty_tensor({s.steps, s.batch, s.input}, kFloat),
         dwi = empty_tensor(w_ih.sizes(), kFloat), dwh = empty_tensor(w_hh.sizes(), kFloat);
  dense_gemm(kFloat, false, false, rows, s.input, 4 * H, data(dgates), data(wi), 0, data(dx));
  dense_gemm(kFloat, true, false, 4 * H, s.input, rows, data(dgates), data(x), 0, data(dwi));
  // Each step's gradients are multiplied with the output of the previous step; those of the first
  // with the initial state.
  int64_t begin = reverse ? (s.steps - 1) * 4 * cell : 0, others = reverse ? 0 : 4 * cell,
          outputs = reverse ? cell : 0;
  dense_gemm(kFloat, true, false, 4 * H, H, s.steps > 0 ? s.batch : 0, data(dgates) + begin,
             data(h0), 0, data(dwh));
  if (s.steps > 1)
    dense_gemm(kFloat, true, false, 4 * H, H, rows - s.batch, data(dgates) + others,
               data(out) + outputs, 1, data(dwh));
  Tensor db;
  if (has_biases) {
    int64_t dims[] = {0, 1};
    db = at::sum(dgates, IntArrayRef(dims));
  }
  if (batch_first)
    dx.unsafeGetTensorImpl()->set_sizes_and_strides({s.batch, s.steps, s.input},
                                                    {s.input, s.batch * s.input, 1});
  auto shaped = [](const Tensor& t, const Tensor& like) {
    t.unsafeGetTensorImpl()->set_sizes_contiguous(like.sizes());
    return t;
  };
  return {dx, dwi, dwh, db, db, shaped(dh, hx_), shaped(dc, cx_)};
}

}  // namespace at::native
