// The functions of the real cuDNN for recurrent layers, if it is installed.

#include <ATen/cuda/CudnnRnnApi.h>
#include <ATen/cuda/VendorLibrary.h>

#include <dlfcn.h>

#include <type_traits>

namespace at::cuda::cudnn {

static const RnnFunctions* open() {
  void* library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  auto* f = new RnnFunctions;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f->create_dropout, "cudnnCreateDropoutDescriptor");
  find(f->destroy_dropout, "cudnnDestroyDropoutDescriptor");
  find(f->dropout_states_size, "cudnnDropoutGetStatesSize");
  find(f->set_dropout, "cudnnSetDropoutDescriptor");
  find(f->restore_dropout, "cudnnRestoreDropoutDescriptor");
  find(f->create_rnn, "cudnnCreateRNNDescriptor");
  find(f->destroy_rnn, "cudnnDestroyRNNDescriptor");
  find(f->set_rnn, "cudnnSetRNNDescriptor_v8");
  find(f->create_data, "cudnnCreateRNNDataDescriptor");
  find(f->destroy_data, "cudnnDestroyRNNDataDescriptor");
  find(f->set_data, "cudnnSetRNNDataDescriptor");
  find(f->temporary_sizes, "cudnnGetRNNTempSpaceSizes");
  find(f->weights_size, "cudnnGetRNNWeightSpaceSize");
  find(f->weight, "cudnnGetRNNWeightParams");
  find(f->forward, "cudnnRNNForward");
  find(f->backward_data, "cudnnRNNBackwardData_v8");
  find(f->backward_weights, "cudnnRNNBackwardWeights_v8");
  return f;
}

const RnnFunctions* rnn_functions() {
  static const RnnFunctions* const opened = open();
  return opened;
}

}  // namespace at::cuda::cudnn
