#pragma once
// The loops of gather and scatter. Callers must check shapes; the loops check indices.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class ScatterReduce : uint8_t { assign, sum, prod, amax, amin };
// out[i, j] = self[index[i, j], j] for dim 0, and so on. index: long.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& self, int64_t dim, const Tensor& index),
                 gather_stub);
// self[index[i, j], j] = src[i, j]; src has at least index's shape, or is one element. Writes along
// dim keep their order.
DECLARE_DISPATCH(void (*)(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                          ScatterReduce reduce),
                 scatter_stub);

}  // namespace at::native
