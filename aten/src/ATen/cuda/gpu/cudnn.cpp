// The functions of the real cuDNN, if it is installed.

#include <ATen/cuda/CudnnApi.h>
#include <ATen/cuda/VendorLibrary.h>

#include <dlfcn.h>

#include <type_traits>

namespace at::cuda::cudnn {

#ifdef TORCH_WITHOUT_CUDNN
static constexpr bool kIsUsed = false;
#else
static constexpr bool kIsUsed = true;
#endif

static const Functions* open() {
  if (!kIsUsed) return nullptr;
  // Kernels of our own do the work where it is not there.
  void* library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  auto* f = new Functions;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f->create, "cudnnCreate");
  find(f->set_stream, "cudnnSetStream");
  find(f->version, "cudnnGetVersion");
  find(f->status_text, "cudnnGetErrorString");
  find(f->create_tensor, "cudnnCreateTensorDescriptor");
  find(f->set_tensor, "cudnnSetTensorNdDescriptor");
  find(f->destroy_tensor, "cudnnDestroyTensorDescriptor");
  find(f->create_filter, "cudnnCreateFilterDescriptor");
  find(f->set_filter, "cudnnSetFilterNdDescriptor");
  find(f->destroy_filter, "cudnnDestroyFilterDescriptor");
  find(f->create_convolution, "cudnnCreateConvolutionDescriptor");
  find(f->set_convolution, "cudnnSetConvolutionNdDescriptor");
  find(f->set_groups, "cudnnSetConvolutionGroupCount");
  find(f->set_math_type, "cudnnSetConvolutionMathType");
  find(f->destroy_convolution, "cudnnDestroyConvolutionDescriptor");
  find(f->forward.heuristic, "cudnnGetConvolutionForwardAlgorithm_v7");
  find(f->forward.measure, "cudnnFindConvolutionForwardAlgorithmEx");
  find(f->forward.run, "cudnnConvolutionForward");
  find(f->backward_data.heuristic, "cudnnGetConvolutionBackwardDataAlgorithm_v7");
  find(f->backward_data.measure, "cudnnFindConvolutionBackwardDataAlgorithmEx");
  find(f->backward_data.run, "cudnnConvolutionBackwardData");
  find(f->backward_filter.heuristic, "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
  find(f->backward_filter.measure, "cudnnFindConvolutionBackwardFilterAlgorithmEx");
  find(f->backward_filter.run, "cudnnConvolutionBackwardFilter");
  return f;
}

const Functions* functions() {
  static const Functions* const opened = open();
  return opened;
}

}  // namespace at::cuda::cudnn
