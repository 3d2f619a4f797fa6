#pragma once
// The weights of recurrent layers in one piece of memory, where cuDNN reads them.

#include <ATen/native/rnn/cuda/rnn_descriptors.h>

namespace at::native {

// The parts of such memory (or of that of their gradients), in the order of the parameters.
std::vector<Tensor> split_rnn_weights(const Tensor& buffer, const RnnShape& shape,
                                      const RnnWeightLayout& layout);
// The memory that the weights are parts of, or a copy of them, if they are not.
Tensor joined_rnn_weights(TensorList weights, const RnnShape& shape, const RnnWeightLayout& layout,
                          bool* is_copy);

// The shape of layers from the arguments of an operator, checked.
RnnShape checked_rnn_shape(const char* op, int64_t mode, int64_t input, int64_t hidden,
                           int64_t projection, int64_t layers, bool bidirectional,
                           int64_t weight_stride0, TensorList weights);
RnnWeightLayout checked_rnn_layout(const char* op, const RnnShape& shape, ScalarType dtype);

}  // namespace at::native
