#pragma once
// Functions that combine two blocks of elements, for Gloo.

#include <functional>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.h>

namespace c10d {

// `out` may be `a` or `b`.
using ReduceFunction = std::function<void(void* out, const void* a, const void* b, size_t count)>;

// Throws where the dtype has no such operation. AVG is a sum; the caller divides.
ReduceFunction reduce_function(at::ScalarType dtype, ReduceOp::RedOpType op);

}  // namespace c10d
