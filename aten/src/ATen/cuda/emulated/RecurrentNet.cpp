// Recurrent layers on the CPU. The backward pass runs the layers again and keeps what they compute.

#include "RecurrentNet.h"

#include <algorithm>
#include <cmath>

#include <ATen/cuda/CudnnRnnApi.h>

namespace at::cuda::cudnn::emulated {

int64_t NetShape::gates() const { return cell == kLstm ? 4 : cell == kGru ? 3 : 1; }

int64_t NetShape::matrices(int64_t layer) const {
  return gates() * hidden * (input_of(layer / directions()) + output()) + projection * hidden;
}
int64_t NetShape::matrix_at(int64_t layer, int64_t gate) const {
  int64_t at = 0;
  for (int64_t k = 0; k < layer; ++k) at += matrices(k);
  const int64_t features = input_of(layer / directions()), of_input = std::min(gate, gates());
  return at + hidden * (of_input * features + (gate - of_input) * output());
}
int64_t NetShape::projection_at(int64_t layer) const { return matrix_at(layer, 2 * gates()); }
int64_t NetShape::bias_at(int64_t layer, int64_t gate) const {
  int64_t at = 0;
  for (int64_t k = 0; k < layers * directions(); ++k) at += matrices(k);
  return at + hidden * (layer * 2 * gates() + gate);
}
int64_t NetShape::weights() const { return bias_at(has_biases ? layers * directions() : 0, 0); }

Batch::Batch(const std::vector<int>& lengths) {
  int64_t rows = 0;
  for (int t = 0; t < lengths[0]; ++t) {
    const auto count = std::count_if(lengths.begin(), lengths.end(), [&](int n) { return n > t; });
    active.push_back(count);
    begin.push_back(rows);
    rows += count;
  }
}

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// y += M x, for a matrix of the weights.
void multiply(const double* m, int64_t rows, int64_t columns, const double* x, double* y) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) y[i] += m[i * columns + j] * x[j];
}
// x += M' y, and dM += y x'.
void multiply_backward(const double* m, double* dm, int64_t rows, int64_t columns, const double* x,
                       double* dx, const double* y) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      dx[j] += m[i * columns + j] * y[i];
      dm[i * columns + j] += y[i] * x[j];
    }
  }
}

// What one step of one sequence computes.
struct Step {
  Numbers gates;  // after their functions
  Numbers h_before, c_before, c, h;
  Numbers candidate;  // GRU: the state's part of the new gate, before it is reset
  Numbers whole;      // LSTM: h before the projection
};

// One direction of one layer.
struct Direction {
  const NetInput& in;
  int64_t number;  // counts directions too
  int64_t features, hidden, gates, output;

  Direction(const NetInput& given, int64_t layer, int64_t direction)
      : in(given),
        number(layer * given.shape.directions() + direction),
        features(given.shape.input_of(layer)),
        hidden(given.shape.hidden),
        gates(given.shape.gates()),
        output(given.shape.output()) {}

  const double* matrix(int64_t gate) const { return &in.weights[in.shape.matrix_at(number, gate)]; }

  Step step(const double* x, Numbers h, Numbers c) const {
    Step s{Numbers(gates * hidden), std::move(h), std::move(c), {}, {}, {}, {}};
    Numbers from_input(gates * hidden), from_state(gates * hidden);
    if (in.shape.has_biases) {
      const double* biases = &in.weights[in.shape.bias_at(number, 0)];
      from_input.assign(biases, biases + gates * hidden);
      from_state.assign(biases + gates * hidden, biases + 2 * gates * hidden);
    }
    multiply(matrix(0), gates * hidden, features, x, from_input.data());
    multiply(matrix(gates), gates * hidden, output, s.h_before.data(), from_state.data());
    auto both = [&](int64_t gate, int64_t j) {
      return from_input[gate * hidden + j] + from_state[gate * hidden + j];
    };
    s.h.resize(hidden);
    s.c = s.c_before;
    for (int64_t j = 0; j < hidden; ++j) {
      auto gate = [&](int64_t k) -> double& { return s.gates[k * hidden + j]; };
      if (in.shape.cell == kLstm) {
        gate(0) = sigmoid(both(0, j));
        gate(1) = sigmoid(both(1, j));
        gate(2) = std::tanh(both(2, j));
        gate(3) = sigmoid(both(3, j));
        s.c[j] = gate(1) * s.c_before[j] + gate(0) * gate(2);
        s.h[j] = gate(3) * std::tanh(s.c[j]);
      } else if (in.shape.cell == kGru) {
        gate(0) = sigmoid(both(0, j));
        gate(1) = sigmoid(both(1, j));
        gate(2) = std::tanh(from_input[2 * hidden + j] + gate(0) * from_state[2 * hidden + j]);
        s.h[j] = (1 - gate(1)) * gate(2) + gate(1) * s.h_before[j];
      } else {
        gate(0) = in.shape.cell == kRnnTanh ? std::tanh(both(0, j)) : std::max(both(0, j), 0.0);
        s.h[j] = gate(0);
      }
    }
    if (in.shape.cell == kGru)
      s.candidate.assign(from_state.begin() + 2 * hidden, from_state.end());
    if (in.shape.projection) {
      s.whole = s.h;
      s.h.assign(output, 0);
      multiply(&in.weights[in.shape.projection_at(number)], output, hidden, s.whole.data(),
               s.h.data());
    }
    return s;
  }

  // From the gradients of h and c, those of what the step began with; adds to those of x and of the
  // weights.
  void step_backward(const Step& s, const double* x, Numbers& dh, Numbers& dc, double* dx,
                     Numbers& dweights) const {
    Numbers of_input(gates * hidden), of_state, before(output);
    if (in.shape.projection) {
      Numbers whole(hidden);
      const int64_t at = in.shape.projection_at(number);
      multiply_backward(&in.weights[at], &dweights[at], output, hidden, s.whole.data(),
                        whole.data(), dh.data());
      dh = whole;
    }
    auto through_sigmoid = [](double d, double y) { return d * y * (1 - y); };
    auto through_tanh = [](double d, double y) { return d * (1 - y * y); };
    for (int64_t j = 0; j < hidden; ++j) {
      auto gate = [&](int64_t k) { return s.gates[k * hidden + j]; };
      auto d = [&](int64_t k) -> double& { return of_input[k * hidden + j]; };
      if (in.shape.cell == kLstm) {
        const double t = std::tanh(s.c[j]), cell = dc[j] + through_tanh(dh[j] * gate(3), t);
        d(0) = through_sigmoid(cell * gate(2), gate(0));
        d(1) = through_sigmoid(cell * s.c_before[j], gate(1));
        d(2) = through_tanh(cell * gate(0), gate(2));
        d(3) = through_sigmoid(dh[j] * t, gate(3));
        dc[j] = cell * gate(1);
      } else if (in.shape.cell == kGru) {
        d(2) = through_tanh(dh[j] * (1 - gate(1)), gate(2));
        d(0) = through_sigmoid(d(2) * s.candidate[j], gate(0));
        d(1) = through_sigmoid(dh[j] * (s.h_before[j] - gate(2)), gate(1));
        before[j] = dh[j] * gate(1);
      } else if (in.shape.cell == kRnnTanh) {
        d(0) = through_tanh(dh[j], gate(0));
      } else {
        d(0) = gate(0) > 0 ? dh[j] : 0;
      }
    }
    of_state = of_input;
    if (in.shape.cell == kGru)
      for (int64_t j = 0; j < hidden; ++j) of_state[2 * hidden + j] *= s.gates[j];
    const int64_t w_input = in.shape.matrix_at(number, 0),
                  w_state = in.shape.matrix_at(number, gates);
    multiply_backward(matrix(0), &dweights[w_input], gates * hidden, features, x, dx,
                      of_input.data());
    multiply_backward(matrix(gates), &dweights[w_state], gates * hidden, output, s.h_before.data(),
                      before.data(), of_state.data());
    if (in.shape.has_biases) {
      double* biases = &dweights[in.shape.bias_at(number, 0)];
      for (int64_t k = 0; k < gates * hidden; ++k) {
        biases[k] += of_input[k];
        biases[gates * hidden + k] += of_state[k];
      }
    }
    dh = before;
  }
};

// f(step, sequence, row), in the order of a direction or against it.
template <typename F>
void for_each_step(const Batch& batch, bool from_last, const F& f) {
  for (int64_t k = 0; k < batch.steps(); ++k) {
    const int64_t t = from_last ? batch.steps() - 1 - k : k;
    for (int64_t b = 0; b < batch.active[t]; ++b) f(b, batch.begin[t] + b);
  }
}

// The part of the states that belongs to a sequence.
Numbers part(const Numbers& all, int64_t number, const Batch& batch, int64_t sequence,
             int64_t width) {
  if (all.empty()) return Numbers(width);
  const auto at = all.begin() + (number * batch.active[0] + sequence) * width;
  return {at, at + width};
}
void put(Numbers& all, int64_t number, const Batch& batch, int64_t sequence, const Numbers& part) {
  const auto width = static_cast<int64_t>(part.size());
  std::copy(part.begin(), part.end(), all.begin() + (number * batch.active[0] + sequence) * width);
}

// Everything that the layers compute.
struct Record {
  std::vector<Numbers> inputs;           // of each layer, after dropout
  std::vector<std::vector<Step>> steps;  // of each direction of each layer, by rows
  NetOutput result;
};

Record record(const NetInput& in) {
  const NetShape& s = in.shape;
  const int64_t directions = s.directions(), rows = in.batch.rows(), batch = in.batch.active[0];
  Record r;
  r.inputs.push_back(in.x);
  r.result.hy.resize(s.layers * directions * batch * s.output());
  if (s.cell == kLstm) r.result.cy.resize(s.layers * directions * batch * s.hidden);
  for (int64_t layer = 0; layer < s.layers; ++layer) {
    Numbers y(rows * directions * s.output());
    for (int64_t d = 0; d < directions; ++d) {
      const Direction direction(in, layer, d);
      const int64_t number = direction.number;
      std::vector<Numbers> h, c;
      for (int64_t b = 0; b < batch; ++b) {
        h.push_back(part(in.hx, number, in.batch, b, s.output()));
        c.push_back(part(in.cx, number, in.batch, b, s.hidden));
      }
      std::vector<Step> steps(rows);
      for_each_step(in.batch, d == 1, [&](int64_t b, int64_t row) {
        steps[row] = direction.step(&r.inputs[layer][row * direction.features], h[b], c[b]);
        h[b] = steps[row].h;
        c[b] = steps[row].c;
        std::copy(h[b].begin(), h[b].end(), &y[(row * directions + d) * s.output()]);
      });
      for (int64_t b = 0; b < batch; ++b) {
        put(r.result.hy, number, in.batch, b, h[b]);
        if (s.cell == kLstm) put(r.result.cy, number, in.batch, b, c[b]);
      }
      r.steps.push_back(std::move(steps));
    }
    if (layer + 1 < s.layers && !in.masks.empty())
      for (size_t k = 0; k < y.size(); ++k) y[k] *= in.masks[layer * y.size() + k];
    if (layer + 1 < s.layers) r.inputs.push_back(std::move(y));
    else r.result.y = std::move(y);
  }
  return r;
}

}  // namespace

NetOutput run_net(const NetInput& in) { return record(in).result; }

NetGradients differentiate_net(const NetInput& in, const Numbers& dy, const Numbers& dhy,
                               const Numbers& dcy) {
  const NetShape& s = in.shape;
  const Record r = record(in);
  const int64_t directions = s.directions(), batch = in.batch.active[0];
  NetGradients g;
  g.hx.resize(r.result.hy.size());
  g.cx.resize(r.result.cy.size());
  g.weights.resize(in.weights.size());
  Numbers of_output = dy.empty() ? Numbers(r.result.y.size()) : dy;
  for (int64_t layer = s.layers - 1; layer >= 0; --layer) {
    Numbers of_input(r.inputs[layer].size());
    for (int64_t d = 0; d < directions; ++d) {
      const Direction direction(in, layer, d);
      const int64_t number = direction.number;
      std::vector<Numbers> dh, dc;
      for (int64_t b = 0; b < batch; ++b) {
        dh.push_back(part(dhy, number, in.batch, b, s.output()));
        dc.push_back(part(dcy, number, in.batch, b, s.hidden));
      }
      for_each_step(in.batch, d == 0, [&](int64_t b, int64_t row) {
        for (int64_t j = 0; j < s.output(); ++j)
          dh[b][j] += of_output[(row * directions + d) * s.output() + j];
        direction.step_backward(r.steps[number][row], &r.inputs[layer][row * direction.features],
                                dh[b], dc[b], &of_input[row * direction.features], g.weights);
      });
      for (int64_t b = 0; b < batch; ++b) {
        put(g.hx, number, in.batch, b, dh[b]);
        if (s.cell == kLstm) put(g.cx, number, in.batch, b, dc[b]);
      }
    }
    if (layer > 0 && !in.masks.empty())
      for (size_t k = 0; k < of_input.size(); ++k)
        of_input[k] *= in.masks[(layer - 1) * of_input.size() + k];
    of_output = std::move(of_input);
  }
  g.x = std::move(of_output);
  return g;
}

}  // namespace at::cuda::cudnn::emulated
