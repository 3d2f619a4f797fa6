// aminmax under the names that compilers of graphs use.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_aminmax_native.h>
#include <ATen/ops/aminmax.h>

namespace at::native {

std::tuple<Tensor, Tensor> _aminmax(const Tensor& self) { return at::aminmax(self); }
std::tuple<Tensor, Tensor> _aminmax(const Tensor& self, int64_t dim, bool keepdim) {
  return at::aminmax(self, dim, keepdim);
}

}  // namespace at::native
