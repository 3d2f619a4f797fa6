#pragma once
// How elementwise kernels walk their operands, independent of the kernel.
//
// A kernel provides one loop, over contiguous operands of its compute types. All other cases
// (strides, broadcasting, a single number, Half, an operand of another type) are converted to that
// form in pieces of a few KiB on the stack, which stay in the first-level cache. So each kernel is
// compiled once for each compute type and for nothing else. A kernel may add a loop in which one
// operand is the same number for all elements.

#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// `rows` runs of n elements. Operand k (outputs first) begins at data[k], is contiguous along a
// row, and has its next row steps[k] bytes on; a single row needs no steps.
using ContiguousLoop =
    c10::function_ref<void(char* const* data, const int64_t* steps, int64_t n, int64_t rows)>;
// The same, but operand number `constant` has a single element in each row, which is used for all
// n.
using ConstantLoop = c10::function_ref<void(int constant, char* const* data, const int64_t* steps,
                                            int64_t n, int64_t rows)>;

// Shorter rows are gathered and processed together: of a loop over single elements, which the
// compiler vectorizes, and of one over registers, the last of which may be nearly empty.
constexpr int64_t kShortRowOfElements = 32, kShortRowOfRegisters = 64;

struct ElementwiseLoops {
  ContiguousLoop contiguous;
  std::optional<ConstantLoop> constant;
  int64_t short_row_bytes = kShortRowOfRegisters;
};

// The functions below are parts of the kernel that calls them: traces do not show them.

DECLARE_DISPATCH(void (*)(TensorIteratorBase& iter, const ScalarType* types,
                          const ElementwiseLoops& loops, int64_t grain),
                 elementwise_stub);

// Copies n0 * n1 elements with byte strides to and from a dense run.
DECLARE_DISPATCH(void (*)(char* dense, const char* src, size_t itemsize, int64_t s0, int64_t s1,
                          int64_t n0, int64_t n1),
                 gather_elements_stub);
DECLARE_DISPATCH(void (*)(const char* dense, char* dst, size_t itemsize, int64_t s0, int64_t s1,
                          int64_t n0, int64_t n1),
                 scatter_elements_stub);

// Walks all elements, in parallel above `grain`; types[k] is the loop's type of operand k.
inline void run_elementwise(TensorIteratorBase& iter, const ScalarType* types,
                            const ElementwiseLoops& loops, int64_t grain) {
  elementwise_stub.cpu()(iter, types, loops, grain);
}
inline void gather_elements(char* dense, const char* src, size_t itemsize, int64_t s0, int64_t s1,
                            int64_t n0, int64_t n1) {
  gather_elements_stub.cpu()(dense, src, itemsize, s0, s1, n0, n1);
}
inline void scatter_elements(const char* dense, char* dst, size_t itemsize, int64_t s0, int64_t s1,
                             int64_t n0, int64_t n1) {
  scatter_elements_stub.cpu()(dense, dst, itemsize, s0, s1, n0, n1);
}

}  // namespace at::native
