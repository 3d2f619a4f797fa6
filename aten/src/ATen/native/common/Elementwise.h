#pragma once
// How elementwise kernels walk their operands, independent of the kernel.
//
// A kernel provides one loop, over contiguous operands of its compute types. All other cases
// (strides, broadcasting, a single number, Half, an operand of another type) are converted to that
// form in pieces of a few KiB on the stack, which stay in the first-level cache. So each kernel is
// compiled once for each compute type and for nothing else.

#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// data[k] is operand k (outputs first), each contiguous.
using ContiguousLoop = c10::function_ref<void(char* const* data, int64_t n)>;

// Walks all elements, in parallel above `grain`; types[k] is the loop's type of operand k.
void run_elementwise(TensorIteratorBase& iter, const ScalarType* types, ContiguousLoop loop,
                     int64_t grain);

// Copies n0 * n1 elements with byte strides to and from a dense run.
void gather_elements(char* dense, const char* src, size_t itemsize, int64_t s0, int64_t s1,
                     int64_t n0, int64_t n1);
void scatter_elements(const char* dense, char* dst, size_t itemsize, int64_t s0, int64_t s1,
                      int64_t n0, int64_t n1);

}  // namespace at::native
