// Compares the declarations of cuDNN's recurrent layers with its header, where that is installed.

#include <ATen/cuda/CudnnRnnApi.h>

#if __has_include(<cudnn.h>) && !defined(TORCH_CUDA_EMULATED)
#include <cudnn.h>
#define AT_CUDNN_VALUE(name, value) \
  static_assert(static_cast<int>(at::cuda::cudnn::name) == static_cast<int>(value))
AT_CUDNN_VALUE(kRnnRelu, CUDNN_RNN_RELU);
AT_CUDNN_VALUE(kRnnTanh, CUDNN_RNN_TANH);
AT_CUDNN_VALUE(kLstm, CUDNN_LSTM);
AT_CUDNN_VALUE(kGru, CUDNN_GRU);
AT_CUDNN_VALUE(kNoBias, CUDNN_RNN_NO_BIAS);
AT_CUDNN_VALUE(kDoubleBias, CUDNN_RNN_DOUBLE_BIAS);
AT_CUDNN_VALUE(kUnidirectional, CUDNN_UNIDIRECTIONAL);
AT_CUDNN_VALUE(kBidirectional, CUDNN_BIDIRECTIONAL);
AT_CUDNN_VALUE(kInference, CUDNN_FWD_MODE_INFERENCE);
AT_CUDNN_VALUE(kTraining, CUDNN_FWD_MODE_TRAINING);
AT_CUDNN_VALUE(kStandardAlgorithm, CUDNN_RNN_ALGO_STANDARD);
AT_CUDNN_VALUE(kLinearInput, CUDNN_LINEAR_INPUT);
AT_CUDNN_VALUE(kPackedLayout, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED);
AT_CUDNN_VALUE(kNoPaddedData, CUDNN_RNN_PADDED_IO_DISABLED);
AT_CUDNN_VALUE(kAddGradients, CUDNN_WGRAD_MODE_ADD);
#undef AT_CUDNN_VALUE

#include <ATen/cuda/SameSignature.h>
namespace at::cuda::cudnn {
AT_SAME_SIGNATURE(RnnFunctions::create_dropout, cudnnCreateDropoutDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::destroy_dropout, cudnnDestroyDropoutDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::dropout_states_size, cudnnDropoutGetStatesSize);
AT_SAME_SIGNATURE(RnnFunctions::set_dropout, cudnnSetDropoutDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::restore_dropout, cudnnRestoreDropoutDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::create_rnn, cudnnCreateRNNDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::destroy_rnn, cudnnDestroyRNNDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::set_rnn, cudnnSetRNNDescriptor_v8);
AT_SAME_SIGNATURE(RnnFunctions::create_data, cudnnCreateRNNDataDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::destroy_data, cudnnDestroyRNNDataDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::set_data, cudnnSetRNNDataDescriptor);
AT_SAME_SIGNATURE(RnnFunctions::temporary_sizes, cudnnGetRNNTempSpaceSizes);
AT_SAME_SIGNATURE(RnnFunctions::weights_size, cudnnGetRNNWeightSpaceSize);
AT_SAME_SIGNATURE(RnnFunctions::weight, cudnnGetRNNWeightParams);
AT_SAME_SIGNATURE(RnnFunctions::forward, cudnnRNNForward);
AT_SAME_SIGNATURE(RnnFunctions::backward_data, cudnnRNNBackwardData_v8);
AT_SAME_SIGNATURE(RnnFunctions::backward_weights, cudnnRNNBackwardWeights_v8);
}  // namespace at::cuda::cudnn
#endif
