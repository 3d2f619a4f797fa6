#pragma once
// Descriptors of cuDNN for recurrent layers, and where it keeps their weights.

#include <ATen/cuda/CudnnRnnApi.h>
#include <ATen/native/rnn/cudnn.h>

#include <vector>

namespace at::native {

// A descriptor for a scope.
class CudnnDescriptor {
 public:
  using Create = cuda::cudnn::Status (*)(cuda::cudnn::Descriptor*);
  using Destroy = cuda::cudnn::Status (*)(cuda::cudnn::Descriptor);
  CudnnDescriptor(Create create, Destroy destroy) : destroy_(destroy) {
    cuda::cudnn::check(create(&made_), "the creation of a descriptor");
  }
  ~CudnnDescriptor() { destroy_(made_); }
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  cuda::cudnn::Descriptor get() const { return made_; }

 private:
  Destroy destroy_;
  cuda::cudnn::Descriptor made_ = nullptr;
};

// The layers. `states`: those of dropout, undefined if nothing is dropped.
class RnnDescriptor {
 public:
  RnnDescriptor(const RnnShape& shape, ScalarType dtype, double dropout, const Tensor& states);
  cuda::cudnn::Descriptor get() const { return rnn_.get(); }
  // What cuDNN answered to these settings.
  cuda::cudnn::Status status() const { return status_; }

 private:
  CudnnDescriptor dropout_, rnn_;
  cuda::cudnn::Status status_;
};

// A state: (layers * directions, batch, width), dense.
class RnnStateDescriptor {
 public:
  RnnStateDescriptor(ScalarType dtype, int64_t numbers, int64_t batch, int64_t width);
  cuda::cudnn::Descriptor get() const { return tensor_.get(); }

 private:
  CudnnDescriptor tensor_;
};

// Steps of sequences of these lengths, longest first, one step of all after the other.
class RnnDataDescriptor {
 public:
  RnnDataDescriptor(ScalarType dtype, const std::vector<int>& lengths, int64_t features);
  cuda::cudnn::Descriptor get() const { return data_.get(); }

 private:
  CudnnDescriptor data_;
};

// The memory of all weights, as cuDNN wants it.
struct RnnWeightLayout {
  bool is_supported = false;
  size_t bytes = 0;
  int64_t numbers = 0;          // elements
  std::vector<int64_t> begins;  // of each parameter, in elements
};
// For the current device. It is not supported if cuDNN has no such layers.
RnnWeightLayout rnn_weight_layout(const RnnShape& shape, ScalarType dtype);

}  // namespace at::native
