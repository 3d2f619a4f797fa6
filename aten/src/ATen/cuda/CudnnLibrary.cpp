// Handles of cuDNN: one per thread and device, taken from a pool.

#include <ATen/cuda/CudnnApi.h>
#include <ATen/cuda/HandlePool.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/RelaxedCapture.h>

#if __has_include(<cudnn.h>) && !defined(TORCH_CUDA_EMULATED)
#include <cudnn.h>
#define AT_CUDNN_VALUE(name, value) \
  static_assert(static_cast<int>(at::cuda::cudnn::name) == static_cast<int>(value))
AT_CUDNN_VALUE(kFloat32, CUDNN_DATA_FLOAT);
AT_CUDNN_VALUE(kFloat64, CUDNN_DATA_DOUBLE);
AT_CUDNN_VALUE(kFloat16, CUDNN_DATA_HALF);
AT_CUDNN_VALUE(kBrainFloat16, CUDNN_DATA_BFLOAT16);
AT_CUDNN_VALUE(kNCHW, CUDNN_TENSOR_NCHW);
AT_CUDNN_VALUE(kNHWC, CUDNN_TENSOR_NHWC);
AT_CUDNN_VALUE(kDefaultMath, CUDNN_DEFAULT_MATH);
AT_CUDNN_VALUE(kTensorOpMath, CUDNN_TENSOR_OP_MATH);
AT_CUDNN_VALUE(kFmaMath, CUDNN_FMA_MATH);
AT_CUDNN_VALUE(kCrossCorrelation, CUDNN_CROSS_CORRELATION);
AT_CUDNN_VALUE(kDeterministic, CUDNN_DETERMINISTIC);
AT_CUDNN_VALUE(kFirstUnsupported, CUDNN_STATUS_NOT_SUPPORTED);
static_assert(CUDNN_STATUS_SUCCESS == 0);
static_assert(sizeof(at::cuda::cudnn::Candidate) == sizeof(cudnnConvolutionFwdAlgoPerf_t));
static_assert(offsetof(at::cuda::cudnn::Candidate, determinism) ==
              offsetof(cudnnConvolutionFwdAlgoPerf_t, determinism));
#undef AT_CUDNN_VALUE
#endif

namespace at::cuda::cudnn {
namespace {

void* create() {
  Handle handle = nullptr;
  c10::cuda::impl::RelaxedCapture relaxed;
  check(functions()->create(&handle), "cudnnCreate");
  return handle;
}

}  // namespace

void check(Status status, const char* call) {
  TORCH_CHECK(status == 0, "cuDNN error: ", functions()->status_text(status), " when calling `",
              call, "`");
}

Handle handle() {
  const Handle handle = handle_of_thread<create>();
  check(functions()->set_stream(handle, c10::cuda::getCurrentCUDAStream()), "cudnnSetStream");
  return handle;
}

}  // namespace at::cuda::cudnn
