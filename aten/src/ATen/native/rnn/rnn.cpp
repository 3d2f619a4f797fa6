// lstm, gru, rnn_tanh, rnn_relu over layers and directions, and their cells.

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/rnn/cudnn.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gru_cell_native.h>
#include <ATen/ops/gru_native.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/lstm_cell_native.h>
#include <ATen/ops/lstm_native.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mkldnn_rnn_layer.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rnn_relu_cell_native.h>
#include <ATen/ops/rnn_relu_native.h>
#include <ATen/ops/rnn_tanh_cell_native.h>
#include <ATen/ops/rnn_tanh_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/t.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsafe_chunk.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

enum class Cell { rnn_relu, rnn_tanh, lstm, gru };

int64_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }

// The parameters of one direction of one layer; biases and projection may be undefined.
struct Parameters {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};

struct State {
  Tensor h, c;  // c: LSTM only
};

std::optional<Tensor> optional(const Tensor& t) {
  return t.defined() ? std::optional<Tensor>(t) : std::nullopt;
}

Tensor from_input(const Tensor& x, const Parameters& p) {
  return at::linear(x, p.w_ih, optional(p.b_ih));
}
Tensor from_hidden(const Tensor& h, const Parameters& p) {
  return at::linear(h, p.w_hh, optional(p.b_hh));
}

// One step, given the input's contribution to the gates.
State step(Cell cell, const Tensor& gates_x, const State& s, const Parameters& p) {
  Tensor gates_h = from_hidden(s.h, p);
  switch (cell) {
    case Cell::rnn_relu:
      return {at::relu(at::add(gates_h, gates_x)), {}};
    case Cell::rnn_tanh:
      return {at::tanh(at::add(gates_h, gates_x)), {}};
    case Cell::lstm: {
      std::vector<Tensor> g = at::unsafe_chunk(at::add(gates_h, gates_x), 4, 1);
      Tensor i = at::sigmoid(g[0]), f = at::sigmoid(g[1]), u = at::tanh(g[2]),
             o = at::sigmoid(g[3]);
      Tensor c = at::add(at::mul(f, s.c), at::mul(i, u));
      Tensor h = at::mul(o, at::tanh(c));
      if (p.w_hr.defined()) h = at::matmul(h, at::t(p.w_hr));
      return {h, c};
    }
    case Cell::gru: {
      std::vector<Tensor> x = at::unsafe_chunk(gates_x, 3, 1), h = at::unsafe_chunk(gates_h, 3, 1);
      Tensor r = at::sigmoid(at::add(h[0], x[0])), z = at::sigmoid(at::add(h[1], x[1]));
      Tensor n = at::tanh(at::add(x[2], at::mul(h[2], r)));
      return {at::add(at::mul(at::sub(s.h, n), z), n), {}};
    }
  }
  return s;
}

void check_state(const Tensor& s, int64_t batch, int64_t features, const char* name,
                 const char* op) {
  int64_t requested[] = {batch, features};
  TORCH_CHECK(s.sizes() == IntArrayRef(requested), op, ": expected each ", name,
              " state to have sizes ", IntArrayRef(requested), ", got ", s.sizes());
}

void check_parameters(Cell cell, const Parameters& p, int64_t input_size, const char* op) {
  TORCH_CHECK(p.w_ih.dim() == 2 && p.w_hh.dim() == 2, op, ": weights must be matrices, got ",
              p.w_ih.sizes(), " and ", p.w_hh.sizes());
  TORCH_CHECK(p.w_ih.sizes()[0] == p.w_hh.sizes()[0] && p.w_ih.sizes()[0] % gates_of(cell) == 0, op,
              ": weights of sizes ", p.w_ih.sizes(), " and ", p.w_hh.sizes(), " do not fit ",
              gates_of(cell), " gates");
  TORCH_CHECK(p.w_ih.sizes()[1] == input_size, op, ": input has inconsistent input_size: got ",
              input_size, " expected ", p.w_ih.sizes()[1]);
}

// All steps of one direction, [steps, batch, features]; the outputs in time order.
std::pair<Tensor, State> layer(Cell cell, const Tensor& input, const State& initial,
                               const Parameters& p, bool reverse, const char* op) {
  check_parameters(cell, p, input.sizes().back(), op);
  int64_t steps = input.sizes()[0];
  const ScalarType dtype = input.scalar_type();
  const bool is_half = dtype == kHalf || dtype == kBFloat16;
  bool fused = cell == Cell::lstm && (dtype == kFloat || is_half) && input.is_cpu() &&
               !p.w_hr.defined() && input.numel() > 0 && p.b_ih.defined() == p.b_hh.defined() &&
               p.w_ih.scalar_type() == dtype && p.w_hh.scalar_type() == dtype;
  if (fused) {
    // Halves are computed in float, and rounded once at the end.
    const auto in_float = [is_half](const Tensor& t) {
      return is_half ? at::_to_copy(t, TensorOptions(kFloat)) : t;
    };
    const auto stored = [&](const Tensor& t) {
      return is_half ? at::_to_copy(t, TensorOptions(dtype)) : t;
    };
    int64_t hidden = p.w_hh.sizes()[1];
    const Tensor w_ih = in_float(p.w_ih), none = at::narrow(w_ih, 0, 0, 0);
    bool differentiated = false;
    for (const Tensor* t : {&input, &initial.h, &initial.c, &p.w_ih, &p.w_hh, &p.b_ih, &p.b_hh})
      differentiated |= may_need_derivative(*t);
    auto [out, hy, cy, workspace] = at::mkldnn_rnn_layer(
        in_float(input), w_ih, in_float(p.w_hh), p.b_ih.defined() ? in_float(p.b_ih) : none,
        p.b_hh.defined() ? in_float(p.b_hh) : none, in_float(initial.h), in_float(initial.c),
        reverse, IntArrayRef(), 2, hidden, 1, p.b_ih.defined(), false, false, differentiated);
    return {stored(out), {stored(hy), stored(cy)}};
  }
  std::vector<Tensor> gates = at::unbind(from_input(input, p), 0), outputs(steps);
  State s = initial;
  for (int64_t k = 0; k < steps; ++k) {
    int64_t t = reverse ? steps - 1 - k : k;
    s = step(cell, gates[t], s, p);
    outputs[t] = s.h;
  }
  return {at::stack(outputs, 0), s};
}

// The same for sequences of different lengths, longest first: `data` holds the steps of all
// sequences one after the other, batch_sizes[t] rows for step t.
std::pair<Tensor, State> packed_layer(Cell cell, const Tensor& data, IntArrayRef sizes,
                                      const State& initial, const Parameters& p, bool reverse,
                                      const char* op) {
  check_parameters(cell, p, data.sizes().back(), op);
  Tensor gates = from_input(data, p);
  int64_t steps = static_cast<int64_t>(sizes.size());
  std::vector<int64_t> begin(steps + 1, 0);
  for (int64_t t = 0; t < steps; ++t) begin[t + 1] = begin[t] + sizes[t];
  auto rows = [](const State& s, int64_t from, int64_t n) {
    return State{at::narrow(s.h, 0, from, n),
                 s.c.defined() ? at::narrow(s.c, 0, from, n) : Tensor()};
  };
  auto joined = [](const std::vector<State>& parts) {
    std::vector<Tensor> h, c;
    for (const State& s : parts) {
      h.push_back(s.h);
      if (s.c.defined()) c.push_back(s.c);
    }
    return State{at::cat(h, 0), c.empty() ? Tensor() : at::cat(c, 0)};
  };
  std::vector<Tensor> outputs(steps);
  if (!reverse) {
    // Sequences that end: their state is saved. Those that end last are first in the batch.
    State s = rows(initial, 0, sizes[0]);
    std::vector<State> ended;
    int64_t now = sizes[0];
    for (int64_t t = 0; t < steps; ++t) {
      if (sizes[t] < now) {
        ended.insert(ended.begin(), rows(s, sizes[t], now - sizes[t]));
        s = rows(s, 0, sizes[t]);
        now = sizes[t];
      }
      s = step(cell, at::narrow(gates, 0, begin[t], sizes[t]), s, p);
      outputs[t] = s.h;
    }
    ended.insert(ended.begin(), s);
    return {at::cat(outputs, 0), ended.size() == 1 ? s : joined(ended)};
  }
  // In reverse, sequences start one after the other.
  int64_t now = sizes[steps - 1];
  State s = rows(initial, 0, now);
  for (int64_t t = steps - 1; t >= 0; --t) {
    if (sizes[t] > now) {
      s = joined({s, rows(initial, now, sizes[t] - now)});
      now = sizes[t];
    }
    s = step(cell, at::narrow(gates, 0, begin[t], sizes[t]), s, p);
    outputs[t] = s.h;
  }
  return {at::cat(outputs, 0), s};
}

std::vector<Parameters> gather_parameters(TensorList params, bool has_biases, bool has_projections,
                                          int64_t layers, bool bidirectional, const char* op) {
  size_t each = 2 + (has_biases ? 2 : 0) + (has_projections ? 1 : 0);
  TORCH_CHECK(layers > 0, op, ": num_layers must be positive, got ", layers);
  size_t requested = static_cast<size_t>(layers) * (bidirectional ? 2 : 1);
  TORCH_CHECK(params.size() == each * requested, op,
              ": got an incorrect number of RNN parameters: ", params.size(), ", expected ",
              each * requested);
  std::vector<Parameters> result;
  for (size_t k = 0; k < params.size(); k += each) {
    Parameters p{params[k], params[k + 1], {}, {}, {}};
    if (has_biases) {
      p.b_ih = params[k + 2];
      p.b_hh = params[k + 3];
    }
    if (has_projections) p.w_hr = params[k + each - 1];
    result.push_back(std::move(p));
  }
  return result;
}

struct Result {
  Tensor output, hy, cy;
};

// Loops over layers and directions; run(input, state, parameters, reverse) computes one.
template <typename Run>
Result stack_layers(Tensor input, int64_t batch, const Tensor& hx, const Tensor& cx,
                    const std::vector<Parameters>& params, double dropout, bool train,
                    bool bidirectional, const char* op, const Run& run) {
  int64_t directions = bidirectional ? 2 : 1, count = static_cast<int64_t>(params.size());
  TORCH_CHECK(hx.dim() == 3 && hx.sizes()[0] == count, op, ": expected a hidden state of [", count,
              ", batch, hidden], got ", hx.sizes());
  TORCH_CHECK(!cx.defined() || (cx.dim() == 3 && cx.sizes()[0] == count), op,
              ": expected a cell state of [", count, ", batch, hidden], got ",
              cx.defined() ? cx.sizes() : IntArrayRef());
  std::vector<Tensor> h = at::unbind(hx, 0), c, hy, cy;
  if (cx.defined()) c = at::unbind(cx, 0);
  for (int64_t k = 0; k < count; k += directions) {
    std::vector<Tensor> outputs;
    for (int64_t d = 0; d < directions; ++d) {
      const Tensor& w_hh = params[k + d].w_hh;
      if (w_hh.dim() == 2) {
        check_state(h[k + d], batch, w_hh.sizes()[1], "hidden", op);
        if (cx.defined()) check_state(c[k + d], batch, w_hh.sizes()[0] / 4, "cell", op);
      }
      auto [out, state] =
          run(input, State{h[k + d], cx.defined() ? c[k + d] : Tensor()}, params[k + d], d == 1);
      outputs.push_back(out);
      hy.push_back(state.h);
      if (cx.defined()) cy.push_back(state.c);
    }
    input = directions == 1 ? outputs[0] : at::cat(outputs, -1);
    if (dropout != 0 && train && k + directions < count) input = at::dropout(input, dropout, true);
  }
  return {input, at::stack(hy, 0), cx.defined() ? at::stack(cy, 0) : Tensor()};
}

CudnnCell cudnn_cell(Cell cell) {
  return cell == Cell::lstm       ? CudnnCell::lstm
         : cell == Cell::gru      ? CudnnCell::gru
         : cell == Cell::rnn_tanh ? CudnnCell::rnn_tanh
                                  : CudnnCell::rnn_relu;
}

void check_devices(const Tensor& input, const Tensor& hx, const Tensor& cx, TensorList params,
                   const char* op) {
  check_same_device(op, {&input, &hx, &cx});
  for (const Tensor& p : params) check_device_of(op, p, input);
}

Result run_input(Cell cell, const Tensor& input, const Tensor& hx, const Tensor& cx,
                 TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train,
                 bool bidirectional, bool batch_first, const char* op) {
  check_devices(input, hx, cx, params, op);
  TORCH_CHECK(input.dim() == 3, op, ": expected a 3-D input, got ", input.dim(), "-D");
  if (auto done = recurrent_by_cudnn({cudnn_cell(cell),
                                      input,
                                      {},
                                      hx,
                                      cx,
                                      params,
                                      has_biases,
                                      num_layers,
                                      dropout,
                                      train,
                                      bidirectional,
                                      batch_first}))
    return {std::get<0>(*done), std::get<1>(*done), std::get<2>(*done)};
  bool projections =
      cell == Cell::lstm && hx.dim() == 3 && cx.dim() == 3 && hx.sizes()[2] != cx.sizes()[2];
  std::vector<Parameters> p =
      gather_parameters(params, has_biases, projections, num_layers, bidirectional, op);
  Tensor x = batch_first ? at::transpose(input, 0, 1) : input;
  TORCH_CHECK(x.sizes()[0] > 0, "Expected sequence length to be larger than 0 in RNN");
  TORCH_CHECK(hx.dim() == 3 && hx.sizes()[1] == x.sizes()[1], op,
              ": expected a hidden state for a batch of ", x.sizes()[1], ", got ", hx.sizes());
  Result r = stack_layers(x, x.sizes()[1], hx, cx, p, dropout, train, bidirectional, op,
                          [&](const Tensor& in, const State& s, const Parameters& w, bool reverse) {
    return layer(cell, in, s, w, reverse, op);
  });
  if (batch_first) r.output = at::transpose(r.output, 0, 1);
  return r;
}

Result run_data(Cell cell, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                const Tensor& cx, TensorList params, bool has_biases, int64_t num_layers,
                double dropout, bool train, bool bidirectional, const char* op) {
  check_devices(data, hx, cx, params, op);
  TORCH_CHECK(data.dim() == 2, op, ": expected packed data of 2 dimensions, got ", data.sizes());
  TORCH_CHECK(batch_sizes.dim() == 1 && batch_sizes.scalar_type() == kLong &&
                  batch_sizes.is_cpu() && batch_sizes.numel() > 0,
              op, ": batch_sizes must be a vector of int64 with at least one element");
  const std::vector<int64_t> sizes = int64_values(batch_sizes);
  int64_t total = 0;
  for (size_t t = 0; t < sizes.size(); ++t) {
    TORCH_CHECK(sizes[t] > 0 && (t == 0 || sizes[t] <= sizes[t - 1]) && sizes[t] <= data.sizes()[0],
                op, ": batch_sizes must be positive and not rise, got ", sizes[t], " at ", t);
    total += sizes[t];
  }
  TORCH_CHECK(total == data.sizes()[0], op, ": batch_sizes sum to ", total, ", the data has ",
              data.sizes()[0], " rows");
  TORCH_CHECK(hx.dim() == 3 && hx.sizes()[1] == sizes[0], op,
              ": expected a hidden state for a batch of ", sizes[0], ", got ", hx.sizes());
  if (auto done = recurrent_by_cudnn({cudnn_cell(cell), data, sizes, hx, cx, params, has_biases,
                                      num_layers, dropout, train, bidirectional, false}))
    return {std::get<0>(*done), std::get<1>(*done), std::get<2>(*done)};
  bool projections = cell == Cell::lstm && cx.dim() == 3 && hx.sizes()[2] != cx.sizes()[2];
  std::vector<Parameters> p =
      gather_parameters(params, has_biases, projections, num_layers, bidirectional, op);
  return stack_layers(data, sizes[0], hx, cx, p, dropout, train, bidirectional, op,
                      [&](const Tensor& in, const State& s, const Parameters& w, bool reverse) {
    return packed_layer(cell, in, sizes, s, w, reverse, op);
  });
}

void check_states(TensorList hx, const char* op) {
  TORCH_CHECK(hx.size() == 2, op, " expects two hidden states, got ", hx.size());
}

State one_step(Cell cell, const Tensor& input, const State& s, const Tensor& w_ih,
               const Tensor& w_hh, const std::optional<Tensor>& b_ih,
               const std::optional<Tensor>& b_hh, const char* op) {
  Parameters p{w_ih, w_hh, b_ih ? *b_ih : Tensor(), b_hh ? *b_hh : Tensor(), {}};
  TORCH_CHECK(input.dim() == 2 && s.h.dim() == 2, op,
              ": expected matrices for input and hidden state, got ", input.sizes(), " and ",
              s.h.sizes());
  check_parameters(cell, p, input.sizes()[1], op);
  const Tensor* states[] = {&s.h, &s.c};
  for (int k = 0; k < 2 && states[k]->defined(); ++k) {
    IntArrayRef sizes = states[k]->sizes();
    TORCH_CHECK(sizes.size() == 2, op, ": expected hidden", k, " to be a matrix, got ", sizes);
    TORCH_CHECK(sizes[0] == input.sizes()[0], op, ": Input batch size ", input.sizes()[0],
                " doesn't match hidden", k, " batch size ", sizes[0]);
    TORCH_CHECK(sizes[1] == w_hh.sizes()[1], op, ": hidden", k,
                " has inconsistent hidden_size: got ", sizes[1], ", expected ", w_hh.sizes()[1]);
  }
  return step(cell, from_input(input, p), s, p);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params,
                                        bool has_biases, int64_t num_layers, double dropout,
                                        bool train, bool bidirectional, bool batch_first) {
  check_states(hx, "lstm");
  Result r = run_input(Cell::lstm, input, hx[0], hx[1], params, has_biases, num_layers, dropout,
                       train, bidirectional, batch_first, "lstm");
  return {r.output, r.hy, r.cy};
}
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        TensorList hx, TensorList params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional) {
  check_states(hx, "lstm");
  Result r = run_data(Cell::lstm, data, batch_sizes, hx[0], hx[1], params, has_biases, num_layers,
                      dropout, train, bidirectional, "lstm");
  return {r.output, r.hy, r.cy};
}
std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, TensorList params,
                               bool has_biases, int64_t num_layers, double dropout, bool train,
                               bool bidirectional, bool batch_first) {
  Result r = run_input(Cell::gru, input, hx, {}, params, has_biases, num_layers, dropout, train,
                       bidirectional, batch_first, "gru");
  return {r.output, r.hy};
}
std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               TensorList params, bool has_biases, int64_t num_layers,
                               double dropout, bool train, bool bidirectional) {
  Result r = run_data(Cell::gru, data, batch_sizes, hx, {}, params, has_biases, num_layers, dropout,
                      train, bidirectional, "gru");
  return {r.output, r.hy};
}
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, TensorList params,
                                    bool has_biases, int64_t num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first) {
  Result r = run_input(Cell::rnn_tanh, input, hx, {}, params, has_biases, num_layers, dropout,
                       train, bidirectional, batch_first, "rnn_tanh");
  return {r.output, r.hy};
}
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    TensorList params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional) {
  Result r = run_data(Cell::rnn_tanh, data, batch_sizes, hx, {}, params, has_biases, num_layers,
                      dropout, train, bidirectional, "rnn_tanh");
  return {r.output, r.hy};
}
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, TensorList params,
                                    bool has_biases, int64_t num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first) {
  Result r = run_input(Cell::rnn_relu, input, hx, {}, params, has_biases, num_layers, dropout,
                       train, bidirectional, batch_first, "rnn_relu");
  return {r.output, r.hy};
}
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    TensorList params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional) {
  Result r = run_data(Cell::rnn_relu, data, batch_sizes, hx, {}, params, has_biases, num_layers,
                      dropout, train, bidirectional, "rnn_relu");
  return {r.output, r.hy};
}

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const std::optional<Tensor>& b_ih,
                                     const std::optional<Tensor>& b_hh) {
  check_states(hx, "lstm_cell");
  State s = one_step(Cell::lstm, input, {hx[0], hx[1]}, w_ih, w_hh, b_ih, b_hh, "lstm_cell");
  return {s.h, s.c};
}
Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  return one_step(Cell::gru, input, {hx, {}}, w_ih, w_hh, b_ih, b_hh, "gru_cell").h;
}
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  return one_step(Cell::rnn_tanh, input, {hx, {}}, w_ih, w_hh, b_ih, b_hh, "rnn_tanh_cell").h;
}
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  return one_step(Cell::rnn_relu, input, {hx, {}}, w_ih, w_hh, b_ih, b_hh, "rnn_relu_cell").h;
}

}  // namespace at::native
