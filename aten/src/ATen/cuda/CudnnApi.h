#pragma once
// The part of cuDNN that convolutions call, declared here so that building needs no copy of it:
// libcudnn is opened on first use (CudnnLibrary.cpp), and need not be there. Enumerations are
// passed as int, descriptors as void*. Source: the manual of cuDNN 9, convolutions of its cnn
// library. CudnnLibrary.cpp compares the values with the header of the library where that is
// installed.

#include <c10/core/ScalarType.h>
#include <c10/macros/Macros.h>
#include <cuda_runtime.h>

namespace at::cuda::cudnn {

using Handle = void*;      // cudnnHandle_t
using Descriptor = void*;  // cudnnTensorDescriptor_t and others
using Status = int;        // cudnnStatus_t; 0 is success

enum DataType : int { kFloat32 = 0, kFloat64 = 1, kFloat16 = 2, kBrainFloat16 = 9 };
inline int data_type(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Double:
      return kFloat64;
    case c10::ScalarType::Half:
      return kFloat16;
    case c10::ScalarType::BFloat16:
      return kBrainFloat16;
    default:
      return kFloat32;
  }
}
enum Format : int { kNCHW = 0, kNHWC = 1 };
// Default: TF32 is allowed. FMA: float stays float.
enum MathType : int { kDefaultMath = 0, kTensorOpMath = 1, kFmaMath = 3 };
constexpr int kCrossCorrelation = 1;
constexpr int kDeterministic = 1;
// The statuses that say that something is not supported.
constexpr Status kFirstUnsupported = 3000, kLastUnsupported = 3999;

// How an algorithm did, or is expected to do (cudnnConvolutionFwdAlgoPerf_t and its likes).
struct Candidate {
  int algorithm;
  Status status;
  float milliseconds;
  size_t workspace;  // bytes
  int determinism;
  int math_type;
  int reserved[3];
};

// Of the three computations: x and w give y, w and dy give dx, x and dy give dw. They differ in the
// order of their operands, which are `a`, `b` and the result `c`.
struct Computation {
  Status (*heuristic)(Handle, Descriptor a, Descriptor b, Descriptor convolution, Descriptor c,
                      int requested, int* returned, Candidate*);
  Status (*measure)(Handle, Descriptor a, const void*, Descriptor b, const void*,
                    Descriptor convolution, Descriptor c, void*, int requested, int* returned,
                    Candidate*, void* workspace, size_t bytes);
  Status (*run)(Handle, const void* alpha, Descriptor a, const void*, Descriptor b, const void*,
                Descriptor convolution, int algorithm, void* workspace, size_t bytes,
                const void* beta, Descriptor c, void*);
};

struct Functions {
  Status (*create)(Handle*);
  Status (*set_stream)(Handle, cudaStream_t);
  size_t (*version)();
  const char* (*status_text)(Status);
  Status (*create_tensor)(Descriptor*);
  Status (*set_tensor)(Descriptor, int type, int dims, const int* sizes, const int* strides);
  Status (*destroy_tensor)(Descriptor);
  Status (*create_filter)(Descriptor*);
  Status (*set_filter)(Descriptor, int type, int format, int dims, const int* sizes);
  Status (*destroy_filter)(Descriptor);
  Status (*create_convolution)(Descriptor*);
  Status (*set_convolution)(Descriptor, int dims, const int* padding, const int* stride,
                            const int* dilation, int mode, int compute_type);
  Status (*set_groups)(Descriptor, int groups);
  Status (*set_math_type)(Descriptor, int math_type);
  Status (*destroy_convolution)(Descriptor);
  Computation forward, backward_data, backward_filter;
};

// Null if the library is not installed.
C10_API const Functions* functions();

// A handle of this thread and the current device that puts work on its current stream.
Handle handle();
void check(Status status, const char* call);

}  // namespace at::cuda::cudnn
