#pragma once
// The loops of operators that select elements by a mask.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at {
class TensorIteratorBase;
}

namespace at::native {

// The number of true values among n bools, and the elements or positions where they are true.
DECLARE_DISPATCH(int64_t (*)(const bool* mask, int64_t n), count_true_stub);
DECLARE_DISPATCH(void (*)(char* dst, const char* src, const bool* mask, int64_t n, int64_t count,
                          size_t itemsize),
                 compress_stub);
// The opposite of compress: the next of `count` elements goes to each place where the mask is true.
DECLARE_DISPATCH(void (*)(char* dst, const char* src, const bool* mask, int64_t n, int64_t count,
                          size_t itemsize),
                 expand_stub);
DECLARE_DISPATCH(void (*)(int64_t* dst, const bool* mask, int64_t n, int64_t first, int64_t count),
                 compress_positions_stub);
// self[mask] = source, in order. The mask has type bool and broadcasts to self.
DECLARE_DISPATCH(void (*)(const Tensor& self, const Tensor& mask, const Tensor& source),
                 masked_scatter_stub);
// Operands: out, self, mask.
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, const Scalar& value), masked_fill_stub);

}  // namespace at::native
