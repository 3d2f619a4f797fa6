#pragma once
// The loops of operators that move elements selected by index tensors. Copies depend only on the
// element size; only additions depend on the type. Callers must check shapes; loops check indices
// unless noted otherwise.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at {
class TensorIteratorBase;
}

namespace at::native {

// Operands: elements written, elements read, byte offsets (long). The offsets, checked, apply to
// the elements read (index) or written (index_put, index_put_accumulate).
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), index_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), index_put_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), index_put_accumulate_stub);

// Rows of `row` bytes: dst[o, m] = src[o, index[m]], with n rows in each of src's `outer` blocks.
DECLARE_DISPATCH(void (*)(char* dst, const char* src, const int64_t* index, int64_t outer,
                          int64_t n, int64_t m, int64_t row),
                 index_rows_stub);
// dst[o, index[m]] = src[o, m]; index must be checked. src_stride: bytes from one row of src to the
// next, 0 to reuse one row.
DECLARE_DISPATCH(void (*)(char* dst, const char* src, const int64_t* index, int64_t outer,
                          int64_t n, int64_t m, int64_t row, int64_t src_stride),
                 index_copy_rows_stub);
// dst[o, index[m]] += alpha * src[o, m], rows of `row` elements; index must be checked.
DECLARE_DISPATCH(void (*)(ScalarType dtype, void* dst, const void* src, const int64_t* index,
                          int64_t outer, int64_t n, int64_t m, int64_t row, const Scalar& alpha),
                 index_add_rows_stub);

[[noreturn]] void fail_index(int64_t index, int64_t dim, int64_t size);
[[noreturn]] void fail_index_in_self(const char* op);

}  // namespace at::native
