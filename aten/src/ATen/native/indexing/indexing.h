#pragma once
// The loops of operators that move elements to and from places which index tensors name. Copies
// know elements by their size alone; only what adds knows types. Callers have checked shapes; loops
// check indices unless said otherwise.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at {
class TensorIteratorBase;
}

namespace at::native {

// Operands: elements written, elements read, byte offsets (long). The offsets, checked, belong to
// what is read (index) or written (index_put, index_put_accumulate).
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), index_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), index_put_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), index_put_accumulate_stub);

// Rows of `row` bytes: dst[o, m] = src[o, index[m]], with n rows in each of src's `outer` blocks.
DECLARE_DISPATCH(void (*)(char* dst, const char* src, const int64_t* index, int64_t outer,
                          int64_t n, int64_t m, int64_t row),
                 index_rows_stub);
// dst[o, index[m]] = src[o, m]; index checked before. src_stride: bytes from one row of src to the
// next, 0 for one row that serves all.
DECLARE_DISPATCH(void (*)(char* dst, const char* src, const int64_t* index, int64_t outer,
                          int64_t n, int64_t m, int64_t row, int64_t src_stride),
                 index_copy_rows_stub);
// dst[o, index[m]] += alpha * src[o, m], rows of `row` elements; index checked before.
DECLARE_DISPATCH(void (*)(ScalarType dtype, void* dst, const void* src, const int64_t* index,
                          int64_t outer, int64_t n, int64_t m, int64_t row, const Scalar& alpha),
                 index_add_rows_stub);

[[noreturn]] void fail_index(int64_t index, int64_t dim, int64_t size);
[[noreturn]] void fail_index_in_self(const char* op);

}  // namespace at::native
