#pragma once
// What the stand-ins for parts of cuDNN share: handles, descriptors of tensors, error codes.

#include <vector>

#include <ATen/cuda/CudnnApi.h>
#include <c10/core/ScalarType.h>
#include <cuda_runtime.h>

namespace at::cuda::cudnn::emulated {

constexpr Status kSuccess = 0, kBadParameter = 2000, kUnsupported = 3000, kFailed = 5000;

struct HandleState {
  cudaStream_t stream = nullptr;
};

// What create_tensor and create_filter make.
struct TensorState {
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<int64_t> sizes, strides;
};

template <typename T>
Status create_descriptor(Descriptor* descriptor) {
  *descriptor = new T;
  return kSuccess;
}
template <typename T>
Status destroy_descriptor(Descriptor descriptor) {
  delete static_cast<T*>(descriptor);
  return kSuccess;
}

inline bool type_of(int type, c10::ScalarType& dtype) {
  switch (type) {
    case kFloat32:
      dtype = c10::ScalarType::Float;
      return true;
    case kFloat64:
      dtype = c10::ScalarType::Double;
      return true;
    case kFloat16:
      dtype = c10::ScalarType::Half;
      return true;
    case kBrainFloat16:
      dtype = c10::ScalarType::BFloat16;
      return true;
    default:
      return false;
  }
}

// Whether the emulated device has cuDNN: not unless asked for, so that tests run the kernels of
// this tree.
bool is_there();

}  // namespace at::cuda::cudnn::emulated
