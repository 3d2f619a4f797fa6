#include <ATen/native/mkldnn/Mkldnn.h>

namespace at::native {

static const MkldnnLibrary kTable = {
    &mkldnn::sgemm,
    &mkldnn::matmul,
    &mkldnn::has_type,
    &mkldnn::convolution,
    &mkldnn::convolution_backward,
};

}  // namespace at::native

extern "C" __attribute__((visibility("default"))) const void* torch_mkldnn_library() {
  return &at::native::kTable;
}
