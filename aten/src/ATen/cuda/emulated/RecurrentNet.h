#pragma once
// Recurrent layers on the CPU, one number after the other in double: the arithmetic of the emulated
// cuDNN.

#include <cstdint>
#include <vector>

namespace at::cuda::cudnn::emulated {

using Numbers = std::vector<double>;

struct NetShape {
  int cell = 0;  // CellMode
  bool has_biases = false, is_bidirectional = false;
  int64_t input = 0, hidden = 0, projection = 0, layers = 0;

  int64_t gates() const;
  int64_t directions() const { return is_bidirectional ? 2 : 1; }
  int64_t output() const { return projection ? projection : hidden; }
  int64_t input_of(int64_t layer) const { return layer == 0 ? input : directions() * output(); }

  // Places in the memory of the weights: matrices of all layers first, then biases. `layer` counts
  // directions too; gates of the state follow those of the input.
  int64_t matrix_at(int64_t layer, int64_t gate) const;
  int64_t projection_at(int64_t layer) const;
  int64_t bias_at(int64_t layer, int64_t gate) const;
  int64_t weights() const;

 private:
  int64_t matrices(int64_t layer) const;
};

// Sequences of different lengths, longest first; their steps one after the other without padding.
struct Batch {
  std::vector<int64_t> active;  // for each step: how many sequences have it
  std::vector<int64_t> begin;   // its first row

  explicit Batch(const std::vector<int>& lengths);
  int64_t rows() const { return begin.back() + active.back(); }
  int64_t steps() const { return static_cast<int64_t>(active.size()); }
};

struct NetInput {
  const NetShape& shape;
  const Batch& batch;
  const Numbers &weights, &x, &hx, &cx;
  const Numbers& masks;  // of dropout: for each layer but the last, or empty
};
struct NetOutput {
  Numbers y, hy, cy;
};
struct NetGradients {
  Numbers x, hx, cx, weights;
};

NetOutput run_net(const NetInput& in);
// dy, dhy, dcy: zeros if empty.
NetGradients differentiate_net(const NetInput& in, const Numbers& dy, const Numbers& dhy,
                               const Numbers& dcy);

}  // namespace at::cuda::cudnn::emulated
