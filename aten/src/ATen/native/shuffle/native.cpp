// channel_shuffle under its internal name.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/channel_shuffle.h>
#include <ATen/ops/native_channel_shuffle_native.h>

namespace at::native {

Tensor native_channel_shuffle(const Tensor& self, int64_t groups) {
  return at::channel_shuffle(self, groups);
}

}  // namespace at::native
