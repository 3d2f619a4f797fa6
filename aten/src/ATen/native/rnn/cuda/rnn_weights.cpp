// Weights of recurrent layers in one piece of memory.

#include <ATen/native/rnn/cuda/rnn_weights.h>

#include <ATen/Context.h>
#include <ATen/ops/_cudnn_rnn_flatten_weight_native.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/set__ops.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

std::vector<int64_t> dense_strides(const std::vector<int64_t>& sizes) {
  return sizes.size() == 2 ? std::vector<int64_t>{sizes[1], 1} : std::vector<int64_t>{1};
}

std::vector<int64_t> sizes_of(const RnnShape& s, size_t k) {
  const auto number = static_cast<int64_t>(k) / s.parameters();
  return s.parameter_sizes(number / s.directions(), static_cast<int64_t>(k) % s.parameters());
}

}  // namespace

std::vector<Tensor> split_rnn_weights(const Tensor& buffer, const RnnShape& s,
                                      const RnnWeightLayout& layout) {
  std::vector<Tensor> parts;
  for (size_t k = 0; k < layout.begins.size(); ++k) {
    const std::vector<int64_t> sizes = sizes_of(s, k);
    parts.push_back(at::as_strided(buffer, sizes, dense_strides(sizes),
                                   buffer.storage_offset() + layout.begins[k]));
  }
  return parts;
}

Tensor joined_rnn_weights(TensorList weights, const RnnShape& s, const RnnWeightLayout& layout,
                          bool* is_copy) {
  const Tensor& first = weights[0];
  const int64_t begin = first.storage_offset() - layout.begins[0];
  auto stands_there = [&](size_t k) {
    return weights[k].is_alias_of(first) && weights[k].is_contiguous() &&
           weights[k].storage_offset() == begin + layout.begins[k];
  };
  bool is_joined = begin >= 0 && first.storage().nbytes() >=
                                     static_cast<size_t>(begin + layout.numbers) * first.itemsize();
  for (size_t k = 0; is_joined && k < weights.size(); ++k) is_joined = stands_there(k);
  *is_copy = !is_joined;
  if (is_joined) return at::as_strided(first, {layout.numbers}, {1}, begin);
  TORCH_WARN(
      "The weights of a recurrent layer are in several pieces of memory, which every call copies. "
      "flatten_parameters() of the module moves them into one.");
  Tensor buffer = at::zeros({layout.numbers}, first.options());
  std::vector<Tensor> parts = split_rnn_weights(buffer, s, layout);
  for (size_t k = 0; k < weights.size(); ++k) at::copy_(parts[k], weights[k]);
  return buffer;
}

RnnShape checked_rnn_shape(const char* op, int64_t mode, int64_t input, int64_t hidden,
                           int64_t projection, int64_t layers, bool bidirectional,
                           int64_t weight_stride0, TensorList weights) {
  TORCH_CHECK(cuda::cudnn::rnn_functions() != nullptr, op, ": cuDNN is not there");
  TORCH_CHECK(mode >= 0 && mode <= 3, op,
              ": mode must be 0 (RNN with relu), 1 (RNN with tanh), 2 (LSTM) or 3 (GRU), got ",
              mode);
  TORCH_CHECK(input > 0 && hidden > 0 && layers > 0 && projection >= 0 && projection < hidden, op,
              ": sizes and the number of layers must be positive, and a projection narrower than "
              "the state, got input_size ",
              input, ", hidden_size ", hidden, ", proj_size ", projection, ", num_layers ", layers);
  RnnShape s{static_cast<CudnnCell>(mode), input, hidden, projection, layers, false, bidirectional};
  TORCH_CHECK(!projection || s.cell == CudnnCell::lstm, op, ": only an LSTM has a projection");
  s.has_biases = weight_stride0 == s.parameters() + 2;
  TORCH_CHECK(weight_stride0 == s.parameters(), op, ": weight_stride0 must be ", s.parameters(),
              " or, with biases, ", s.parameters() + 2, ", got ", weight_stride0);
  const auto expected = static_cast<size_t>(layers * s.directions() * s.parameters());
  TORCH_CHECK(weights.size() == expected, op, ": expected ", expected, " weights, got ",
              weights.size());
  for (size_t k = 0; k < weights.size(); ++k) {
    const std::vector<int64_t> sizes = sizes_of(s, k);
    const Tensor &w = weights[k], &first = weights[0];
    TORCH_CHECK(w.defined() && w.sizes() == IntArrayRef(sizes), op, ": expected weight ", k,
                " of sizes ", IntArrayRef(sizes), ", got ",
                w.defined() ? w.sizes() : IntArrayRef());
    TORCH_CHECK(w.scalar_type() == first.scalar_type() && w.device() == first.device(), op,
                ": weights must have one type and device, got ", toString(first.scalar_type()),
                " on ", first.device(), " and ", toString(w.scalar_type()), " on ", w.device());
  }
  return s;
}

RnnWeightLayout checked_rnn_layout(const char* op, const RnnShape& shape, ScalarType dtype) {
  RnnWeightLayout layout = rnn_weight_layout(shape, dtype);
  TORCH_CHECK(layout.is_supported, op, ": this cuDNN has no such layers of type ", toString(dtype));
  return layout;
}

Tensor _cudnn_rnn_flatten_weight(TensorList weight_arr, int64_t weight_stride0, int64_t input_size,
                                 int64_t mode, int64_t hidden_size, int64_t proj_size,
                                 int64_t num_layers, bool /*batch_first*/, bool bidirectional) {
  constexpr const char* kName = "_cudnn_rnn_flatten_weight";
  const RnnShape s = checked_rnn_shape(kName, mode, input_size, hidden_size, proj_size, num_layers,
                                       bidirectional, weight_stride0, weight_arr);
  const c10::OptionalDeviceGuard guard(weight_arr[0].device());
  const RnnWeightLayout layout = rnn_weight_layout(s, weight_arr[0].scalar_type());
  if (!layout.is_supported) return at::zeros({0}, weight_arr[0].options());
  Tensor buffer = at::zeros({layout.numbers}, weight_arr[0].options());
  const std::vector<Tensor> parts = split_rnn_weights(buffer, s, layout);
  for (size_t k = 0; k < parts.size(); ++k) {
    Tensor part = parts[k], weight = weight_arr[k];
    at::copy_(part, weight);
    at::_ops::set__source_Tensor_storage_offset::call(weight, buffer, part.storage_offset(),
                                                      part.sizes(), part.strides());
  }
  return buffer;
}

}  // namespace at::native
