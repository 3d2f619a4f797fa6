// The table of oneDNN's functions (NativeLibraries.h). Those that compute run with signals blocked.

#include <ATen/SignalMask.h>
#include <ATen/native/common/mkldnn/Mkldnn.h>

namespace at::native {

using internal::masked;  // Note [oneDNN and signals]

static const MkldnnLibrary kTable = {
    masked<&mkldnn::sgemm>,
    masked<&mkldnn::matmul>,
    masked<&mkldnn::batched_matmul>,
    masked<&mkldnn::int8_gemm>,
    &mkldnn::has_type,
    masked<&mkldnn::convolution>,
    masked<&mkldnn::convolution_backward>,
};

}  // namespace at::native

extern "C" __attribute__((visibility("default"))) const void* torch_mkldnn_library() {
  at::internal::masked<&at::native::mkldnn::warm_up>();
  return &at::native::kTable;
}
