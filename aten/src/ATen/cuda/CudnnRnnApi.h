#pragma once
// The part of cuDNN that recurrent layers call, as CudnnApi.h declares that of convolutions.
// Source: the manual of cuDNN 9, recurrent layers of its adv library. CudnnRnnLibrary.cpp compares
// values and signatures with the header of the library where that is installed.

#include <cstddef>
#include <cstdint>

#include <ATen/cuda/CudnnApi.h>

namespace at::cuda::cudnn {

enum CellMode : int { kRnnRelu = 0, kRnnTanh = 1, kLstm = 2, kGru = 3 };
enum BiasMode : int { kNoBias = 0, kDoubleBias = 2 };
enum DirectionMode : int { kUnidirectional = 0, kBidirectional = 1 };
enum ForwardMode : int { kInference = 0, kTraining = 1 };
constexpr int kStandardAlgorithm = 0;
constexpr int kLinearInput = 0;
// The steps of all sequences one after the other, without padding; longer sequences come first.
constexpr int kPackedLayout = 1;
constexpr uint32_t kNoPaddedData = 0;
constexpr int kAddGradients = 0;
// The linear layer of an LSTM's projection; gates of the input come first, then those of the state.
constexpr int kProjectionLayer = 8;

struct RnnFunctions {
  Status (*create_dropout)(Descriptor*);
  Status (*destroy_dropout)(Descriptor);
  Status (*dropout_states_size)(Handle, size_t* bytes);
  Status (*set_dropout)(Descriptor, Handle, float dropout, void* states, size_t bytes,
                        unsigned long long seed);
  // The same for states that were initialized before.
  Status (*restore_dropout)(Descriptor, Handle, float dropout, void* states, size_t bytes,
                            unsigned long long seed);
  Status (*create_rnn)(Descriptor*);
  Status (*destroy_rnn)(Descriptor);
  Status (*set_rnn)(Descriptor, int algorithm, int cell_mode, int bias_mode, int direction_mode,
                    int input_mode, int data_type, int compute_type, int math_type, int32_t input,
                    int32_t hidden, int32_t projection, int32_t layers, Descriptor dropout,
                    uint32_t flags);
  Status (*create_data)(Descriptor*);
  Status (*destroy_data)(Descriptor);
  Status (*set_data)(Descriptor, int data_type, int layout, int steps, int batch, int features,
                     const int* lengths, void* padding);
  Status (*temporary_sizes)(Handle, Descriptor rnn, int forward_mode, Descriptor x,
                            size_t* workspace, size_t* reserve);
  Status (*weights_size)(Handle, Descriptor rnn, size_t* bytes);
  // Where the matrix and the bias of a gate are; the descriptors of tensors receive their sizes.
  Status (*weight)(Handle, Descriptor rnn, int32_t layer, size_t bytes, const void* weights,
                   int32_t gate, Descriptor matrix, void** at_matrix, Descriptor bias,
                   void** at_bias);
  Status (*forward)(Handle, Descriptor rnn, int forward_mode, const int32_t* device_lengths,
                    Descriptor x, const void*, Descriptor y, void*, Descriptor h, const void* hx,
                    void* hy, Descriptor c, const void* cx, void* cy, size_t weights_size,
                    const void* weights, size_t workspace_size, void* workspace,
                    size_t reserve_size, void* reserve);
  // Gradients of the input and the first states; it changes `reserve`.
  Status (*backward_data)(Handle, Descriptor rnn, const int32_t* device_lengths, Descriptor y,
                          const void*, const void* dy, Descriptor x, void* dx, Descriptor h,
                          const void* hx, const void* dhy, void* dhx, Descriptor c, const void* cx,
                          const void* dcy, void* dcx, size_t weights_size, const void* weights,
                          size_t workspace_size, void* workspace, size_t reserve_size,
                          void* reserve);
  // After backward_data, with the `reserve` that it left: adds to the gradients of the weights.
  Status (*backward_weights)(Handle, Descriptor rnn, int mode, const int32_t* device_lengths,
                             Descriptor x, const void*, Descriptor h, const void* hx, Descriptor y,
                             const void*, size_t weights_size, void* gradients,
                             size_t workspace_size, void* workspace, size_t reserve_size,
                             void* reserve);
};

// Null if the library is not installed.
const RnnFunctions* rnn_functions();

}  // namespace at::cuda::cudnn
