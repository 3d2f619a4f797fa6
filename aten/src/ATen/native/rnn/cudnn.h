#pragma once
// Recurrent layers by cuDNN, which computes all layers, directions and steps in one call.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

#include <optional>
#include <tuple>
#include <vector>

namespace at::native {

// The numbers of cuDNN's cells, which `mode` of _cudnn_rnn has too.
enum class CudnnCell : int64_t { rnn_relu = 0, rnn_tanh = 1, lstm = 2, gru = 3 };

struct RnnShape {
  CudnnCell cell;
  int64_t input, hidden, projection, layers;  // projection: its width, or 0
  bool has_biases, is_bidirectional;

  int64_t gates() const { return cell == CudnnCell::lstm ? 4 : cell == CudnnCell::gru ? 3 : 1; }
  int64_t directions() const { return is_bidirectional ? 2 : 1; }
  int64_t output() const { return projection ? projection : hidden; }
  // The parameters of one direction of one layer: w_ih, w_hh, b_ih, b_hh, w_hr, as far as they are
  // there.
  int64_t parameters() const { return 2 + (has_biases ? 2 : 0) + (projection ? 1 : 0); }
  std::vector<int64_t> parameter_sizes(int64_t layer, int64_t parameter) const;
};

// These have kernels for CUDA only, in its own library: decltype(stub)::CUDA is null until that is
// loaded.
DECLARE_DISPATCH(bool (*)(), has_cudnn_stub);
// Whether cuDNN is there, switched on, and computes such layers for tensors like this one.
DECLARE_DISPATCH(bool (*)(const Tensor& like, const RnnShape& shape), takes_cudnn_rnn_stub);
// The state of random numbers for dropout between layers, on the device of a tensor.
DECLARE_DISPATCH(Tensor (*)(const Tensor& like), cudnn_dropout_stub);

struct RecurrentCall {
  CudnnCell cell;
  const Tensor& input;
  IntArrayRef batch_sizes;  // of packed data, or empty
  const Tensor &hx, &cx;    // cx: undefined but for an LSTM
  TensorList params;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional, batch_first;
};

// Output, hy and cy; nothing if cuDNN does not take the call: wrong arguments too.
std::optional<std::tuple<Tensor, Tensor, Tensor>> recurrent_by_cudnn(const RecurrentCall& call);

}  // namespace at::native
